// mechanism_links.h - the inside of a mechanism: its links, their rows, and scratch for passes.
#pragma once

#include "cairn/mechanism.h"
#include "solvers/tree/linkage.h"
#include "world/world.h"

typedef struct CnMechanismLink {
    CnBodyId body;
    CnJointId joint;   // that leads to the parent; none: the link floats
    CnBodyId base;     // a link without a parent: the body at the other end; none: the world
    bool is_a;         // of the joint's frames, else B
    bool turns_freely; // the joint keeps a point and has no axes: turns are a rotation vector
    int kept;          // rows of the joint that are kept; the axes are the other ones of six
} CnMechanismLink;

struct CnMechanism {
    CnAllocator allocator;
    CnArena arena; // owns all arrays
    int link_count, coordinate_count, loop_count;
    CnMechanismLink* links;    // parents first   [link_count]
    CnCoordinate* coordinates; // [coordinate_count]
    CnJointId* loops;          // [loop_count]
    int* parent;               // link, -1: none   [link_count]
    int* first;                // coordinate of each link   [link_count + 1]

    // Scratch.
    CnLinkage linkage;     // at the states last looked at
    double (*inverse)[36]; // of the rows at the link: columns of kept rows, then axes [link_count]
    double (*momentum)[6]; // [link_count]
    double (*velocity)[6]; // or accelerations   [link_count]
    double (*twist)[6];    // c   [link_count]
    double (*wrench)[6];   // [link_count]
    double* rate;          // [2 coordinate_count]
    CnBodyState* states;   // of the links   [link_count]
    CnBodyId* ids;         // of the links   [link_count]
};

// The six rows between a link and its parent: those kept, then the axes.
typedef struct CnLinkRows {
    double value[6];
    double own[6][6];    // how they change with the twist of the link
    double parent[6][6]; // and with that of the parent
} CnLinkRows;
// near: values next to which angles count on, of the axes; NULL: as the joint last counted.
void cn_link_look(const CnWorld* world, const CnMechanismLink* link, const CnBodyState* own,
                  const CnBodyState* parent, const double* near, CnLinkRows* rows);

// rate = own V + parent V_parent
void cn_link_rates(const CnLinkRows* rows, const CnBodyState* own, const CnBodyState* parent,
                   double rate[6]);

// own^-1, row-major; false: it is singular.
bool cn_link_invert(const CnLinkRows* rows, double inverse[36]);

// CN_STALE with a sentence when a body or a joint is gone, switched off or broken.
CnStatus cn_mechanism_check(const CnMechanism* mechanism, const CnWorld* world, CnError* error);

// CN_INVALID with a sentence when one of the values, one for each coordinate, is not finite. NULL:
// there are none.
CnStatus cn_mechanism_check_numbers(const CnMechanism* mechanism, const char* name,
                                    const double* values, CnError* error);

// The state of what link i hangs on: of its parent in `states`, or of the base in the world.
const CnBodyState* cn_mechanism_parent_state(const CnMechanism* mechanism, const CnWorld* world,
                                             int link, const CnBodyState* states);

// The present states into mechanism->states.
void cn_mechanism_take_states(CnMechanism* mechanism, const CnWorld* world);

CnStatus cn_mechanism_refuse_pose(const CnWorld* world, const CnMechanismLink* link,
                                  CnError* error);
