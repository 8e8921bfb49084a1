// soft_units.h - scheme soft_step: the contacts of a large island in units that workers share.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct CnWorld;

// The contacts of a large island in units, each of which goes into tiles of its own. A unit has the
// contacts between the same two parts of the bodies, or of several such pairs of parts: one that
// comes or goes changes its unit and mostly leaves the others as they are. Units of one level share
// no movable body, and may be swept side by side. In the arena of the world.
typedef struct CnSoftUnits {
    int* place;        // of contacts, unit by unit   [contacts]
    int *start, *unit; // of each unit in `place`; units in the order of their levels
    int* level;        // of each unit
    int count;
    int* body;        // movable ones of each unit, each once, from twice its start on
    int* body_count;  // of each unit
    bool* is_driven;  // whether a unit has contacts of kinematic bodies
    uint64_t* levels; // that a body is in; 0: it is not in the island, or not movable   [bodies]
} CnSoftUnits;

// False: no memory.
bool cn_soft_find_units(struct CnWorld* world, int island, CnSoftUnits* units);
