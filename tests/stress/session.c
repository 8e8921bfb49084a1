// session.c - a random world, its ids and its findings.
#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- the world ----

static CnSolverDef random_solver(Dice* dice) {
    CnSolverDef def = cn_solver_def_default();
    if (dice_chance(dice, 0.4)) {
        def.name = cn_solver_at(dice_below(dice, cn_solver_count())).name;
    }
    def.tolerance = dice_chance(dice, 0.5) ? 1e-8 : dice_number(dice, 1e-9, 1e-2);
    def.max_iterations = dice_chance(dice, 0.5) ? 0 : dice_below(dice, 200);
    def.warm_start = dice_chance(dice, 0.9);
    def.minimum_norm = dice_chance(dice, 0.1);
    def.friction = dice_chance(dice, 0.9) ? CN_FRICTION_EXACT
                                          : (CnFrictionModel)dice_below(dice, CN_FRICTION_COUNT);
    def.work_budget = 1e7; // keeps the time of a step small; about 0.1 s under sanitizers
    return def;
}

static CnStepDef random_step(Dice* dice) {
    CnStepDef def = cn_world_def_default().step;
    def.scheme =
        dice_chance(dice, 0.6) ? CN_SCHEME_MOREAU : (CnScheme)dice_below(dice, CN_SCHEME_COUNT);
    def.substeps = dice_chance(dice, 0.7) ? 1 : 1 + dice_below(dice, 4);
    def.theta = dice_chance(dice, 0.8) ? 0.5 : dice_number(dice, 0.5, 1.0);
    def.integrator = (CnIntegrator)dice_below(dice, CN_INTEGRATOR_COUNT);
    def.warm_start = (CnWarmStart)dice_below(dice, CN_WARM_START_COUNT);
    def.attribution = dice_chance(dice, 0.3);
    def.warm_start_factor = dice_chance(dice, 0.8) ? 1.0 : 0.9;
    if (dice_chance(dice, 0.5)) {
        def.rotation = (CnRotationUpdate)dice_below(dice, CN_ROTATION_COUNT);
        def.stabilisation = (CnStabilisation)dice_below(dice, CN_STABILISATION_COUNT);
    }
    def.error_reduction = dice_number(dice, 0.0, 1.0);
    def.friction_bias = dice_chance(dice, 0.8) ? 0.0 : dice_number(dice, 0.0, 1.0);
    def.max_impacts = 1 + dice_below(dice, 40);
    def.hit_speed = dice_number(dice, 0.1, 2.0);
    def.sleep = def.scheme != CN_SCHEME_ACCELERATION && dice_chance(dice, 0.4);
    def.sleep_speed = dice_number(dice, 0.01, 0.5);
    def.sleep_time = dice_number(dice, 0.0, 0.1); // a few steps
    def.grade_every = dice_chance(dice, 0.7) ? 1 : dice_below(dice, 4);
    return def;
}

void session_prepare(Session* session, uint64_t seed) {
    *session = (Session){.seed = seed, .hostility = seed % 2 == 0 ? 0.0 : 0.01};
}

bool session_create(Session* session, int threads) {
    session->call = "cn_world_create";
    session->dice = dice_of_operation(session->seed, -1, 0.2 * session->hostility);
    CnWorldDef def = cn_world_def_default();
    def.gravity =
        dice_chance(&session->dice, 0.8) ? def.gravity : dice_vector(&session->dice, 20.0);
    def.step = session->step = random_step(&session->dice);
    def.solver = random_solver(&session->dice);
    def.allocator = failing_allocator(&session->memory);
    if (threads > 1 && session->pool == NULL) {
        session->pool = cn_task_pool_create(threads, NULL);
        def.tasks = cn_task_pool_tasks(session->pool);
    }
    CnError error = {0};
    session->world = cn_world_create(&def, &error);
    if (session->world == NULL && error.message[0] == 0) {
        session_find(session, "refused without a sentence");
    }
    return session->world != NULL;
}

void session_end(Session* session) {
    session->call = "cn_world_destroy";
    cn_world_destroy(session->world);
    cn_task_pool_destroy(session->pool);
    if (session->memory.live != 0) {
        session_find(session, "%d blocks were not given back", session->memory.live);
    }
}

void session_find(Session* session, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("FINDING seed %llu, operation %d, %s: ", (unsigned long long)session->seed,
           session->operation, session->call);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
    session->findings += 1;
}

// ---- ids ----

static CnBodyId random_id(Session* session, int count, int* place) {
    Dice* dice = &session->dice;
    *place = -1;
    if (count > 0 && dice_chance(dice, 0.96)) {
        *place = dice_below(dice, count < SESSION_IDS ? count : SESSION_IDS);
    } else if (dice_chance(dice, 0.5)) {
        return (CnBodyId){(uint32_t)dice_below(dice, 100), (uint32_t)dice_below(dice, 5)};
    }
    return (CnBodyId){0};
}

// All ids have the same two fields.
#define DEFINE_PICK(name, list, Id)                                                                \
    Id name(Session* session) {                                                                    \
        int place;                                                                                 \
        CnBodyId other = random_id(session, session->list.count, &place);                          \
        return place >= 0 ? session->list.ids[place] : (Id){other.index, other.generation};        \
    }
DEFINE_PICK(session_material, materials, CnMaterialId)
DEFINE_PICK(session_series, series, CnSeriesId)
DEFINE_PICK(session_body, bodies, CnBodyId)
DEFINE_PICK(session_force, forces, CnForceId)
DEFINE_PICK(session_contact, contacts, CnContactId)
DEFINE_PICK(session_constraint, constraints, CnConstraintId)
DEFINE_PICK(session_joint, joints, CnJointId)
DEFINE_PICK(session_shape, shapes, CnShapeId)
DEFINE_PICK(session_geometry, geometries, CnGeometryId)

void session_path(const char* name, char* path, size_t size) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn_stress_%ld_%s",
             folder == NULL || folder[0] == '\0' ? "/tmp" : folder, (long)getpid(), name);
}
