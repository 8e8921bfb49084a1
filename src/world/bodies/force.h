// force.h - the loads that act on a body.
#pragma once

#include "world/world.h"

typedef struct CnLoad {
    CnVec3 force;             // other than gravity, world axes [N]
    CnVec3 torque;            // about the centre of mass, world axes [N m]
    bool depends_on_velocity; // drag, or a function that may look at it
} CnLoad;

// Whether the scheme integrates damping exactly: it is then no part of the loads.
bool cn_world_damps_exactly(const CnWorld* world);

// Whether any load other than gravity may act.
bool cn_world_has_loads(const CnWorld* world);

// All loads of all bodies at given states. states and loads are indexed like CnWorld.order.
void cn_world_loads(const CnWorld* world, const CnBodyState* states, double time, CnLoad* loads);
