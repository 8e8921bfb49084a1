// quantity.h - any number of a world by name, as logs, recordings and plots ask for it.
//
//     CnQuantities* list = cn_quantities_create(world, "energy.*,body.block.position.z", &error);
//     double values[16]; // at least cn_quantities_count(list)
//     cn_world_step(world, dt, &report, NULL);
//     cn_quantities_read(list, world, &report, values, NULL);
//     cn_quantities_destroy(list);
//
// Names, with units in cn_quantities_at():
//
//     energy.kinetic, residual.worst, penetration, ...  of the world and its last step
//     body.NAME.position.x, .velocity.z, .speed, ...    of a body
//     joint.NAME.force.x, .axis_force.turn_z, ...       of a joint
//     contact.A/B.force, .normal_force, .gap, ...       of all points between two bodies
//
// docs/manual/quantities.md lists them all. A body without a name is "body 3", a joint "joint 3",
// by its place in the world; the immovable world is "world".
#pragma once

#include "cairn/joint.h"
#include "cairn/world.h"

typedef struct CnQuantities CnQuantities;

typedef struct CnQuantityInfo {
    const char* name; // "body.block.position.z"; valid as long as the list
    const char* unit; // "m"; "1" for plain numbers and counts
} CnQuantityInfo;

// names: patterns separated by commas, in which * stands for any letters, none included, and ? for
// any one. A quantity that several of them name is there once, at its first place; those of one
// pattern come in the order above. Contacts are all pairs of bodies of which one is dynamic.
// NULL: those of the world, then the positions of all dynamic bodies. NULL on failure, with a
// sentence that says which pattern names nothing and what is nearest to it.
CN_API CnQuantities* cn_quantities_create(const CnWorld* world, const char* names, CnError* error);
CN_API void cn_quantities_destroy(CnQuantities* list); // NULL is fine

CN_API int cn_quantities_count(const CnQuantities* list);
// Both NULL when there is no such place.
CN_API CnQuantityInfo cn_quantities_at(const CnQuantities* list, int index);

// values [count] as they are after the last step. report: of that step; NULL: what comes from it is
// zero. Of bodies and joints that were removed since, NAN. CN_NO_MEMORY: nothing was written.
CN_API CnStatus cn_quantities_read(CnQuantities* list, const CnWorld* world,
                                   const CnStepReport* report, double* values, CnError* error);
