// contact.h - contact points: those found by collision and those given by hand.
#pragma once

#include "cairn/body.h"

typedef struct CnWorld CnWorld;

typedef struct CnContactId {
    uint32_t index, generation;
} CnContactId;

// A contact given by hand: a point of body B against a plane that body A carries. It stays for the
// life of the world, opens and closes, and follows both bodies. Start from
// cn_contact_def_default().
typedef struct CnContactDef {
    const char* name;                    // shown in reports; copied, may be NULL
    CnBodyId body_a;                     // carries the plane; none: the immovable world
    CnBodyId body_b;                     // carries the point; never none
    CnVec3 point;                        // world, at the poses the bodies have now [m]
    CnVec3 normal;                       // unit, world, now; from A to B
    double gap;                          // now; negative when overlapping [m]
    CnMaterialId material_a, material_b; // none: those of the bodies
    uint32_t guard;
} CnContactDef;

CN_API CnContactDef cn_contact_def_default(void);

// One contact point as the last step saw it. Of a step in parts (substeps, cuts at the impacts of
// fast bodies) every point is listed that one of the parts saw: what it did is that of the whole
// step, where it is and what it is like are of the last part that saw it. docs/theory/moreau.md
// (22).
typedef struct CnContactPoint {
    CnBodyId body_a, body_b;
    CnShapeId shape_a, shape_b; // none: given by hand
    CnVec3 point;               // world [m]
    CnVec3 normal;              // from A to B
    double gap;                 // at the configuration of the solve [m]
    double friction, restitution;
    CnVec3 force;    // on B with its friction, world axes, mean over the whole step [N]
    CnVec3 torque;   // of torsion and rolling on B, world axes, mean over the whole step [N m]
    CnVec3 impulse;  // force times the length of the step: the sum over its parts [N s]
    CnVec3 moment;   // torque times the length of the step [N m s]
    CnVec3 velocity; // of B relative to A after the step, world axes [m/s]
    CnVec3 surface_velocity; // of B's surface against A's besides that, as materials say: what
                             // slips is velocity + surface_velocity, world axes [m/s]
    double residual;         // of its block in the last solve that saw it, as CnCertificate counts
                             // it [m/s]
    uint64_t key;            // stable from step to step
} CnContactPoint;

// What a material hook may change at a contact point.
typedef struct CnContactMaterial {
    double friction;         // >= 0; with a grain, along it
    double restitution;      // [0, 1]
    CnVec3 surface_velocity; // of B's surface against A's, world axes [m/s]; what is along the
                             // normal does not count
} CnContactMaterial;

// Functions of the user's that a step asks about contacts, both optional. They get the point where
// two shapes are nearest (filter) or the contact point (material), without forces; velocity is that
// of B relative to A there as the step began.
//
// They may read the world and must not change it. A step may ask from several threads at once and
// in any order, so they must not depend on what they were asked before: the same point, the same
// answer. Numbers that a material must not have are taken as the nearest ones allowed, and those
// that are not finite as they were.
typedef struct CnContactHooks {
    // False: the two shapes (or the contact given by hand) pass through each other in this step.
    // Asked once a step for each pair that is near enough for contacts, and where fast bodies come
    // near; queries between steps ask again.
    bool (*filter)(const CnWorld* world, const CnContactPoint* point, void* data);
    // What holds at this point, from what the materials say. Asked whenever points are found.
    void (*material)(const CnWorld* world, const CnContactPoint* point, CnContactMaterial* material,
                     void* data);
    void* data; // given to both
} CnContactHooks;
