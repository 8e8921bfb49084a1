// dice.c - random choices of a stress run.
#include "dice.h"

#include <math.h>
#include <stdio.h>

Dice dice_of_operation(uint64_t seed, int operation, double hostility) {
    CnRandom mix = {seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)operation};
    return (Dice){.random = {cn_random_next(&mix)}, .hostility = hostility};
}

int dice_below(Dice* dice, int count) {
    return (int)(cn_random_next(&dice->random) % (uint64_t)count);
}

bool dice_chance(Dice* dice, double share) {
    return cn_random_between(&dice->random, 0.0, 1.0) < share;
}

double dice_number(Dice* dice, double low, double high) {
    static const double hostile[] = {0.0,       -0.0,        -1.0,  1e308,  -1e308,
                                     1e-308,    5e-324,      1e20,  1e-20,  INFINITY,
                                     -INFINITY, (double)NAN, 1e150, -1e-12, 1e5};
    double number = cn_random_between(&dice->random, low, high);
    if (dice_chance(dice, dice->hostility)) {
        number = hostile[dice_below(dice, (int)(sizeof hostile / sizeof hostile[0]))];
    }
    return number;
}

CnVec3 dice_vector(Dice* dice, double size) {
    double x = dice_number(dice, -size, size);
    double y = dice_number(dice, -size, size);
    return cn_vec3(x, y, dice_number(dice, -size, size));
}

CnVec3 dice_direction(Dice* dice) {
    static const CnVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    if (dice_chance(dice, dice->hostility)) {
        return dice_vector(dice, 1.0);
    }
    return dice_chance(dice, 0.5) ? axes[dice_below(dice, 3)]
                                  : cn_vec3_normalize(dice_vector(dice, 1.0));
}

CnQuat dice_rotation(Dice* dice) {
    if (dice_chance(dice, 0.5)) {
        return cn_quat_identity();
    }
    if (dice_chance(dice, dice->hostility)) {
        double w = dice_number(dice, -1.0, 1.0), z = dice_number(dice, -1.0, 1.0);
        return cn_quat(w, 0.0, 1.0, z);
    }
    return cn_quat_exp(dice_vector(dice, 2.0));
}

const char* dice_name(Dice* dice, char text[16]) {
    if (dice_chance(dice, 0.5)) {
        return NULL;
    }
    snprintf(text, 16, "thing_%d", dice_below(dice, 30));
    return text;
}
