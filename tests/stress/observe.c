// observe.c - everything that can be read of a world, as one number.
#include "observe.h"
#include "support/problems/last_problem.h"

#include "base/hash.h"

enum { MOST = 400 }; // contacts and events that are looked at one by one

// Padding must not be part of a hash: numbers are folded one by one.
static void fold_bytes(uint64_t* hash, const void* data, size_t size) {
    *hash = cn_hash_bytes(*hash, data, size);
}
static void fold_int(uint64_t* hash, long long value) {
    fold_bytes(hash, &value, sizeof value);
}
static void fold_number(uint64_t* hash, double value) {
    fold_bytes(hash, &value, sizeof value);
}
static void fold_vector(uint64_t* hash, CnVec3 v) {
    fold_bytes(hash, &v, sizeof v);
}
static void fold_text(uint64_t* hash, const char* text) {
    fold_bytes(hash, text, strlen(text) + 1);
}
static void fold_id(uint64_t* hash, uint32_t index, uint32_t generation) {
    uint64_t id = ((uint64_t)index << 32) | generation;
    fold_bytes(hash, &id, sizeof id);
}

static void fold_shapes(uint64_t* hash, const CnWorld* world, CnBodyId id) {
    CnShapeId shapes[8];
    int count = cn_body_shapes(world, id, shapes, 8);
    fold_int(hash, count);
    for (int i = 0; i < count && i < 8; ++i) {
        CnShapeInfo info;
        cn_shape_read(world, shapes[i], &info);
        fold_int(hash, info.number);
        fold_int(hash, cn_world_sensor_overlaps(world, shapes[i], NULL, 0));
        const CnShapeDef* def = &info.def;
        fold_id(hash, shapes[i].index, shapes[i].generation);
        fold_id(hash, info.body.index, info.body.generation);
        fold_int(hash, def->type);
        fold_vector(hash, def->position);
        fold_bytes(hash, &def->rotation, sizeof def->rotation);
        fold_vector(hash, cn_vec3(def->radius, def->length, def->sensor));
        fold_vector(hash, def->size);
        fold_vector(hash, def->normal);
        fold_id(hash, def->geometry.index, def->geometry.generation);
        fold_id(hash, def->material.index, def->material.generation);
        fold_id(hash, def->category, def->mask);
        fold_int(hash, def->group);
    }
}

static void fold_body(uint64_t* hash, const CnWorld* world, CnBodyId id) {
    CnBodyState state;
    CnTransform pose;
    CnMassProperties mass;
    fold_id(hash, id.index, id.generation);
    CnStatus status = cn_body_state(world, id, &state);
    fold_int(hash, status);
    if (status != CN_OK) {
        return;
    }
    cn_body_pose(world, id, &pose);
    cn_body_mass_properties(world, id, &mass);
    fold_bytes(hash, &state, sizeof state); // numbers only
    fold_bytes(hash, &pose, sizeof pose);
    fold_bytes(hash, &mass, sizeof mass);
    CnBodyInfo info;
    cn_body_read(world, id, &info);
    fold_int(hash, info.enabled + 2 * info.fast + 4 * info.has_mass + 8 * info.exact);
    fold_int(hash, (long long)info.user);
    fold_vector(hash, cn_vec3(info.gravity_scale, info.linear_damping, info.angular_damping));
    fold_vector(hash, info.force);
    fold_vector(hash, info.torque);
    fold_vector(hash, info.impulse);
    fold_vector(hash, info.angular_impulse);
    fold_shapes(hash, world, id);
    fold_text(hash, cn_body_name(world, id));
    fold_int(hash, cn_body_type(world, id));
}

static void fold_axis(uint64_t* hash, const CnJointAxis* axis) {
    const double numbers[] = {axis->lower,          axis->upper,        axis->restitution,
                              axis->target,         axis->stiffness,    axis->damping,
                              axis->max_force,      axis->spring_hertz, axis->spring_stiffness,
                              axis->spring_damping, axis->spring_rest,  axis->friction};
    fold_int(hash, axis->motion);
    fold_int(hash, axis->limited);
    fold_int(hash, axis->motor);
    fold_id(hash, axis->series.index, axis->series.generation);
    fold_bytes(hash, numbers, sizeof numbers);
}

static void fold_joint(uint64_t* hash, const CnWorld* world, CnJointId id) {
    CnJointState state = {0};
    fold_id(hash, id.index, id.generation);
    CnStatus status = cn_joint_read(world, id, &state);
    fold_int(hash, status);
    if (status != CN_OK) {
        return;
    }
    CnJointInfo info = {0};
    cn_joint_info(world, id, &info);
    fold_text(hash, cn_joint_name(world, id));
    fold_int(hash, cn_joint_type(world, id));
    fold_id(hash, info.body_a.index, info.body_b.index);
    fold_bytes(hash, &info.frame_a, sizeof info.frame_a);
    fold_bytes(hash, &info.frame_b, sizeof info.frame_b);
    fold_int(hash, info.enabled);
    fold_bytes(hash, state.position, sizeof state.position);
    fold_bytes(hash, state.velocity, sizeof state.velocity);
    fold_int(hash, state.broken);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        CnJointAxis axis = {0};
        fold_int(hash, cn_joint_axis(world, id, (CnAxis)i, &axis));
        fold_axis(hash, &axis);
    }
}

static void fold_constraint(uint64_t* hash, const CnWorld* world, CnConstraintId id) {
    CnConstraintInfo info = {0};
    fold_id(hash, id.index, id.generation);
    fold_int(hash, cn_constraint_info(world, id, &info));
    fold_text(hash, info.name);
    fold_id(hash, info.body_a.index, info.body_b.index);
    fold_int(hash, info.active);
    fold_bytes(hash, info.lower, sizeof info.lower);
    fold_bytes(hash, info.upper, sizeof info.upper);
}

static void fold_events(uint64_t* hash, const CnWorld* world) {
    static CnEvent events[MOST];
    int count = cn_world_events(world, events, MOST);
    fold_int(hash, count);
    for (int i = 0; i < count && i < MOST; ++i) {
        const CnEvent* event = &events[i];
        fold_int(hash, event->type);
        fold_number(hash, event->time);
        fold_id(hash, event->body_a.index, event->body_b.index);
        fold_id(hash, event->shape_a.index, event->shape_b.index);
        fold_id(hash, event->contact.index, event->joint.index);
        fold_vector(hash, event->point);
        fold_vector(hash, event->normal);
        fold_number(hash, event->speed);
        fold_number(hash, event->impulse);
    }
}

static void fold_warnings(uint64_t* hash, const CnWorld* world) {
    int count = cn_world_warning_count(world);
    fold_int(hash, count);
    for (int i = 0; i < count; ++i) {
        CnWarning warning;
        cn_world_warning_at(world, i, &warning);
        fold_text(hash, cn_warning_kind_name(warning.kind));
        fold_int(hash, warning.count);
        fold_int(hash, warning.step);
        fold_number(hash, warning.time);
        fold_text(hash, warning.message);
    }
}

uint64_t observe_state(const Session* session) {
    const CnWorld* world = session->world;
    uint64_t hash = cn_world_hash(world);
    fold_number(&hash, cn_world_time(world));
    fold_number(&hash, cn_world_energy(world));
    fold_int(&hash, cn_world_body_count(world));
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        fold_body(&hash, world, cn_world_body_at(world, i));
    }
    fold_int(&hash, cn_world_joint_count(world));
    for (int i = 0; i < cn_world_joint_count(world); ++i) {
        fold_joint(&hash, world, cn_world_joint_at(world, i));
    }
    fold_int(&hash, cn_world_constraint_count(world));
    for (int i = 0; i < cn_world_constraint_count(world); ++i) {
        fold_constraint(&hash, world, cn_world_constraint_at(world, i));
    }
    fold_events(&hash, world);
    fold_warnings(&hash, world);
    return hash;
}

static void fold_contacts(uint64_t* hash, const CnWorld* world) {
    static CnContactPoint points[MOST];
    int count = cn_world_contacts(world, points, MOST);
    fold_int(hash, count);
    for (int i = 0; i < count && i < MOST; ++i) {
        const CnContactPoint* point = &points[i];
        fold_id(hash, point->body_a.index, point->body_b.index);
        fold_id(hash, point->shape_a.index, point->shape_b.index);
        fold_vector(hash, point->point);
        fold_vector(hash, point->normal);
        fold_vector(hash, point->impulse);
        fold_vector(hash, point->moment);
        fold_vector(hash, point->force);
        fold_vector(hash, point->torque);
        fold_vector(hash, point->velocity);
        fold_number(hash, point->gap);
        fold_number(hash, point->friction);
        fold_number(hash, point->restitution);
        fold_int(hash, (long long)point->key);
    }
}

static void fold_problem(uint64_t* hash, const CnWorld* world) {
    const CnAssembledStep* whole = last_problem(world);
    const CnProblem* problem = &whole->problem;
    size_t rows = (size_t)problem->row_count;
    fold_int(hash, problem->row_count);
    fold_int(hash, problem->block_count);
    if (rows > 0) {
        fold_bytes(hash, problem->jacobian_a, rows * sizeof problem->jacobian_a[0]);
        fold_bytes(hash, problem->jacobian_b, rows * sizeof problem->jacobian_b[0]);
        fold_bytes(hash, problem->target, rows * sizeof(double));
        fold_bytes(hash, problem->compliance, rows * sizeof(double));
        fold_bytes(hash, whole->work.data, (size_t)problem->block_count * sizeof(double));
    }
    for (int i = 0; i < problem->block_count; ++i) {
        char name[64];
        cn_world_block_name(world, i, name, sizeof name);
        fold_text(hash, name);
    }
}

static void fold_forces(uint64_t* hash, const Session* session) {
    const CnWorld* world = session->world;
    for (int i = 0; i < cn_world_joint_count(world); ++i) {
        CnJointState state = {0};
        cn_joint_read(world, cn_world_joint_at(world, i), &state);
        fold_vector(hash, state.force);
        fold_vector(hash, state.torque);
        fold_bytes(hash, state.axis_force, sizeof state.axis_force);
        fold_number(hash, state.error);
        fold_number(hash, state.angle_error);
    }
    for (int i = 0; i < session->constraints.count && i < SESSION_IDS; ++i) {
        double force[CN_MAX_ROWS] = {0}, value[CN_MAX_ROWS] = {0};
        fold_int(hash, cn_constraint_read(world, session->constraints.ids[i], force, value));
        fold_bytes(hash, force, sizeof force);
        fold_bytes(hash, value, sizeof value);
    }
}

uint64_t observe_all(const Session* session) {
    uint64_t hash = observe_state(session);
    fold_contacts(&hash, session->world);
    fold_problem(&hash, session->world);
    fold_forces(&hash, session);
    return hash;
}
