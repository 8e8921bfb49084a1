// implicit_pose.c - what is wrong with a guess of the end of a step, posed as a problem.
#include "base/error.h"
#include "constraints/joints/user_rows.h"
#include "constraints/problem/block.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/schemes/implicit.h"
#include "world/step/rows.h"
#include "world/step/stages.h"
#include "world/step/step_check.h"
#include "world/turning/spin.h"

#include <string.h>

// From the first of these looks on a contact that the last one had stays, found again or not, and
// from the second on no others are looked for: points that jump between features of a shape would
// never let looks agree. What that leaves shows as penetration.
#define CONTACTS_STAY 8
#define CONTACTS_SETTLE 16

static double end_time(const CnWorld* world) {
    return world->step.time + world->step.dt;
}

CnBodyState cn_newton_moved(const CnBodyState* start, const double velocity[6], double h) {
    CnBodyState moved = *start;
    moved.velocity = cn_linear(velocity);
    moved.angular_velocity = cn_angular(velocity);
    moved = cn_body_state_after(&moved, h);
    moved.rotation = cn_quat_normalize(moved.rotation);
    return moved;
}

static void place(CnNewton* newton) {
    const CnStep* step = &newton->world->step;
    CnBodyState* previous = newton->previous;
    newton->previous = newton->states;
    newton->states = previous;
    for (int i = 0; i < newton->world->order.count; ++i) {
        CnMotion* motion = &step->motions.data[i];
        CnBodyState moved = cn_newton_moved(&newton->start[i], newton->guess[i], step->dt);
        newton->states[i] = moved;
        motion->center = moved.center;
        motion->rotation = moved.rotation;
        step->extras.data[i].turn_ahead = cn_vec3_scale(step->dt, moved.angular_velocity);
    }
}

// Velocities before the step and after loads alone; how much further these lead than the guess is
// what contacts have to be looked for within.
static void load_body(CnNewton* newton, int index) {
    const CnWorld* world = newton->world;
    const CnBody* body = cn_world_body_by_index(world, index);
    const CnBodyState* guess = &newton->states[index];
    CnBodyState *before = &newton->before[index], *loaded = &newton->loaded[index];
    CnBodyState* reaching = &newton->reaching[index];

    *before = *reaching = *guess;
    before->velocity = newton->start[index].velocity;
    before->angular_velocity = newton->start[index].angular_velocity;
    *loaded = *before;
    if (body->type == CN_BODY_DYNAMIC) {
        const CnLoad* load = &newton->loads[index];
        double h = world->step.dt;
        CnVec3 torque = cn_quat_unrotate(guess->rotation, load->torque);
        CnVec3 turned =
            cn_quat_rotate(guess->rotation, cn_mat3_apply(&body->mass->inverse_inertia, torque));
        CnVec3 pushed =
            cn_vec3_add_scaled(cn_body_gravity(world, body), body->mass->inverse_mass, load->force);
        loaded->velocity = cn_vec3_add_scaled(loaded->velocity, h, pushed);
        loaded->angular_velocity = cn_vec3_add_scaled(loaded->angular_velocity, h, turned);
    }
    reaching->velocity = cn_vec3_sub(loaded->velocity, guess->velocity);
    reaching->angular_velocity = cn_vec3_sub(loaded->angular_velocity, guess->angular_velocity);
}

static CnStatus load(CnNewton* newton, CnError* error) {
    CnWorld* world = newton->world;
    cn_world_loads(world, newton->states, end_time(world), newton->loads);
    for (int i = 0; i < world->order.count; ++i) {
        load_body(newton, i);
        CnVec3 v = newton->loaded[i].velocity, w = newton->loaded[i].angular_velocity;
        double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(world->step.free_velocity[i], velocity, sizeof velocity); // for the check
    }
    return cn_step_check_motion(world, newton->states, error);
}

static void note_overlaps(CnWorld* world) {
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        int index = world->step.manifolds.data[i];
        const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
        for (int k = 0; k < manifold->count; ++k) {
            cn_touch_extras(&world->pairs, index, k)->start_gap =
                fmin(0.0, manifold->points[k].gap);
        }
    }
}

static void push_side(const CnNewton* newton, int body, const double jacobian[6], double p) {
    for (int k = 0; body >= 0 && k < 6; ++k) {
        newton->pushed[body][k] += p * jacobian[k];
    }
}

// J^T p of the impulses that the rows have now.
static void sum_impulses(const CnNewton* newton) {
    const CnWorld* world = newton->world;
    const CnRows* rows = &world->step.rows;
    CnTileBodies bodies = cn_step_tile_bodies(&world->step);
    bodies.momentum = newton->pushed;
    memset(newton->pushed, 0, (size_t)world->bodies.count * sizeof *newton->pushed);
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        CnContactTile* tile = &cn_manifold_at(&world->pairs, world->step.manifolds.data[i])->tile;
        if (tile->acting != 0) {
            cn_tiles_push(&(CnTileSet){1, &tile, NULL}, &bodies);
        }
    }
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            for (int side = 0; side < cn_block_sides(block); ++side) {
                push_side(newton, cn_block_body(block, side), cn_rows_jacobian(rows, row, side),
                          rows->impulse[row]);
            }
        }
    }
}

// Angular momentum at a rotation and an angular velocity in world axes.
static CnVec3 spin_momentum(const CnBody* body, CnQuat rotation, CnVec3 turning) {
    CnVec3 spin = cn_quat_unrotate(rotation, turning);
    return cn_quat_rotate(rotation, cn_mat3_apply(&body->mass->inertia, spin));
}

CnVec3 cn_newton_momentum(const CnNewton* newton, int index, CnVec3 moment) {
    const CnBody* body = cn_world_body_by_index(newton->world, index);
    const CnMotion* motion = &newton->world->step.motions.data[index];
    CnVec3 own = cn_quat_rotate(motion->start.rotation,
                                cn_mat3_apply(&body->mass->inertia, cn_motion_start_spin(motion)));
    CnVec3 loads = cn_vec3_scale(newton->world->step.dt, newton->loads[index].torque);
    return cn_vec3_add(own, cn_vec3_add(loads, moment));
}

// What a change of velocity costs at the end of the step, docs/theory/implicit.md (11): mass and
// inertia, and what resists turning or moving on. Impulses in which the inertia is lost to
// round-off, of looks that do not converge, are left out: with them the sum has no inverse, and the
// body would not turn at all.
CnMat3 cn_newton_inertia(const CnNewton* newton, int index) {
    const CnBody* body = cn_world_body_by_index(newton->world, index);
    double h = newton->world->step.dt;
    CnMat3 rotation = cn_mat3_from_quat(newton->states[index].rotation);
    CnMat3 inertia = cn_mat3_rotate_tensor(&rotation, &body->mass->inertia);
    CnMat3 stiff = inertia, inverse;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double resisted = i == k ? newton->resistance[index].angular : 0.0;
            inertia.m[i][k] += h * resisted;
            stiff.m[i][k] += h * (newton->stiffness[index].m[i][k] + resisted);
        }
    }
    return cn_mat3_invert(&stiff, &inverse) ? stiff : inertia;
}

// docs/theory/implicit.md (8): to the spin with the angular momentum that is missing at the guess,
// as far as what resists lets it, and from there back along the straight line on which the solver
// will change the impulses.
static CnVec3 free_turning(const CnNewton* newton, int index, const CnMat3* inverse) {
    const CnWorld* world = newton->world;
    const CnBody* body = cn_world_body_by_index(world, index);
    CnQuat start = world->step.motions.data[index].start.rotation;
    CnQuat end = newton->states[index].rotation;
    CnVec3 guess = cn_angular(newton->guess[index]), moment = cn_angular(newton->pushed[index]);
    CnVec3 reached = spin_momentum(body, end, guess);
    CnVec3 missing = cn_vec3_sub(cn_newton_momentum(newton, index, moment), reached);
    CnVec3 gained = spin_momentum(body, end, cn_mat3_apply(inverse, missing));
    CnVec3 from = newton->look > 0 ? guess : newton->start[index].angular_velocity;
    CnVec3 spin =
        cn_spin_of_momentum(&body->mass->inertia, cn_quat_unrotate(start, from),
                            cn_quat_unrotate(start, cn_vec3_add(reached, gained)), world->step.dt);
    return cn_vec3_sub(cn_quat_rotate(start, spin), cn_mat3_apply(inverse, moment));
}

// docs/theory/implicit.md (8) for a body that moves without turning.
static CnVec3 free_moving(const CnNewton* newton, int index, double inverse_mass) {
    const CnBody* body = cn_world_body_by_index(newton->world, index);
    CnVec3 guess = cn_linear(newton->guess[index]);
    CnVec3 gained =
        cn_vec3_scale(body->mass->mass, cn_vec3_sub(newton->loaded[index].velocity, guess));
    return cn_vec3_add_scaled(guess, inverse_mass, gained);
}

// Of a symmetric matrix, and symmetric to the bit: a problem that is saved is one that can be read.
static CnMat3 invert_symmetric(const CnMat3* matrix) {
    CnMat3 inverse;
    if (!cn_mat3_invert(matrix, &inverse)) { // a body of no size does not turn
        return (CnMat3){0};
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < i; ++k) {
            double mean = 0.5 * (inverse.m[i][k] + inverse.m[k][i]);
            inverse.m[i][k] = inverse.m[k][i] = mean;
        }
    }
    return inverse;
}

static void set_body(CnNewton* newton, int index) {
    CnStep* step = &newton->world->step;
    const CnBody* body = cn_world_body_by_index(newton->world, index);
    CnVec3 v = newton->loaded[index].velocity, w = newton->loaded[index].angular_velocity;
    CnMat3 inverse = {0};
    double inverse_mass = 0.0;
    if (body->type == CN_BODY_DYNAMIC) {
        CnMat3 inertia = cn_newton_inertia(newton, index);
        inverse = invert_symmetric(&inertia);
        inverse_mass = 1.0 / (body->mass->mass + step->dt * newton->resistance[index].linear);
        v = free_moving(newton, index, inverse_mass);
        w = free_turning(newton, index, &inverse);
    }
    double free_velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    step->inverse_mass[index] = inverse_mass;
    memcpy(step->inverse_inertia[index], inverse.m, sizeof step->inverse_inertia[index]);
    memcpy(step->free_velocity[index], free_velocity, sizeof free_velocity);
}

static void set_bodies(CnNewton* newton) {
    CnWorld* world = newton->world;
    sum_impulses(newton);
    cn_world_turning_stiffness(world, newton->states, end_time(world), newton->stiffness);
    cn_world_resistance(world, newton->states, end_time(world), newton->loads, newton->reaching,
                        newton->other_loads, newton->resistance);
    for (int i = 0; i < world->order.count; ++i) {
        set_body(newton, i);
    }
}

// Who moves, and where: rows are built with these, masses follow.
static void place_bodies(CnNewton* newton) {
    CnStep* step = &newton->world->step;
    for (int i = 0; i < newton->world->bodies.count; ++i) {
        CnVec3 center = newton->states[i].center;
        step->is_dynamic[i] = newton->world->bodies.data[i].type == CN_BODY_DYNAMIC;
        step->center[i][0] = center.x;
        step->center[i][1] = center.y;
        step->center[i][2] = center.z;
        step->inverse_mass[i] = newton->world->bodies.data[i].mass->inverse_mass;
    }
}

static CnStatus no_memory_to_pose(const CnStepRun* run, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory to pose a step with %d bodies",
                        run->world->order.count);
}

CnStatus cn_newton_find_pairs(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    place(newton);
    CnStatus status = load(newton, error);
    if (status != CN_OK || newton->look >= CONTACTS_SETTLE) {
        return status;
    }
    status = cn_places_update(run->world, newton->reaching, run->world->step.dt);
    if (status == CN_OK && newton->look >= CONTACTS_STAY) {
        cn_world_keep_pairs_with_points(run->world);
    }
    status = status == CN_OK ? cn_world_assign_records(run->world) : status;
    return status == CN_OK ? CN_OK : no_memory_to_pose(run, error);
}

CnStatus cn_newton_find_contacts(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    bool keeps_lost = newton->look >= CONTACTS_STAY;
    run->look = (CnLook){
        .states = newton->reaching,
        .dt = run->world->step.dt,
        .before = keeps_lost ? newton->previous : NULL,
        .now = keeps_lost ? newton->states : NULL,
    };
    if (newton->look >= CONTACTS_SETTLE) {
        cn_manifolds_follow(run->world, &run->look);
        return CN_OK;
    }
    if (cn_manifolds_update(run->world, &run->look) != CN_OK) {
        return no_memory_to_pose(run, error);
    }
    if (newton->look == 0) {
        note_overlaps(run->world);
    }
    return CN_OK;
}

CnStatus cn_newton_build_rows(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    place_bodies(newton);
    run->posing = (CnPosing){
        .states = newton->states,
        .dt = run->world->step.dt,
        .theta = 1.0,
        .time = end_time(run->world),
        .position_level = true,
        .start = newton->start,
        .before = newton->before,
        .loaded = newton->loaded,
        .resumes = newton->look > 0,
    };
    CnStatus status = cn_stage_build_rows(run, error);
    if (status != CN_OK) {
        return status;
    }
    set_bodies(newton);
    cn_world_prepare_tiles(run->world);
    return CN_OK;
}
