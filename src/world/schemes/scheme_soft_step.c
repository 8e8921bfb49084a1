// scheme_soft_step.c - real time: soft contacts in single precision, swept in substeps.
//
//     contacts are found once; then in every substep
//     velocities: loads and last impulses -> push (overlap goes) -> poses move -> relax
//
// docs/theory/soft_step.md.
#include "base/error.h"
#include "base/tasks.h"
#include "world/contacts/contact_totals.h"
#include "world/events/events.h"
#include "world/schemes/schemes.h"
#include "world/soft/soft_pack.h"
#include "world/step/ledger.h"
#include "world/step/step_check.h"

// The problem is posed where the step begins.
#define END_VELOCITY_ONLY 1.0

// Stiffness beyond this share of the rate of substeps would not be resolved.
#define HERTZ_LIMIT 0.125

static CnStatus begin(CnStepRun* run, CnError* error) {
    return cn_stage_begin(run, END_VELOCITY_ONLY, false, error);
}

static CnStatus no_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory to pose soft contacts");
}

// Manifolds live where bodies were placed.
static void note_places(CnWorld* world) {
    CnIndexList list = cn_active_bodies_since(world, world->active.posed);
    for (int k = 0; k < list.count; ++k) {
        int i = cn_index_at(&list, k);
        world->posed.data[i] = world->places.data[i].pose;
    }
    world->posed.count = world->bodies.count;
    world->active.posed = world->active.version;
    world->tile_posing.is_valid = false;
}

static CnStatus build_rows(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStep* step = &world->step;
    world->assembled.is_valid = false;
    cn_rows_clear(&step->rows);
    step->tile_block_count = step->tile_row_count = 0;
    step->first_block.count = 0;
    step->block_residual.count = 0;
    if (world->active.constraints.count > 0) {
        return cn_error_set(error, CN_UNSUPPORTED, "scheme soft_step has no joints");
    }
    if (!cn_array_reserve(&world->posed, &world->allocator, world->bodies.count)) {
        return no_memory(error);
    }
    note_places(world);
    for (int i = 0; i < step->manifolds.count; ++i) {
        int manifold = step->manifolds.data[i];
        if (!world->pairs.manifolds.data[manifold].has_tile) {
            if (!cn_pair_store_save_manifold(&world->pairs, manifold)) {
                return no_memory(error);
            }
            cn_soft_pose_manifold(world, manifold);
        } else if (!cn_pair_store_save_impulses(&world->pairs, manifold)) {
            return no_memory(error);
        }
    }
    return CN_OK;
}

// ---- solve ----

typedef struct Solve {
    CnWorld* world;
    CnSoftTimes times;
    CnSoftRates rates;
    const CnSoftKernels* kernels;
} Solve;

static Solve begin_solve(CnWorld* world) {
    const CnStepDef* def = &world->def.step;
    double dt = world->step.dt, h = dt / def->soft.substeps;
    bool warm = def->warm_start != CN_WARM_START_OFF && world->kept_dt > 0.0;
    return (Solve){
        .world = world,
        .times =
            {
                .dt = dt,
                .substeps = def->soft.substeps,
                .warm = warm ? def->warm_start_factor * h / world->kept_dt : 0.0,
            },
        .rates = cn_soft_rates(h, fmin(def->soft.contact_hertz, HERTZ_LIMIT / h),
                               def->soft.contact_damping_ratio, def->soft.push_speed,
                               def->restitution_threshold),
        .kernels = cn_soft_kernels(),
    };
}

// Joints are swept before contacts, in the same four places.
static void solve_group(const Solve* solve, const CnSoftGroup* group) {
    const CnWorld* world = solve->world;
    const CnSoftKernels* kernels = solve->kernels;
    CnSoftBodies bodies = cn_soft_bodies(&world->soft, group);
    CnSoftTile* tiles = world->soft.tiles.data + group->first_tile;
    int count = group->tile_count;
    cn_soft_load_bodies(world, &solve->times, group);
    cn_soft_load_tiles(world, &solve->times, group);
    kernels->prepare(tiles, count, &bodies);
    kernels->note_approach(tiles, count, &bodies);
    for (int i = 0; i < solve->times.substeps; ++i) {
        if (i == 0) {
            kernels->begin(&bodies);
            kernels->warm_start(tiles, count, &bodies);
        } else {
            kernels->go_on(&bodies);
        }
        kernels->push(tiles, count, &bodies, &solve->rates);
        kernels->advance(&bodies, &solve->rates);
        kernels->relax(tiles, count, &bodies, &solve->rates);
    }
    kernels->bounce(tiles, count, &bodies, &solve->rates);
}

static void solve_range(int begin, int end, int worker, void* data) {
    const Solve* solve = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        solve_group(solve, &solve->world->soft.groups.data[i]);
    }
}

static CnStatus solve(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    if (cn_soft_schedule(world) != CN_OK) {
        return no_memory(error);
    }
    Solve solve = begin_solve(world);
    cn_tasks_for(&world->def.tasks, world->soft.groups.count, 1, solve_range, &solve);
    run->report->island_count = world->islands.count;
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        run->report->contact_count +=
            world->pairs.manifolds.data[world->step.manifolds.data[i]].count;
    }
    return CN_OK;
}

// ---- after it ----

// A kinematic body keeps its velocity.
static void move_given(CnBody* body, double dt) {
    CnBodyState* state = &body->state;
    CnQuat turn = cn_quat_exp(cn_vec3_scale(dt, state->angular_velocity));
    state->center = cn_vec3_add_scaled(state->center, dt, state->velocity);
    state->rotation = cn_quat_normalize(cn_quat_multiply(turn, state->rotation));
}

static void note_motion(const CnBody* body, CnMotion* motion, double dt) {
    CnVec3 mean = cn_vec3_scale(
        0.5 * dt, cn_vec3_add(motion->stored_angular_velocity, body->state.angular_velocity));
    motion->end_velocity = body->state.velocity;
    motion->end_spin = cn_quat_unrotate(body->state.rotation, body->state.angular_velocity);
    motion->final_spin = motion->end_spin;
    motion->end_center = body->state.center;
    motion->end_rotation = body->state.rotation;
    motion->turn_after = mean;
}

static CnStatus move(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnIndexList moving = cn_active_bodies(world);
    (void)error;
    for (int i = 0; i < world->soft.groups.count; ++i) {
        cn_soft_store_bodies(world, &world->soft.groups.data[i]);
    }
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        CnBody* body = &world->bodies.data[i];
        if (body->type != CN_BODY_DYNAMIC) {
            move_given(body, world->step.dt);
        }
        note_motion(body, &world->step.motions.data[i], world->step.dt);
    }
    return CN_OK;
}

static CnStatus check(CnStepRun* run, CnError* error) {
    return cn_step_check_states(run->world, run->report, error);
}

static CnStatus store(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    const CnPairSet* set = &world->broad_phase.set;
    CnIndexList pairs = cn_active_pairs(world);
    CnSoftTimes times = begin_solve(world).times;
    for (int i = 0; i < pairs.count; ++i) {
        world->pairs.records.data[set->records.data[cn_index_at(&pairs, i)]].end_gap = HUGE_VAL;
    }
    for (int i = 0; i < world->soft.groups.count; ++i) {
        cn_soft_store_tiles(world, &times, &world->soft.groups.data[i]);
    }
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        const CnManifold* manifold = &world->pairs.manifolds.data[world->step.manifolds.data[i]];
        double gap = world->pairs.records.data[manifold->pair].end_gap;
        run->report->penetration = fmax(run->report->penetration, -gap);
    }
    world->kept_dt = world->step.dt;
    return cn_stage_close_books(run, error);
}

const CnSchemeTable cn_scheme_soft_step = {
    .step =
        {
            .stage =
                {
                    [CN_STAGE_BEGIN] = begin,
                    [CN_STAGE_PAIRS] = cn_stage_find_pairs,
                    [CN_STAGE_CONTACTS] = cn_stage_find_contacts,
                    [CN_STAGE_ROWS] = build_rows,
                    [CN_STAGE_ISLANDS] = cn_stage_update_islands,
                    [CN_STAGE_SOLVE] = solve,
                    [CN_STAGE_MOVE] = move,
                    [CN_STAGE_CORRECT] = check,
                    [CN_STAGE_GRADE] = store,
                    [CN_STAGE_FINISH] = cn_stage_finish,
                },
        },
    .has_contacts = true,
};
