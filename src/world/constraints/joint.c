// joint.c - joints in a world: each a few constraints that are made, changed and removed together.
#include "world/constraints/joint.h"

#include "base/error.h"
#include "world/bodies/body_links.h"

#include <string.h>

#define TWO_PI 6.283185307179586

const CnBodyState* cn_joint_body_state(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body == NULL ? &cn_immovable : &body->state;
}

static CnJointPart part_of(const CnJoint* joint, const CnJointRow* rows, int count) {
    CnJointPart part = {.frames = joint->plan.frames, .row_count = count};
    memcpy(part.rows, rows, (size_t)count * sizeof *rows);
    return part;
}

CnJointPart* cn_joint_part_at(const CnWorld* world, CnConstraintId id) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    return constraint == NULL ? NULL : constraint->data;
}

static CnStatus add_part(CnWorld* world, const CnJoint* joint, const CnConstraintKind* kind,
                         const CnJointPart* part, CnConstraintId* id, CnError* error) {
    CnConstraintDef def = cn_constraint_def_default();
    def.name = joint->name;
    def.kind = kind;
    def.body_a = joint->body_a;
    def.body_b = joint->body_b;
    def.data = part;
    def.data_size = sizeof *part;
    def.collide = joint->def.collide;
    *id = cn_world_add_constraint(world, &def, error);
    return id->index != 0 ? CN_OK : error != NULL ? error->status : CN_INVALID;
}

static const CnCurve* curve_of(const CnWorld* world, CnSeriesId id) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(id));
    return series == NULL ? NULL : &series->curve;
}

double cn_joint_row_response(const CnWorld* world, const CnJoint* joint, const CnJointRow* row) {
    const CnBodyId ids[2] = {joint->body_a, joint->body_b};
    double rows[2][6] = {{0.0}}, sum = 0.0;
    CnJointView view = cn_joint_view(&joint->plan.frames, cn_joint_body_state(world, ids[0]),
                                     cn_joint_body_state(world, ids[1]));
    for (int i = 0; i < row->term_count; ++i) {
        cn_measure_add_row(row->terms[i].measure, &view, row->terms[i].factor, rows[0], rows[1]);
    }
    for (int i = 0; i < 2; ++i) {
        const CnBody* body = cn_world_body(world, ids[i]);
        if (body != NULL) {
            CnVec3 push = cn_vec3(rows[i][0], rows[i][1], rows[i][2]);
            CnVec3 turn =
                cn_quat_unrotate(body->state.rotation, cn_vec3(rows[i][3], rows[i][4], rows[i][5]));
            sum += body->inverse_mass * cn_vec3_dot(push, push) +
                   cn_vec3_dot(turn, cn_mat3_apply(&body->inverse_inertia, turn));
        }
    }
    return sum;
}

// A spring given by its frequency: k = m (2 pi f)^2, d = 2 ratio m 2 pi f, with the mass that the
// axis feels now.
static void resolve_frequency(const CnWorld* world, const CnJoint* joint, const CnJointRow* row,
                              CnJointAxis* axis) {
    double response = cn_joint_row_response(world, joint, row);
    if (axis->spring_hertz > 0.0 && response > 0.0) {
        double omega = TWO_PI * axis->spring_hertz;
        axis->spring_stiffness = omega * omega / response;
        axis->spring_damping *= 2.0 * omega / response;
    }
}

typedef struct PartSlot {
    const CnConstraintKind* kind;
    CnConstraintId* id;
    bool wanted;
} PartSlot;

static bool has_spring(const CnJoint* joint, CnAxis which, const CnJointAxis* axis) {
    bool is_spring = joint->def.type == CN_JOINT_SPRING && which == CN_AXIS_Z;
    return is_spring || axis->spring_stiffness > 0.0 || axis->spring_damping > 0.0;
}

enum { AXIS_PARTS = 4 };

// Makes the parts that are wanted and missing, idle for now: all of them or none.
static CnStatus add_missing_parts(CnWorld* world, CnJoint* joint, const PartSlot slots[AXIS_PARTS],
                                  const CnJointPart* fresh, CnError* error) {
    CnConstraintId* added[AXIS_PARTS];
    int count = 0;
    for (int i = 0; i < AXIS_PARTS; ++i) {
        if (!slots[i].wanted || cn_joint_part_at(world, *slots[i].id) != NULL) {
            continue;
        }
        CnStatus status = add_part(world, joint, slots[i].kind, fresh, slots[i].id, error);
        if (status != CN_OK) {
            while (count > 0) {
                CnConstraintId* last = added[--count];
                cn_world_undo_add_constraint(world, *last);
                *last = (CnConstraintId){0};
            }
            return status;
        }
        added[count++] = slots[i].id;
    }
    return CN_OK;
}

// Each part as the axis asks for it: made, changed where it is, or switched off. A part that
// exists keeps its impulse for the next step's start. On failure nothing has changed.
static CnStatus set_parts(CnWorld* world, CnJoint* joint, CnAxis which, CnJointAxis axis,
                          CnError* error) {
    CnJointAxisParts* parts = &joint->parts[which];
    CnJointPart fresh = part_of(joint, &joint->plan.axes[which], 1);
    const CnCurve* target = curve_of(world, axis.series);
    const CnCurve* table = curve_of(world, joint->def.spring_table);
    resolve_frequency(world, joint, &joint->plan.axes[which], &axis);
    const PartSlot slots[AXIS_PARTS] = {
        {cn_joint_limit_kind(), &parts->limit, axis.limited},
        {cn_joint_motor_kind(), &parts->motor, axis.motor != CN_MOTOR_NONE},
        {cn_joint_spring_kind(), &parts->spring, has_spring(joint, which, &axis)},
        {cn_joint_friction_kind(), &parts->friction, axis.friction > 0.0},
    };
    fresh.axis = axis;
    fresh.target = target == NULL ? (CnCurve){0} : *target;
    fresh.spring = joint->def.spring;
    fresh.spring_data = joint->def.spring_data;
    fresh.table = table == NULL ? (CnCurve){0} : *table;
    for (int i = 0; i < AXIS_PARTS; ++i) { // angles go on counting
        const CnJointPart* part = cn_joint_part_at(world, *slots[i].id);
        if (part != NULL) {
            memcpy(fresh.rows, part->rows, sizeof fresh.rows);
        }
    }
    CnStatus status = add_missing_parts(world, joint, slots, &fresh, error);
    for (int i = 0; i < AXIS_PARTS && status == CN_OK; ++i) {
        CnJointPart* part = cn_joint_part_at(world, *slots[i].id);
        if (part != NULL) {
            *part = fresh;
            part->idle = !slots[i].wanted;
        }
    }
    return status;
}

static CnCourseOrder course_order(CnJointType type) {
    switch (type) {
    case CN_JOINT_SET_DISPLACEMENT:
        return CN_COURSE_DISPLACEMENT;
    case CN_JOINT_SET_VELOCITY:
        return CN_COURSE_VELOCITY;
    case CN_JOINT_SET_ACCELERATION:
        return CN_COURSE_ACCELERATION;
    default:
        return CN_COURSE_NONE;
    }
}

// An acceleration starts from the speed that the point has.
static void set_courses(const CnWorld* world, CnJoint* joint) {
    CnJointPlan* plan = &joint->plan;
    CnCourseOrder order = course_order(joint->def.type);
    if (order == CN_COURSE_NONE) {
        return;
    }
    const CnBodyState* a = cn_joint_body_state(world, joint->body_a);
    const CnBodyState* b = cn_joint_body_state(world, joint->body_b);
    CnJointView view = cn_joint_view(&plan->frames, a, b);
    for (int i = 0; i < plan->lengths; ++i) {
        CnSeriesId id = plan->lengths == 3 ? joint->def.series3[i] : joint->def.series;
        double speed = cn_joint_row_rate(&plan->kept[i], &view, a, b, world->time);
        plan->kept[i].course = (CnCourse){order, *curve_of(world, id), world->time, speed};
    }
}

static CnStatus add_parts(CnWorld* world, CnJoint* joint, CnError* error) {
    const CnJointPlan* plan = &joint->plan;
    CnStatus status = CN_OK;
    if (plan->lengths + plan->angles > 0) {
        CnJointPart part = part_of(joint, plan->kept, plan->lengths + plan->angles);
        status = add_part(world, joint, cn_joint_keep_kind(plan->lengths, plan->angles), &part,
                          &joint->kept, error);
    }
    if (status == CN_OK && plan->has_limit) {
        CnJointPart part = part_of(joint, &plan->limit_row, 1);
        part.axis = (CnJointAxis){.lower = -INFINITY, .upper = plan->limit};
        status = add_part(world, joint, cn_joint_limit_kind(), &part, &joint->limit, error);
    }
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        if (plan->free[i]) {
            status = set_parts(world, joint, (CnAxis)i, joint->def.axes[i], error);
        }
    }
    return status;
}

int cn_joint_list_parts(const CnJoint* joint, CnConstraintId ids[CN_JOINT_PART_LIMIT]) {
    int count = 0;
    ids[count++] = joint->kept;
    ids[count++] = joint->limit;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        ids[count++] = joint->parts[i].limit;
        ids[count++] = joint->parts[i].motor;
        ids[count++] = joint->parts[i].spring;
        ids[count++] = joint->parts[i].friction;
    }
    return count;
}

void cn_joint_remove_parts(CnWorld* world, CnJoint* joint) {
    CnConstraintId ids[CN_JOINT_PART_LIMIT];
    int count = cn_joint_list_parts(joint, ids);
    for (int i = 0; i < count; ++i) {
        cn_world_remove_constraint(world, ids[i]); // none and stale ones are refused, which is fine
    }
    joint->has_parts = false;
}

// Takes add_parts() back, as far as it came.
static void undo_parts(CnWorld* world, const CnJoint* joint) {
    CnConstraintId ids[CN_JOINT_PART_LIMIT];
    for (int i = cn_joint_list_parts(joint, ids) - 1; i >= 0; --i) {
        if (ids[i].index != 0) {
            cn_world_undo_add_constraint(world, ids[i]);
        }
    }
}

static bool knows_series(const CnWorld* world, CnSeriesId id) {
    return id.index == 0 || curve_of(world, id) != NULL;
}

// As for a constant target, joint_validate.c, with the largest value of its series.
static CnStatus check_lean_course(const CnWorld* world, const CnJointAxis* axis, CnAxis which,
                                  CnError* error) {
    const CnCurve* curve = curve_of(world, axis->series);
    for (int i = 0; curve != NULL && axis->motor == CN_MOTOR_POSITION && i < curve->count; ++i) {
        double target = axis->target * curve->values[i];
        if (fabs(target) > CN_PI) {
            return cn_error_set(error, CN_INVALID,
                                "the target of axis %s is %g rad at %g s of its series; a lean is "
                                "within [-pi, pi]",
                                cn_axis_name(which), target, curve->times[i]);
        }
    }
    return CN_OK;
}

static CnStatus check_references(const CnWorld* world, const CnJointDef* def, CnError* error) {
    const CnBodyId ids[2] = {def->body_a, def->body_b};
    bool movable = false;
    for (int i = 0; i < 2; ++i) {
        const CnBody* body = cn_world_body(world, ids[i]);
        if (ids[i].index != 0 && body == NULL) {
            return cn_error_set(error, CN_STALE, "a body of the joint does not exist");
        }
        movable = movable || (body != NULL && body->type == CN_BODY_DYNAMIC);
    }
    if (ids[0].index == ids[1].index) {
        return cn_error_set(error, CN_INVALID, "a joint needs two different bodies");
    }
    if (!movable) {
        return cn_error_set(error, CN_INVALID,
                            "no body of the joint can be moved: one of them must be dynamic");
    }
    if (def->one_body && ids[0].index != 0) {
        return cn_error_set(error, CN_INVALID,
                            "body_a of a joint of one body is given; that is the world");
    }
    bool known = knows_series(world, def->series) && knows_series(world, def->spring_table);
    for (int i = 0; i < 3; ++i) {
        known = known && knows_series(world, def->series3[i]);
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        known = known && knows_series(world, def->axes[i].series);
    }
    if (!known) {
        return cn_error_set(error, CN_STALE, "a series of the joint does not exist");
    }
    CnStatus status = CN_OK;
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        if (cn_joint_leans(def, (CnAxis)i)) {
            status = check_lean_course(world, &def->axes[i], (CnAxis)i, error);
        }
    }
    return status;
}

static void plan(const CnWorld* world, CnJoint* joint) {
    const CnJointDef* def = &joint->def;
    joint->plan = cn_joint_plan(def, cn_joint_body_state(world, def->body_a),
                                cn_joint_body_state(world, def->body_b));
    joint->body_a = joint->plan.swapped ? def->body_b : def->body_a;
    joint->body_b = joint->plan.swapped ? def->body_a : def->body_b;
    set_courses(world, joint);
}

// The stops of a spring are limits of its axis, whose zero is the length it has now.
static void set_stroke(CnJointDef* def) {
    if (def->type == CN_JOINT_SPRING && (def->stroke_lower < 0.0 || def->stroke_upper > 0.0)) {
        CnJointAxis* axis = &def->axes[CN_AXIS_Z];
        axis->limited = true;
        axis->lower = def->stroke_lower;
        axis->upper = def->stroke_upper;
    }
}

// Makes its parts and tells its bodies of the joint. On failure nothing has changed.
static CnStatus attach(CnWorld* world, int slot, CnJoint* joint, CnError* error) {
    if (!cn_world_link(world, CN_LINK_JOINT, slot, joint->body_a, joint->body_b)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a joint");
    }
    CnStatus status = add_parts(world, joint, error);
    if (status != CN_OK) {
        undo_parts(world, joint);
        cn_world_unlink(world, CN_LINK_JOINT, slot, joint->body_a, joint->body_b);
    }
    return status;
}

CnJointId cn_world_add_joint(CnWorld* world, const CnJointDef* def, CnError* error) {
    CnError own;
    error = error == NULL ? &own : error;
    if (cn_validate_joint(def, NULL, error) != CN_OK ||
        cn_world_check_idle(world, error) != CN_OK ||
        check_references(world, def, error) != CN_OK) {
        return (CnJointId){0};
    }
    CnJoint* joint = NULL;
    char* name = cn_world_copy_name(world, def->name);
    CnPoolId id = name == NULL ? (CnPoolId){0} : cn_pool_add(&world->joints, (void**)&joint);
    CnJointId public_id = {id.index, id.generation};
    if (joint == NULL || !cn_array_push(&world->joint_order, &world->allocator, public_id)) {
        cn_release(&world->allocator, name);
        if (joint != NULL) {
            cn_pool_undo_add(&world->joints, id);
        }
        cn_error_set(error, CN_NO_MEMORY, "no memory for a joint");
        return (CnJointId){0};
    }
    *joint = (CnJoint){.name = name, .def = *def, .has_parts = true};
    joint->def.name = name;
    set_stroke(&joint->def);
    joint->index = world->joint_order.count - 1;
    plan(world, joint);
    if (attach(world, (int)id.index - 1, joint, error) != CN_OK) {
        world->joint_order.count -= 1;
        cn_release(&world->allocator, name);
        cn_pool_undo_add(&world->joints, id);
        return (CnJointId){0};
    }
    return public_id;
}

CnStatus cn_world_remove_joint(CnWorld* world, CnJointId id) {
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    cn_joint_remove_parts(world, joint);
    cn_release(&world->allocator, joint->name);
    cn_world_unlink(world, CN_LINK_JOINT, (int)id.index - 1, joint->body_a, joint->body_b);
    CnJointId last = world->joint_order.data[--world->joint_order.count];
    CnJoint* moved = cn_pool_get(&world->joints, CN_POOL_ID(last));
    moved->index = joint->index;
    world->joint_order.data[joint->index] = last;
    return cn_pool_remove(&world->joints, CN_POOL_ID(id));
}

void cn_world_free_joints(CnWorld* world) {
    for (int i = 0; i < world->joint_order.count; ++i) {
        CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i]));
        cn_release(&world->allocator, joint->name);
    }
}

CnStatus cn_joint_axis(const CnWorld* world, CnJointId id, CnAxis axis, CnJointAxis* settings) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return CN_STALE;
    }
    if (axis < 0 || axis >= CN_AXIS_COUNT) {
        return CN_INVALID;
    }
    *settings = joint->def.axes[axis];
    return CN_OK;
}

CnStatus cn_joint_set_axis(CnWorld* world, CnJointId id, CnAxis axis, const CnJointAxis* settings,
                           CnError* error) {
    CnError own;
    error = error == NULL ? &own : error;
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return cn_error_set(error, CN_STALE, "the joint does not exist");
    }
    if (axis < 0 || axis >= CN_AXIS_COUNT || !joint->plan.free[axis]) {
        return cn_error_set(error, CN_INVALID, "joint \"%s\" (%s) has no free axis %s", joint->name,
                            cn_joint_type_name(joint->def.type),
                            axis < 0 || axis >= CN_AXIS_COUNT ? "there" : cn_axis_name(axis));
    }
    bool leans = cn_measure_is_lean(joint->plan.axes[axis].terms[0].measure);
    CnStatus status = cn_validate_joint_axis(settings, axis, leans, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK && !knows_series(world, settings->series)) {
        status = cn_error_set(error, CN_STALE, "the series of the axis does not exist");
    }
    if (status == CN_OK && leans) {
        status = check_lean_course(world, settings, axis, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (!joint->broken) {
        status = set_parts(world, joint, axis, *settings, error);
    }
    if (status == CN_OK) {
        joint->def.axes[axis] = *settings;
    }
    return status;
}

int cn_world_joint_count(const CnWorld* world) {
    return world->joint_order.count;
}

CnJointId cn_world_joint_at(const CnWorld* world, int index) {
    bool inside = index >= 0 && index < world->joint_order.count;
    return inside ? world->joint_order.data[index] : (CnJointId){0};
}

CnJointId cn_world_find_joint(const CnWorld* world, const char* name) {
    for (int i = 0; i < world->joint_order.count; ++i) {
        if (strcmp(cn_joint_name(world, world->joint_order.data[i]), name) == 0) {
            return world->joint_order.data[i];
        }
    }
    return (CnJointId){0};
}

const char* cn_joint_name(const CnWorld* world, CnJointId id) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    return joint == NULL ? "" : joint->name;
}

CnJointType cn_joint_type(const CnWorld* world, CnJointId id) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    return joint == NULL ? CN_JOINT_TYPE_COUNT : joint->def.type;
}
