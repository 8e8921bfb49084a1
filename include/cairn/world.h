// world.h - a world owns bodies, shapes, forces, contacts and constraints, and moves them in time.
//
//     CnWorldDef def = cn_world_def_default();
//     CnWorld* world = cn_world_create(&def, NULL);
//     CnBodyId ball = cn_world_add_body(world, &ball_def, NULL);
//     for (int i = 0; i < 240; ++i) {
//         cn_world_step(world, 1.0 / 240.0, NULL, NULL);
//     }
//     cn_world_destroy(world);
//
// SI units throughout: metres, kilograms, seconds, radians. Worlds share nothing with each other.
// Call one world from one thread at a time; a step may itself use many.
#pragma once

#include "cairn/constraint.h"
#include "cairn/contact.h"
#include "cairn/diagnostics.h"

typedef struct CnWorld CnWorld;

// How time advances. The scheme chooses targets and compliances, the solver finds impulses.
typedef enum CnScheme {
    CN_SCHEME_MOREAU,       // velocity-level time stepping, one solve per step
    CN_SCHEME_ACCELERATION, // smooth constraints at acceleration level; no contacts
    CN_SCHEME_IMPLICIT,     // position level: poses, velocities and impulses at the end together
    CN_SCHEME_QUASI_STATIC, // velocities start from zero every step
    CN_SCHEME_SOFT_STEP,    // real time: soft contacts in single precision, swept in substeps
    CN_SCHEME_COUNT
} CnScheme;

// How a body turns through a step. All but the first are explicit about the gyroscopic term and
// for bodies that turn by little: they may gain energy without bound where |w| dt times
// sqrt(largest / smallest inertia) is not well below 1.
typedef enum CnRotationUpdate {
    CN_ROTATION_EXACT,   // second order, exact where nothing acts: energy and momentum (default)
    CN_ROTATION_RIG_POS, // second order, gains energy
    CN_ROTATION_RIG_NEG, // second order, exact angular momentum, loses energy
    CN_ROTATION_RIG_IMP, // second order, implicit: exact momentum, energy bounded
    CN_ROTATION_SEMI_IMPLICIT, // first order, gyroscopic term at the start of the step
    CN_ROTATION_COUNT
} CnRotationUpdate;

typedef enum CnIntegrator {
    CN_INTEGRATOR_SEMI_IMPLICIT_EULER,
    CN_INTEGRATOR_RK4,
    CN_INTEGRATOR_COUNT
} CnIntegrator;

typedef enum CnStabilisation {
    CN_STABILISATION_NONE,          // velocities only: position errors stay
    CN_STABILISATION_BAUMGARTE,     // a share of the error is asked for as velocity; adds energy
    CN_STABILISATION_SPLIT_IMPULSE, // the same share as a pseudo velocity that is thrown away
    CN_STABILISATION_PROJECTION,    // positions are put back exactly, nearest in the mass metric
    CN_STABILISATION_COUNT
} CnStabilisation;

typedef enum CnWarmStart {
    CN_WARM_START_OFF,
    CN_WARM_START_FULL,   // last step's impulses as they are (default)
    CN_WARM_START_SCALED, // shrunk by 1 - 0.75 severity of the row's last residual
    CN_WARM_START_COUNT
} CnWarmStart;

// Names as written in scenes and on the command line ("moreau", "exact", "projection", ...).
CN_API const char* cn_scheme_name(CnScheme scheme);
CN_API const char* cn_rotation_update_name(CnRotationUpdate update);
CN_API const char* cn_integrator_name(CnIntegrator integrator);
// How scheme implicit finds the end of a step. docs/theory/implicit.md.
typedef enum CnImplicitMethod {
    CN_IMPLICIT_SOLVER,             // each look poses a problem that the solver answers (default)
    CN_IMPLICIT_FISCHER_BURMEISTER, // each look is one Newton step on poses, velocities and
                                    // impulses at once, the laws as equations; the solver's name is
                                    // not used
    CN_IMPLICIT_COUNT
} CnImplicitMethod;

CN_API const char* cn_implicit_method_name(CnImplicitMethod method);
CN_API const char* cn_stabilisation_name(CnStabilisation stabilisation);
CN_API const char* cn_warm_start_name(CnWarmStart warm_start);

// Scheme soft_step: docs/theory/soft_step.md. Contacts are found once per step; then the step is
// cut into substeps, each with one sweep that removes overlap and one that does not. Contacts
// behave like springs with dampers, whose stiffness is given as the frequency of a mass on them.
typedef struct CnSoftDef {
    double contact_hertz; // stiffness of contacts [Hz], default 30; no more than an eighth of
                          // the rate of substeps is used
    double contact_damping_ratio; // of contacts, 1: critical; default 10
    double push_speed;            // overlap is removed no faster [m/s], default 3
    double joint_hertz; // stiffness of joints [Hz], default 70; no more than 0.3 of that rate
    double joint_damping_ratio; // of joints, default 1
    double recycling_share;     // contacts of two bodies are used again while no point of them has
                            // moved further than this share of their size, [0, 0.5], default 0.05;
                            // or further than recycling_distance, if that is more
    int substeps;            // [1, 1000], default 4
    double tree_mass_ratio;  // joints that form trees are solved all at once in each substep where
                             // masses in an island differ by this factor or more, or a motor or a
                             // spring acts on an axis; >= 1, default 100; infinite: nowhere
    bool friction_per_point; // each contact point has friction of its own, mu times its own normal
                             // force; default false: friction of a manifold acts at the centroid
                             // of its points, which costs a quarter
} CnSoftDef;

typedef struct CnStepDef {
    CnScheme scheme;                  // default moreau
    int substeps;                     // equal parts a step is cut into, default 1
    double theta;                     // moreau: weight of the end velocity, [0.5, 1], default 0.5
    CnRotationUpdate rotation;        // moreau: default exact
    CnIntegrator integrator;          // acceleration: default rk4
    CnImplicitMethod implicit_method; // implicit: default solver
    CnStabilisation stabilisation;    // default projection
    double error_reduction;       // baumgarte, split_impulse: share per step, [0, 1], default 0.2
    double slop;                  // baumgarte, split_impulse: depth left alone [m], default 1e-4
    double max_correction;        // baumgarte, split_impulse: per step [m], default 0.2
    double friction_bias;         // moreau: share of the creep of sticking contacts that is
                                  // taken back per step, [0, 1], default 0: none
    double restitution_threshold; // slower impacts do not bounce [m/s], default 1e-3
    double contact_margin;        // contacts nearer than this, plus what bodies can travel in a
                                  // step, become rows [m], default 1e-3; rows of open contacts
                                  // do not act before they touch. A touch ends beyond it
    double recycling_distance;    // contacts of two bodies are used again while no point of them
                                  // has moved further since they were found [m], default 1e-12:
                                  // gaps are right to that much; 0: only where nothing has moved
    int max_impacts;              // cuts of a substep at the impacts of fast bodies, [1, 10000],
                                  // default 32; then they wait for the next step where they are
    CnWarmStart warm_start;       // default full
    double warm_start_factor;     // on all impulses that are used again, besides what the policy
                                  // says, [0, 1], default 1
    double hit_speed;             // faster impacts are events [m/s], default 1
    double speed_limit;           // a step that would leave a dynamic body faster fails and changes
                                  // nothing: |v| plus |w| at the radius of gyration [m/s],
                                  // default 1e5; 0: none
    bool sleep;         // islands at rest fall asleep: they cost nothing until a body touches them
                        // or a call changes them; default false. Not in `acceleration`
    double sleep_speed; // bodies slower than this may sleep: |v| plus |w| times the radius of
                        // gyration [m/s], default 0.05: the speed after 5 ms of free fall, and 25
                        // mm in sleep_time
    double sleep_time;  // time for which all bodies of the island must have been slow [s], default
                       // 0.5: longer than a body thrown upwards is slow at the top, 2 sleep_speed/g
    bool attribution; // keeps what each row direction did, for cn_world_attribution(); default
                      // false
    int grade_every;  // every so many steps are graded, >= 0; 0: none; default 1, in the real-time
                     // preset 0. Steps that are not graded have the same states, and no certificate
                     // and no ledgers: see CnStepReport.is_graded. What a solver needs to know when
                     // to stop is computed all the same. Schemes other than soft_step grade every
                     // step of a world with attribution, warm start "scaled" or a warm_start_hook,
                     // which use grades
    CnSoftDef soft; // soft_step
} CnStepDef;

// What is known of a row whose impulse of the last step becomes the guess of this one.
typedef struct CnWarmStartRow {
    CnChannel channel;       // what the row does
    CnBodyId body_a, body_b; // none: the immovable world
    CnVec3 direction; // unit, world axes: of the row's force on B, or of its torque if it has
                      // no force; where B is none, against that on A
    double impulse;   // for a step of this length [N s or N m s]; of friction rows scaled
                      // to the cone they share: docs/theory/friction.md (1)-(4)
    double residual;  // of its block in the last solve [m/s]
    double drift;     // of the last step: CnMomentumLedger.error
    int age;          // steps in which the row was posed since its contact point was found
                      // or its constraint was added, 1 to 255; beyond that 255
    double factor;    // of the built-in policy
} CnWarmStartRow;

// A function of the user's that says how much of an impulse is used again; optional. Asked in each
// step for each row with an impulse, unless warm_start is off. The same rules as for
// CnContactHooks: it may read the world and must not change it, several threads may ask at once and
// in any order, and the same row must get the same answer. A factor below 0 counts as 0, and one
// that is not finite as the built-in one.
typedef struct CnWarmStartHook {
    double (*policy)(const CnWorld* world, const CnWarmStartRow* row, void* data);
    void* data;
} CnWarmStartHook;

// The factor of warm_start "scaled": docs/theory/warm_start.md (3).
CN_API double cn_warm_start_scaled(const CnWarmStartRow* row);

// All that a world needs to start. Begin with cn_world_def_default(), then change fields.
typedef struct CnWorldDef {
    CnVec3 gravity; // [m/s^2], default (0, 0, -9.81)
    CnStepDef step;
    CnSolverDef solver;              // default auto, 1e-8
    CnAllocator allocator;           // zero: malloc and free
    CnLog log;                       // zero: silent
    CnContactHooks contact_hooks;    // zero: none
    CnWarmStartHook warm_start_hook; // zero: the policy that step.warm_start names
    CnTasks tasks;                   // zero: serial. Results never depend on the number of workers
    uint32_t guard;                  // set by cn_world_def_default(), checked by cn_world_create()
} CnWorldDef;

CN_API CnWorldDef cn_world_def_default(void);

// Two presets say what a user wants. Exact is the default: scheme moreau, every step solved to
// 1e-8 m/s and graded. Real time is for games, controllers and first looks: scheme soft_step with
// four substeps, contacts looked for 5 mm ahead, impacts below 0.5 m/s without bouncing, sleeping
// on; made for steps of 1/60 s.
CN_API CnWorldDef cn_world_def_real_time(void);

typedef enum CnPreset { CN_PRESET_EXACT, CN_PRESET_REAL_TIME, CN_PRESET_COUNT } CnPreset;

// "exact", "real_time": as in scenes.
CN_API const char* cn_preset_name(CnPreset preset);

// What a preset says about steps, in a def whose other fields stay.
CN_API void cn_step_def_use_preset(CnStepDef* step, CnPreset preset);

// NULL when def is wrong, its solver does not support the friction model (CN_UNSUPPORTED), or
// memory runs out; error, if given, says why.
CN_API CnWorld* cn_world_create(const CnWorldDef* def, CnError* error);

// Frees the world and all it owns. NULL is fine.
CN_API void cn_world_destroy(CnWorld* world);

// Each returns the null id on failure and says why.
CN_API CnMaterialId cn_world_add_material(CnWorld* world, const CnMaterialDef* def, CnError* error);
CN_API CnStatus cn_world_set_material_pair(CnWorld* world, const CnMaterialPair* pair,
                                           CnError* error);
// Friction and restitution between two materials: those that were set for the pair, else combined
// by the rule of CnMaterialPair (along the grain, if both have one). The null id is the default
// material. CN_STALE: one does not exist.
CN_API CnStatus cn_world_read_material_pair(const CnWorld* world, CnMaterialId a, CnMaterialId b,
                                            CnMaterialPair* pair);
// The pairs that were set, in the order they were first set. The count is all of them; at most
// capacity are written.
CN_API int cn_world_material_pairs(const CnWorld* world, CnMaterialPair* pairs, int capacity);
CN_API CnSeriesId cn_world_add_series(CnWorld* world, const CnSeriesDef* def, CnError* error);
// CN_STALE: it does not exist; CN_INVALID: the time is not finite.
CN_API CnStatus cn_world_read_series(const CnWorld* world, CnSeriesId series, double time,
                                     CnSeriesReading* reading);
CN_API CnBodyId cn_world_add_body(CnWorld* world, const CnBodyDef* def, CnError* error);
CN_API CnForceId cn_world_add_force(CnWorld* world, const CnForceDef* def, CnError* error);
CN_API CnContactId cn_world_add_contact(CnWorld* world, const CnContactDef* def, CnError* error);
CN_API CnConstraintId cn_world_add_constraint(CnWorld* world, const CnConstraintDef* def,
                                              CnError* error);

// A material as it was given; the name is the world's. CN_STALE: it does not exist.
CN_API CnStatus cn_material_read(const CnWorld* world, CnMaterialId material, CnMaterialDef* def);

// Changes the surface properties of all shapes of this material from the next step on. Name and
// density cannot be changed: CN_INVALID if the density differs, because masses were computed with
// it.
CN_API CnStatus cn_material_set(CnWorld* world, CnMaterialId material, const CnMaterialDef* def,
                                CnError* error);

// Reads a force, or replaces it from the next step on. The body cannot be changed: CN_INVALID if
// the def has another one. CN_STALE: the force or its series does not exist.
CN_API CnStatus cn_force_read(const CnWorld* world, CnForceId force, CnForceDef* def);
CN_API CnStatus cn_force_set(CnWorld* world, CnForceId force, const CnForceDef* def,
                             CnError* error);

// A contact given by hand as it is now: point of B, normal and gap at the present poses, so that
// adding it again makes the same one; the name is the world's. CN_STALE: it does not exist.
CN_API CnStatus cn_contact_read(const CnWorld* world, CnContactId contact, CnContactDef* def);

// The contacts given by hand in the order of their indices, and those of one body. The count is all
// of them, -1 when the body does not exist; at most capacity are written.
CN_API int cn_world_given_contacts(const CnWorld* world, CnContactId* ids, int capacity);
CN_API int cn_body_given_contacts(const CnWorld* world, CnBodyId body, CnContactId* ids,
                                  int capacity);

// These two bodies never collide; contacts given by hand between them still act. The exclusion ends
// when one of them is removed.
CN_API CnStatus cn_world_exclude_pair(CnWorld* world, CnBodyId a, CnBodyId b, CnError* error);
// Whether the user excluded the pair; a joint may exclude it too.
CN_API bool cn_world_is_pair_excluded(const CnWorld* world, CnBodyId a, CnBodyId b);

// Removing a body removes its shapes, forces, contacts, joints and constraints; it costs what these
// are, not what the world holds.
// CN_STALE: it does not exist; CN_INVALID: a step is under way; CN_NO_MEMORY: none is left to tell
// that its contacts end, and nothing was removed.
CN_API CnStatus cn_world_remove_body(CnWorld* world, CnBodyId body);
CN_API CnStatus cn_world_remove_force(CnWorld* world, CnForceId force);
CN_API CnStatus cn_world_remove_contact(CnWorld* world, CnContactId contact);
CN_API CnStatus cn_world_remove_constraint(CnWorld* world, CnConstraintId constraint);

// Advance by dt [s], > 0. An unconverged solve is not a failure: the world moves, the report tells
// how well. On any status but CN_OK the world is as it was: all that can be read, and every bit of
// the steps that follow. report and error may be NULL.
CN_API CnStatus cn_world_step(CnWorld* world, double dt, CnStepReport* report, CnError* error);

CN_API double cn_world_time(const CnWorld* world); // [s]
CN_API int cn_world_body_count(const CnWorld* world);
// In order of creation; removing a body moves the last one into its place.
CN_API CnBodyId cn_world_body_at(const CnWorld* world, int index);          // null id: none
CN_API CnBodyId cn_world_find_body(const CnWorld* world, const char* name); // null id: none

// Reading and changing one body. Pose means the body's frame; state means its centre of mass.
CN_API const char* cn_body_name(const CnWorld* world, CnBodyId body); // "" when it has none
CN_API CnStatus cn_body_state(const CnWorld* world, CnBodyId body, CnBodyState* state);
CN_API CnStatus cn_body_set_state(CnWorld* world, CnBodyId body, const CnBodyState* state,
                                  CnError* error);
CN_API CnStatus cn_body_pose(const CnWorld* world, CnBodyId body, CnTransform* pose);
CN_API CnStatus cn_body_mass_properties(const CnWorld* world, CnBodyId body,
                                        CnMassProperties* mass);
CN_API CnBodyType cn_body_type(const CnWorld* world, CnBodyId body); // static: does not exist

// Settings of a world that runs, held to the rules of its creation; from the next step on.
CN_API CnStatus cn_world_set_gravity(CnWorld* world, CnVec3 gravity, CnError* error);
CN_API CnStatus cn_world_set_solver(CnWorld* world, const CnSolverDef* solver, CnError* error);
CN_API CnStatus cn_world_set_step(CnWorld* world, const CnStepDef* step, CnError* error);

// The def as it stands; the name of its solver is the world's.
CN_API CnWorldDef cn_world_read(const CnWorld* world);

// All bodies at once, in the order of cn_world_body_at(): states, or poses of their frames. ids may
// be NULL. Returns how many bodies there are; at most capacity are written.
CN_API int cn_world_read_states(const CnWorld* world, CnBodyState* states, CnBodyId* ids,
                                int capacity);
CN_API int cn_world_read_poses(const CnWorld* world, CnTransform* poses, CnBodyId* ids,
                               int capacity);

// cn_body_set_state() for all of ids [count]; NULL: for all bodies, of which there are count. All
// are checked before the first is set.
CN_API CnStatus cn_world_write_states(CnWorld* world, const CnBodyState* states,
                                      const CnBodyId* ids, int count, CnError* error);

// The contact points of the last step, in a fixed order: as its parts found them. Those between
// sleepers follow, also those that it put to sleep: as they were in their last step awake, with the
// forces of that step and no velocities. The count is all of them; at most capacity are written.
CN_API int cn_world_contacts(const CnWorld* world, CnContactPoint* points, int capacity);

// Those of one body, at a cost of what it touches; in a fixed order, but not that of
// cn_world_contacts(). Returns how many there are, -1 when the body does not exist; at most
// capacity are written.
CN_API int cn_body_contacts(const CnWorld* world, CnBodyId body, CnContactPoint* points,
                            int capacity);

// The contact points at the present poses, without a step, those of sleepers too; forces, impulses
// and velocities are zero. Returns how many there are, -1 when memory runs out or a step is under
// way; at most capacity are written.
CN_API int cn_world_find_contacts(CnWorld* world, CnContactPoint* points, int capacity);

// Two-sided constraints with a row that others already imply at the present poses; of rows that
// imply each other one is named. Returns how many there are, -1 when memory runs out; at most
// capacity are written.
CN_API int cn_world_redundant_constraints(CnWorld* world, CnConstraintId* ids, int capacity);

// The constraints that were added by themselves, not those that joints are made of, in order of
// creation; removing one moves the last one into its place.
CN_API int cn_world_constraint_count(const CnWorld* world);
CN_API CnConstraintId cn_world_constraint_at(const CnWorld* world, int index); // null id: none
// Of any constraint, those of joints too. CN_STALE: it does not exist.
CN_API CnStatus cn_constraint_info(const CnWorld* world, CnConstraintId constraint,
                                   CnConstraintInfo* info);
// Those of a body that were added by themselves, the latest first. Returns how many there are, -1
// when the body does not exist; at most capacity are written.
CN_API int cn_body_constraints(const CnWorld* world, CnBodyId body, CnConstraintId* ids,
                               int capacity);

// How a constraint keeps its error at zero from the next step on.
CN_API CnStatus cn_constraint_set_keeping(CnWorld* world, CnConstraintId constraint,
                                          const CnKeeping* keep, CnError* error);

// A constraint after the last step: force on body A per row, mean over the whole step; error per
// row.
CN_API CnStatus cn_constraint_read(const CnWorld* world, CnConstraintId constraint,
                                   double force[CN_MAX_ROWS], double value[CN_MAX_ROWS]);

// The problem of the last (sub)step, valid until the next change, and the names of its blocks. The
// name of a block whose constraint or body was removed since says so. Scheme soft_step poses none:
// it is empty, and the only block with a name is `worst_block` of the certificate.
CN_API const CnProblem* cn_world_problem(const CnWorld* world);
CN_API void cn_world_block_name(const CnWorld* world, int block, char* name, size_t size);

// Work done by each block in the last (sub)step [J], by the same index as the problem; not numbers
// if the step was not graded.
CN_API const double* cn_world_block_work(const CnWorld* world);

// Kinetic plus gravitational energy of the dynamic bodies [J]. Kinetic energy that is too large for
// a number is infinite.
CN_API double cn_world_energy(const CnWorld* world);

// What it is made of; their sum is cn_world_energy() but for round-off.
CN_API CnEnergyParts cn_world_energy_parts(const CnWorld* world);

// A hash of time and every body's state, bit by bit.
CN_API uint64_t cn_world_hash(const CnWorld* world);
// The same of one body's state alone; 0 when it does not exist.
CN_API uint64_t cn_body_hash(const CnWorld* world, CnBodyId body);
