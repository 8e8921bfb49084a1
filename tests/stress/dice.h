// dice.h - random choices of a stress run, the same with every compiler, and hostile now and then.
#pragma once

#include "cairn/math.h"
#include "cairn/random.h"

typedef struct Dice {
    CnRandom random;
    double hostility; // share of numbers that are not what was asked for, [0, 1]
} Dice;

// Independent dice for each operation, so that leaving one out does not change the others.
Dice dice_of_operation(uint64_t seed, int operation, double hostility);

int dice_below(Dice* dice, int count); // 0 .. count - 1
bool dice_chance(Dice* dice, double share);

// Between low and high; a hostile one is zero, negative, huge, tiny, infinite or not a number.
double dice_number(Dice* dice, double low, double high);

CnVec3 dice_vector(Dice* dice, double size);      // every coordinate within -size .. size
CnVec3 dice_direction(Dice* dice);                // unit, unless hostile
CnQuat dice_rotation(Dice* dice);                 // unit, unless hostile
const char* dice_name(Dice* dice, char text[16]); // one of few, so that names meet again, or NULL
