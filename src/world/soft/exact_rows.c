// exact_rows.c - scheme soft_step: the problem of an island that is solved exactly.
#include "world/soft/exact_rows.h"

#include "constraints/joints/user_rows.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_bodies.h"
#include "world/soft/soft_joints.h"
#include "world/step/rows.h"
#include "world/step/unilateral_target.h"

#include <math.h>
#include <string.h>

// ---- memory ----

static bool allocate(CnArena* arena, int bodies, int points, int joints, CnExactRows* rows) {
    int count = CN_MAX_ROWS * (points + joints);
    *rows = (CnExactRows){
        .points = CN_ARENA_NEW(arena, CnExactPoint, points),
        .joints = CN_ARENA_NEW(arena, CnExactJoint, joints),
        .guess = CN_ARENA_NEW(arena, double, count),
        .start = CN_ARENA_NEW(arena, CnBodyState, bodies),
        .state = CN_ARENA_NEW(arena, CnBodyState, bodies),
        .blocks = CN_ARENA_NEW(arena, CnBlock, count),
        .inverse_mass = CN_ARENA_NEW(arena, double, bodies),
        .inverse_inertia = cn_arena_allocate(arena, (size_t)bodies, sizeof(double[9])),
        .free_velocity = cn_arena_allocate(arena, (size_t)bodies, sizeof(double[6])),
        .jacobian_a = cn_arena_allocate(arena, (size_t)count, sizeof(double[6])),
        .jacobian_b = cn_arena_allocate(arena, (size_t)count, sizeof(double[6])),
        .target = CN_ARENA_NEW(arena, double, count),
        .compliance = CN_ARENA_NEW(arena, double, count),
        .lower = CN_ARENA_NEW(arena, double, count),
        .upper = CN_ARENA_NEW(arena, double, count),
        .offset = CN_ARENA_NEW(arena, double, count),
        .slope = CN_ARENA_NEW(arena, double, count),
    };
    rows->problem = (CnProblem){
        .body_count = bodies,
        .inverse_mass = rows->inverse_mass,
        .inverse_inertia = (const double(*)[9])rows->inverse_inertia,
        .free_velocity = (const double(*)[6])rows->free_velocity,
        .blocks = rows->blocks,
        .jacobian_a = (const double(*)[6])rows->jacobian_a,
        .jacobian_b = (const double(*)[6])rows->jacobian_b,
        .target = rows->target,
        .compliance = rows->compliance,
        .lower = rows->lower,
        .upper = rows->upper,
        .offset = rows->offset,
        .slope = rows->slope,
    };
    const void* const all[] = {rows->points,        rows->joints,     rows->guess,
                               rows->start,         rows->state,      rows->blocks,
                               rows->inverse_mass,  rows->jacobian_a, rows->inverse_inertia,
                               rows->free_velocity, rows->jacobian_b, rows->target,
                               rows->compliance,    rows->lower,      rows->upper,
                               rows->offset,        rows->slope};
    bool has_memory = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        has_memory = has_memory && all[i] != NULL;
    }
    return has_memory;
}

// A block for rows that follow; NULL jacobians are zero.
static void add_block(CnExactRows* rows, CnLaw law, int a, int b, double friction) {
    rows->blocks[rows->problem.block_count++] = (CnBlock){
        .law = law,
        .first_row = rows->problem.row_count,
        .body_a = a,
        .body_b = b,
        .friction = friction,
    };
}

// The next row of the last block.
static int add_row(CnExactRows* rows) {
    int row = rows->problem.row_count++;
    ++rows->blocks[rows->problem.block_count - 1].row_count;
    rows->lower[row] = -HUGE_VAL;
    rows->upper[row] = HUGE_VAL;
    return row;
}

static void write6(CnVec3 linear, CnVec3 angular, double out[6]) {
    const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(out, values, sizeof values);
}

// ---- bodies ----

static void add_body(const CnWorld* world, int index, int i, CnExactRows* rows) {
    const CnBody* body = &world->bodies.data[index];
    const CnLoad* loads = world->soft->run.loads;
    rows->start[i] = rows->state[i] = body->state;
    rows->place[index] = i;
    if (body->type == CN_BODY_STATIC) {
        return;
    }
    CnVec3 gain = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
    if (body->type == CN_BODY_DYNAMIC) {
        CnMat3 rotation = cn_mat3_from_quat(body->state.rotation);
        CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
        CnDampingShares shares = cn_motion_damping_shares(world, body);
        rows->inverse_mass[i] = shares.linear * body->mass->inverse_mass;
        for (int k = 0; k < 9; ++k) {
            rows->inverse_inertia[i][k] = shares.angular * inverse.m[k / 3][k % 3];
        }
        cn_soft_find_gain(world, body, world->step.dt, loads == NULL ? NULL : &loads[index], &gain,
                          &turn);
    }
    write6(cn_vec3_add(body->state.velocity, gain), cn_vec3_add(body->state.angular_velocity, turn),
           rows->free_velocity[i]);
}

static int local(const CnExactRows* rows, int body) {
    return body < 0 ? -1 : rows->place[body];
}

static double velocity_along(const double jacobian[6], const CnBodyState* state) {
    return jacobian[0] * state->velocity.x + jacobian[1] * state->velocity.y +
           jacobian[2] * state->velocity.z + jacobian[3] * state->angular_velocity.x +
           jacobian[4] * state->angular_velocity.y + jacobian[5] * state->angular_velocity.z;
}

// The rate of a row before the step.
static double rate_before(const CnExactRows* rows, const CnBlock* block, int row) {
    double rate = 0.0;
    if (block->body_a >= 0) {
        rate += velocity_along(rows->jacobian_a[row], &rows->start[block->body_a]);
    }
    if (block->body_b >= 0) {
        rate += velocity_along(rows->jacobian_b[row], &rows->start[block->body_b]);
    }
    return rate;
}

// (E2): what opens stays free to close, what closes fast returns a share of its speed.
static double target_of(const CnWorld* world, double gap, double approach, double restitution) {
    CnStepDef step = world->def.step;
    step.stabilisation = CN_STABILISATION_PROJECTION;
    CnPosing posing = {.dt = world->step.dt, .theta = 1.0};
    CnUnilateralRow row = {.gap = gap, .approach = approach, .restitution = restitution};
    return cn_unilateral_target(&step, &posing, &row).rate;
}

// ---- contacts ----

static void set_direction(CnExactRows* rows, int row, const CnBlock* block, CnVec3 point,
                          CnVec3 direction, bool is_spin) {
    const int bodies[2] = {block->body_a, block->body_b};
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] >= 0) {
            CnVec3 arm = cn_vec3_sub(point, rows->start[bodies[side]].center);
            CnVec3 own = cn_vec3_scale(side == 0 ? -1.0 : 1.0, direction);
            CnVec3 zero = {0.0, 0.0, 0.0};
            double* to = side == 0 ? rows->jacobian_a[row] : rows->jacobian_b[row];
            write6(is_spin ? zero : own, is_spin ? own : cn_vec3_cross(arm, own), to);
        }
    }
}

static void add_friction(CnExactRows* rows, const CnExactPoint* point, const CnFrictionRows* rub,
                         CnVec3 kept) {
    const CnBlock* block = &rows->blocks[rows->problem.block_count - 1];
    CnVec3 belt = cn_contact_surface_velocity(&point->contact);
    for (int i = 0; i < rub->count; ++i) {
        const CnFrictionRow* friction = &rub->row[i];
        int row = add_row(rows);
        set_direction(rows, row, block, point->contact.point,
                      cn_vec3_scale(friction->scale, friction->direction), friction->is_spin);
        if (!friction->is_spin) {
            rows->target[row] = -friction->scale * cn_vec3_dot(belt, friction->direction);
            rows->guess[row] = friction->scale > 0.0
                                   ? cn_vec3_dot(kept, friction->direction) / friction->scale
                                   : 0.0;
        }
    }
}

static void add_point(CnWorld* world, int manifold, int index, int place, double ratio,
                      CnExactRows* rows) {
    CnManifold* own = cn_manifold_at(&world->pairs, manifold);
    const CnTouchPoint* touch = &own->points[index];
    CnVec3 last = world->pairs.kept.data[manifold].points[index];
    CnExactPoint* point = &rows->points[rows->point_count++];
    *point = (CnExactPoint){.manifold = manifold,
                            .point = index,
                            .place = place,
                            .row = rows->problem.row_count,
                            .contact = cn_soft_contact(world, manifold)};
    CnContact* contact = &point->contact;
    CnSoftFrame frame = cn_soft_frame(contact);
    cn_contact_set_point(contact, own, index, cn_touch_extras(&world->pairs, manifold, index));
    CnFrictionRows rub = cn_contact_friction_rows(contact);
    bool holds = touch->pressed && touch->stuck;
    bool rubs = rub.count > 0 && rub.friction > 0.0;
    point->gap = point->start_gap = cn_soft_gap_now(world, contact);
    add_block(rows, rubs ? CN_LAW_COULOMB : CN_LAW_BOUNDS, local(rows, contact->body_a),
              local(rows, contact->body_b),
              rubs ? rub.friction * (holds ? contact->hold : 1.0) : 0.0);
    const CnBlock* block = &rows->blocks[rows->problem.block_count - 1];
    int normal = add_row(rows);
    set_direction(rows, normal, block, contact->point, contact->normal, false);
    double approach = rate_before(rows, block, normal);
    own->approach[index] = (float)approach;
    rows->lower[normal] = 0.0;
    rows->target[normal] = target_of(world, point->gap, approach, contact->restitution);
    rows->guess[normal] = ratio * last.x;
    if (rubs) {
        CnVec3 kept = cn_vec3_add(cn_vec3_scale(ratio * last.y, frame.tangent[0]),
                                  cn_vec3_scale(ratio * last.z, frame.tangent[1]));
        add_friction(rows, point, &rub, kept);
    }
}

// ---- constraints ----

static CnBodyState state_of(const CnExactRows* rows, int body) {
    return body < 0 ? cn_immovable : rows->state[body];
}

static CnUserConstraint* constraint_of(const CnWorld* world, int block) {
    return cn_pool_at(&world->constraints, world->step.rows.sources.data[block].constraint);
}

static bool moves(const CnExactRows* rows, int body, const double jacobian[6]) {
    bool is_zero = true;
    for (int k = 0; k < 6; ++k) {
        is_zero = is_zero && jacobian[k] == 0.0;
    }
    return body >= 0 && rows->inverse_mass[body] > 0.0 && !is_zero;
}

// The law of one row that does not simply keep C = 0. (E2)
static void set_limits(const CnWorld* world, const CnRowLimits* limits, double value, int row,
                       CnExactRows* rows) {
    double dt = world->step.dt;
    const CnBlock* block = &rows->blocks[rows->problem.block_count - 1];
    double approach = rate_before(rows, block, row) - rows->target[row];
    if (limits->role == CN_ROW_PUSHES) {
        rows->lower[row] = 0.0;
        rows->target[row] += target_of(world, value, approach, limits->restitution);
    } else if (limits->role == CN_ROW_PULLS) {
        rows->upper[row] = 0.0;
        rows->target[row] -= target_of(world, -value, -approach, limits->restitution);
    } else {
        rows->lower[row] = dt * limits->lower;
        rows->upper[row] = dt * limits->upper;
    }
    if (limits->role == CN_ROW_YIELDS) { // p = o - s u within its bounds
        double slope = dt * limits->damping + dt * dt * limits->stiffness;
        double offset = -dt * limits->stiffness * value;
        rows->compliance[row] = slope > 0.0 ? 1.0 / slope : 0.0;
        rows->target[row] += slope > 0.0 ? offset / slope : 0.0;
        if (!(slope > 0.0)) {
            rows->lower[row] = rows->upper[row] = 0.0;
        }
    }
}

static void set_force(const CnWorld* world, double force, double by_value, double by_rate,
                      double rate, int row, CnExactRows* rows) {
    double dt = world->step.dt, slope = -dt * (dt * by_value + by_rate);
    bool grows = slope < 0.0; // taken as it is now
    rows->slope[row] = grows ? 0.0 : slope;
    rows->offset[row] = dt * (force - (grows ? 0.0 : by_rate * rate));
}

static void add_joint(const CnWorld* world, int index, double ratio, CnExactRows* rows) {
    const CnBlock* source = &world->step.rows.blocks.data[index];
    CnUserConstraint* constraint = constraint_of(world, index);
    const CnConstraintKind* kind = constraint->kind;
    int a = local(rows, source->body_a), b = local(rows, source->body_b);
    CnExactJoint* joint = &rows->joints[rows->joint_count++];
    *joint = (CnExactJoint){.block = index};
    CnBodyState states[2] = {state_of(rows, a), state_of(rows, b)};
    CnBoundConstraint bound = {.constraint = constraint, .a = &states[0]};
    bound.b = kind->body_count < 2 ? NULL : &states[1];
    double time = world->step.time, dt = world->step.dt;
    double ja[CN_MAX_ROWS][6] = {{0.0}}, jb[CN_MAX_ROWS][6] = {{0.0}}, time_rate[CN_MAX_ROWS];
    double force[CN_MAX_ROWS], by_value[CN_MAX_ROWS], by_rate[CN_MAX_ROWS], rate[CN_MAX_ROWS];
    CnRowLimits limits[CN_MAX_ROWS];
    kind->evaluate(bound.a, bound.b, time, constraint->data, joint->value);
    cn_constraint_velocity_jacobian(kind, bound.a, bound.b, time, constraint->data, ja, jb);
    cn_constraint_time_rate(kind, bound.a, bound.b, time + (kind->rate_only ? dt : 0.0),
                            constraint->data, time_rate);
    cn_world_row_limits(&bound, time, limits);
    if (kind->force != NULL) {
        cn_constraint_rate(kind, bound.a, bound.b, time, constraint->data, rate);
        kind->force(joint->value, rate, time, constraint->data, force, by_value, by_rate);
    }
    bool is_open = false; // the last block keeps rows of this joint
    for (int i = 0; i < kind->dimension; ++i) {
        joint->rows[i] = -1;
        if (!moves(rows, a, ja[i]) && !moves(rows, b, jb[i])) {
            continue;
        }
        bool keeps = kind->force == NULL && limits[i].role == CN_ROW_KEEPS;
        if (!keeps || !is_open) {
            add_block(rows,
                      kind->force != NULL ? CN_LAW_FORCE
                      : keeps             ? CN_LAW_EQUALITY
                                          : CN_LAW_BOUNDS,
                      a, b, 0.0);
        }
        is_open = keeps;
        int row = joint->rows[i] = add_row(rows);
        memcpy(rows->jacobian_a[row], a >= 0 ? ja[i] : (double[6]){0.0}, sizeof ja[i]);
        memcpy(rows->jacobian_b[row], b >= 0 ? jb[i] : (double[6]){0.0}, sizeof jb[i]);
        rows->target[row] = -time_rate[i];
        rows->guess[row] = ratio * constraint->kept[i];
        joint->roles[i] = kind->force != NULL ? CN_ROW_YIELDS : limits[i].role;
        if (kind->force != NULL) {
            set_force(world, force[i], by_value[i], by_rate[i], rate[i], row, rows);
        } else if (!keeps) {
            set_limits(world, &limits[i], joint->value[i], row, rows);
        }
    }
}

// ---- the problem ----

static int count_points(const CnWorld* world, int island) {
    const CnIslandStore* islands = &world->islands;
    int count = 0;
    for (int k = islands->manifold_start.data[island]; k < islands->manifold_start.data[island + 1];
         ++k) {
        int manifold = world->step.manifolds.data[islands->manifold.data[k]];
        count += cn_manifold_at(&world->pairs, manifold)->count;
    }
    return count;
}

CnStatus cn_exact_pose(CnWorld* world, const CnSoftGroup* group, CnArena* arena,
                       CnExactRows* rows) {
    const CnIslandStore* islands = &world->islands;
    int island = group->island;
    int first_body = island < 0 ? 0 : islands->body_start.data[island];
    int bodies = island < 0 ? 1 : islands->body_start.data[island + 1] - first_body;
    int points = island < 0 ? 0 : count_points(world, island);
    int joints =
        island < 0 ? 0 : islands->block_start.data[island + 1] - islands->block_start.data[island];
    int* place = CN_ARENA_RAW(arena, int, world->bodies.count);
    if (place == NULL || !allocate(arena, bodies, points, joints, rows)) {
        return CN_NO_MEMORY;
    }
    rows->place = place;
    rows->body = island < 0 ? &group->body : islands->body.data + first_body;
    for (int i = 0; i < bodies; ++i) {
        add_body(world, rows->body[i], i, rows);
    }
    if (island < 0) {
        return CN_OK;
    }
    bool is_warm = world->def.step.warm_start != CN_WARM_START_OFF && world->kept_dt > 0.0;
    double ratio =
        is_warm ? world->def.step.warm_start_factor * world->step.dt / world->kept_dt : 0.0;
    int first = islands->manifold_start.data[island];
    rows->manifold_count = islands->manifold_start.data[island + 1] - first;
    for (int k = 0; k < rows->manifold_count; ++k) {
        int manifold = world->step.manifolds.data[islands->manifold.data[first + k]];
        for (int i = 0; i < cn_manifold_at(&world->pairs, manifold)->count; ++i) {
            add_point(world, manifold, i, k, ratio, rows);
        }
    }
    for (int k = islands->block_start.data[island]; k < islands->block_start.data[island + 1];
         ++k) {
        add_joint(world, islands->block.data[k], ratio, rows);
    }
    return CN_OK;
}

// ---- positions ----

// How far a point of a body has come since the start of the step.
static CnVec3 motion_of(const CnExactRows* rows, int body, CnVec3 point) {
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const CnBodyState *start = &rows->start[body], *now = &rows->state[body];
    CnVec3 own = cn_quat_unrotate(start->rotation, cn_vec3_sub(point, start->center));
    return cn_vec3_sub(cn_vec3_add(now->center, cn_quat_rotate(now->rotation, own)), point);
}

static double error_of(CnRowRole role, double value) {
    return role == CN_ROW_KEEPS    ? fabs(value)
           : role == CN_ROW_PUSHES ? fmax(0.0, -value)
           : role == CN_ROW_PULLS  ? fmax(0.0, value)
                                   : 0.0;
}

double cn_exact_measure(const CnWorld* world, CnExactRows* rows) {
    double worst = 0.0;
    for (int i = 0; i < rows->point_count; ++i) {
        CnExactPoint* point = &rows->points[i];
        const CnContact* contact = &point->contact;
        CnVec3 moved = cn_vec3_sub(motion_of(rows, local(rows, contact->body_b), contact->point),
                                   motion_of(rows, local(rows, contact->body_a), contact->point));
        point->gap = point->start_gap + cn_vec3_dot(contact->normal, moved);
        worst = fmax(worst, -point->gap);
    }
    for (int i = 0; i < rows->joint_count; ++i) {
        CnExactJoint* joint = &rows->joints[i];
        const CnBlock* block = &world->step.rows.blocks.data[joint->block];
        const CnUserConstraint* constraint = constraint_of(world, joint->block);
        CnBodyState states[2] = {state_of(rows, local(rows, block->body_a)),
                                 state_of(rows, local(rows, block->body_b))};
        constraint->kind->evaluate(&states[0], constraint->kind->body_count < 2 ? NULL : &states[1],
                                   world->step.time + world->step.dt, constraint->data,
                                   joint->value);
        for (int k = 0; k < constraint->kind->dimension; ++k) {
            worst = joint->rows[k] < 0 ? worst
                                       : fmax(worst, error_of(joint->roles[k], joint->value[k]));
        }
    }
    return worst;
}

// A row of the velocity problem as one of the displacement problem, which has fewer: rows move
// down in their arrays.
static void keep_row(CnExactRows* rows, int from, double target, double lower, double upper) {
    int row = add_row(rows);
    memmove(rows->jacobian_a[row], rows->jacobian_a[from], sizeof *rows->jacobian_a);
    memmove(rows->jacobian_b[row], rows->jacobian_b[from], sizeof *rows->jacobian_b);
    rows->target[row] = target;
    rows->compliance[row] = rows->offset[row] = rows->slope[row] = 0.0;
    rows->lower[row] = lower;
    rows->upper[row] = upper;
}

void cn_exact_pose_positions(const CnWorld* world, CnExactRows* rows) {
    memset(rows->free_velocity, 0, (size_t)rows->problem.body_count * sizeof(double[6]));
    rows->problem.row_count = rows->problem.block_count = 0;
    for (int i = 0; i < rows->point_count; ++i) {
        const CnExactPoint* point = &rows->points[i];
        add_block(rows, CN_LAW_BOUNDS, local(rows, point->contact.body_a),
                  local(rows, point->contact.body_b), 0.0);
        keep_row(rows, point->row, -point->gap, 0.0, HUGE_VAL);
    }
    for (int i = 0; i < rows->joint_count; ++i) {
        const CnExactJoint* joint = &rows->joints[i];
        const CnBlock* source = &world->step.rows.blocks.data[joint->block];
        for (int k = 0; k < source->row_count; ++k) {
            bool keeps = joint->roles[k] == CN_ROW_KEEPS;
            if (joint->rows[k] < 0 ||
                (!keeps && joint->roles[k] != CN_ROW_PUSHES && joint->roles[k] != CN_ROW_PULLS)) {
                continue;
            }
            add_block(rows, keeps ? CN_LAW_EQUALITY : CN_LAW_BOUNDS, local(rows, source->body_a),
                      local(rows, source->body_b), 0.0);
            keep_row(rows, joint->rows[k], -joint->value[k],
                     joint->roles[k] == CN_ROW_PUSHES ? 0.0 : -HUGE_VAL,
                     joint->roles[k] == CN_ROW_PULLS ? 0.0 : HUGE_VAL);
        }
    }
}

// ---- results ----

void cn_exact_store_states(CnWorld* world, const CnExactRows* rows) {
    for (int i = 0; i < rows->problem.body_count; ++i) {
        if (rows->inverse_mass[i] > 0.0) {
            world->bodies.data[rows->body[i]].state = rows->state[i];
        }
    }
}

// In the form that soft contacts keep: soft_pack.h.
static void store_point(CnWorld* world, const CnExactPoint* point, const double* impulse) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, point->manifold);
    CnTouchPoint* touch = &manifold->points[point->point];
    CnSoftFrame frame = cn_soft_frame(&point->contact);
    CnFrictionRows rub = cn_contact_friction_rows(&point->contact);
    const double* p = impulse + point->row;
    double share = 1.0 / world->def.step.soft.substeps;
    CnVec3 along = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
    for (int i = 0; rub.friction > 0.0 && i < rub.count; ++i) {
        CnVec3* sum = rub.row[i].is_spin ? &moment : &along;
        *sum = cn_vec3_add_scaled(*sum, p[1 + i] * rub.row[i].scale, rub.row[i].direction);
    }
    double rubbed[2] = {cn_vec3_dot(along, frame.tangent[0]), cn_vec3_dot(along, frame.tangent[1])};
    double across = frame.across > 0.0 ? rubbed[1] / frame.across : 0.0;
    double limit = frame.friction * p[0];
    world->pairs.kept.data[point->manifold].points[point->point] =
        cn_vec3(share * p[0], share * rubbed[0], share * across);
    manifold->tile.twist[point->point] = (float)(share * cn_vec3_dot(moment, frame.normal));
    touch->pressed = p[0] > 0.0;
    touch->stuck = rubbed[0] * rubbed[0] + across * across < limit * limit;
    if (world->pairs.has_extras) {
        cn_touch_extras(&world->pairs, point->manifold, point->point)->moment =
            cn_vec3(share * cn_vec3_dot(moment, frame.tangent[0]),
                    share * cn_vec3_dot(moment, frame.tangent[1]), 0.0);
    }
    cn_soft_set_directions(&manifold->tile, &frame);
    manifold->tile.impulse[0][point->point] = p[0];
    manifold->tile.impulse[1][point->point] = rubbed[0];
    manifold->tile.impulse[2][point->point] = across;
    manifold->is_solved = true;
}

void cn_exact_store_impulses(CnWorld* world, CnSoftGroup* group, const CnExactRows* rows,
                             const double* impulse) {
    const CnSoftJoints joints = {.world = world, .group = group};
    double share = 1.0 / world->def.step.soft.substeps;
    for (int i = 0; i < rows->point_count; ++i) {
        store_point(world, &rows->points[i], impulse);
    }
    for (int i = 0; i < rows->joint_count; ++i) {
        const CnExactJoint* joint = &rows->joints[i];
        double last[CN_MAX_ROWS] = {0.0}, total[CN_MAX_ROWS] = {0.0};
        unsigned kept = 0;
        for (int k = 0; k < world->step.rows.blocks.data[joint->block].row_count; ++k) {
            total[k] = joint->rows[k] < 0 ? 0.0 : impulse[joint->rows[k]];
            last[k] = share * total[k];
            kept |= (joint->rows[k] >= 0 && joint->roles[k] == CN_ROW_KEEPS ? 1u : 0u) << k;
        }
        cn_soft_store_joint(&joints, joint->block, last, total, joint->value, kept);
    }
}

double cn_exact_gaps(const CnExactRows* rows, double* gap) {
    double deepest = 0.0;
    for (int k = 0; k < rows->manifold_count; ++k) {
        gap[k] = HUGE_VAL;
    }
    for (int i = 0; i < rows->point_count; ++i) {
        const CnExactPoint* point = &rows->points[i];
        gap[point->place] = fmin(gap[point->place], point->gap);
        deepest = fmax(deepest, -point->gap);
    }
    return deepest;
}
