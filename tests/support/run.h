// run.h - worlds for tests: built in one call, stepped with all ledgers checked.
#pragma once

#include "cairn/event.h"
#include "cairn/random.h"
#include "cairn/scene.h"
#include "cairn/world.h"
#include "support/test.h"

// What a ledger may miss of the sum of its terms: a hundred terms of 2^-53 each are 1e-14, and a
// step of the largest scene here has a few thousand.
#define LEDGER_TOLERANCE 1e-12

// Defaults with scheme soft_step and the contact margin of the real-time preset, 5 mm.
CnWorldDef run_soft_def(void);

// Creates a world, or fails the test with the sentence.
CnWorld* run_create(const CnWorldDef* def);

// The world of a scene: a built-in one, or a file.
CnWorld* run_open(const char* scene);

CnScene* run_open_scene(const char* name);

// The world of a scene with these settings and this memory; the scene is gone then.
CnWorld* run_build(CnScene* scene, const CnSceneSettings* settings, CnAllocator allocator);

// A dynamic body without shapes: mass [kg], principal moments [kg m^2], centre of mass at position.
CnBodyDef run_body(double mass, CnVec3 moments, CnVec3 position);
CnBodyId run_add(CnWorld* world, const CnBodyDef* def);

// A ball, a box or a capsule of some 0.4 m, by turns, within 1 m of a place, at up to 5 m/s and
// with up to spin [rad/s] along each axis. shape: its own, which the caller keeps.
CnBodyDef run_random_body(CnRandom* random, int turn, CnVec3 place, double spin, CnShapeDef* shape);

// A uniform dynamic ball of given mass with its shape; material may be none.
CnBodyId run_add_ball(CnWorld* world, double mass, double radius, CnVec3 position, CnVec3 velocity,
                      CnMaterialId material);

// A box of the default density, 1000 kg/m^3, with its shape; material may be none.
CnBodyId run_add_box(CnWorld* world, CnBodyType type, CnVec3 size, CnVec3 position,
                     CnMaterialId material);

// The static half space z <= 0.
CnBodyId run_add_ground(CnWorld* world, CnMaterialId material);

CnMaterialId run_add_material(CnWorld* world, double friction, double restitution);

// A user constraint of one of the library's kinds; b may be none.
CnConstraintId run_add_constraint(CnWorld* world, const CnConstraintKind* kind, CnBodyId a,
                                  CnBodyId b, const void* data, size_t size);

CnBodyState run_state(const CnWorld* world, CnBodyId body);

// One step that must be made: CN_OK, every island converged, both ledgers closed, rows between
// dynamic bodies equal and opposite. Returns its report.
CnStepReport run_step(CnWorld* world, double dt);
void run_steps(CnWorld* world, double dt, int count);

// A largest difference of two states, every part compared as a plain number.
double run_state_distance(const CnBodyState* a, const CnBodyState* b);

// Whether two events tell the same of the same bodies, to the bit.
bool run_is_same_event(const CnEvent* a, const CnEvent* b);
