// joint.c - joints in a world: each a few constraints that are made, changed and removed together.
#include "world/constraints/joint.h"

#include "base/error.h"
#include "constraints/joints/kind.h"
#include "world/bodies/body_links.h"
#include "world/validate.h"

#include <string.h>

#define TWO_PI 6.283185307179586

const CnBodyState* cn_joint_body_state(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body == NULL ? &cn_immovable : &body->state;
}

CnBodyId cn_joint_given_a(const CnJoint* joint) {
    return joint->swapped ? joint->body_b : joint->body_a;
}

CnBodyId cn_joint_given_b(const CnJoint* joint) {
    return joint->swapped ? joint->body_a : joint->body_b;
}

CnJointView cn_joint_view_now(const CnWorld* world, const CnJoint* joint) {
    return cn_joint_view(&joint->frames, cn_joint_body_state(world, joint->body_a),
                         cn_joint_body_state(world, joint->body_b));
}

CnJointFreeAxis* cn_joint_free_axis(const CnJoint* joint, CnAxis axis) {
    for (int i = 0; i < joint->axis_count; ++i) {
        if (joint->axes[i].axis == axis) {
            return &joint->axes[i];
        }
    }
    return NULL;
}

CnJointPart* cn_joint_part_at(const CnWorld* world, CnConstraintId id) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    return constraint == NULL ? NULL : constraint->data;
}

static CnJointId joint_id(const CnWorld* world, const CnJoint* joint) {
    return world->joint_order.data[joint->index];
}

// Of one of its parts: what is not kept does not give way.
static CnKeeping keeping_of(const CnJoint* joint, const CnConstraintKind* kind) {
    CnKeeping keep = joint->keep;
    if (kind->force != NULL || kind->force_bounds != NULL) {
        keep.compliance = keep.compliance_turn = 0.0;
    }
    return keep;
}

static CnStatus add_part(CnWorld* world, const CnJoint* joint, const CnConstraintKind* kind,
                         const void* data, size_t size, CnConstraintId* id, CnError* error) {
    CnConstraintDef def = cn_constraint_def_default();
    def.name = joint->name;
    def.kind = kind;
    def.body_a = joint->body_a;
    def.body_b = joint->body_b;
    def.data = data;
    def.data_size = size;
    def.collide = joint->collide;
    def.keep = keeping_of(joint, kind);
    *id = cn_world_add_joint_part(world, &def, joint_id(world, joint), error);
    return id->index != 0 ? CN_OK : error != NULL ? error->status : CN_INVALID;
}

static const CnCurve* curve_of(const CnWorld* world, CnSeriesId id) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(id));
    return series == NULL ? NULL : &series->curve;
}

double cn_joint_row_response(const CnWorld* world, const CnJoint* joint, const CnJointRow* row) {
    const CnBodyId ids[2] = {joint->body_a, joint->body_b};
    double rows[2][6] = {{0.0}}, sum = 0.0;
    CnJointView view = cn_joint_view_now(world, joint);
    cn_joint_row_jacobian(row, &view, rows[0], rows[1]);
    for (int i = 0; i < 2; ++i) {
        const CnBody* body = cn_world_body(world, ids[i]);
        if (body != NULL) {
            CnVec3 push = cn_vec3(rows[i][0], rows[i][1], rows[i][2]);
            CnVec3 turn =
                cn_quat_unrotate(body->state.rotation, cn_vec3(rows[i][3], rows[i][4], rows[i][5]));
            sum += body->mass->inverse_mass * cn_vec3_dot(push, push) +
                   cn_vec3_dot(turn, cn_mat3_apply(&body->mass->inverse_inertia, turn));
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

static CnJointPart head_of(const CnJoint* joint, int row_count) {
    return (CnJointPart){.frames = joint->frames, .row_count = row_count, .idle = !joint->enabled};
}

static bool is_wanted(const CnJoint* joint, CnAxisPartType type, const CnJointAxis* axis) {
    return cn_axis_part_is_wanted(type, axis) || (type == CN_AXIS_PART_SPRING && joint->is_spring);
}

// Makes the parts that are wanted and missing: all of them or none.
static CnStatus add_missing_parts(CnWorld* world, const CnJoint* joint, CnJointFreeAxis* free_axis,
                                  const CnAxisPart* fresh, CnError* error) {
    CnConstraintId* added[CN_AXIS_PART_COUNT];
    int count = 0;
    for (int i = 0; i < CN_AXIS_PART_COUNT; ++i) {
        CnConstraintId* id = &free_axis->parts[i];
        CnAxisPartType type = (CnAxisPartType)i;
        if (!is_wanted(joint, type, &fresh->axis) || cn_joint_part_at(world, *id) != NULL) {
            continue;
        }
        CnStatus status =
            add_part(world, joint, cn_axis_part_kind(type), fresh, sizeof *fresh, id, error);
        if (status != CN_OK) {
            while (count > 0) {
                CnConstraintId* last = added[--count];
                cn_world_undo_add_constraint(world, *last);
                *last = (CnConstraintId){0};
            }
            return status;
        }
        added[count++] = id;
    }
    return CN_OK;
}

static CnCurve curve_or_none(const CnWorld* world, CnSeriesId id) {
    const CnCurve* curve = curve_of(world, id);
    return curve == NULL ? (CnCurve){0} : *curve;
}

// Each part as the axis asks for it: made, changed where it is, or switched off. A part that
// exists keeps its impulse for the next step's start. On failure nothing has changed.
static CnStatus set_parts(CnWorld* world, const CnJoint* joint, CnJointFreeAxis* free_axis,
                          CnJointAxis axis, CnError* error) {
    resolve_frequency(world, joint, &free_axis->row, &axis);
    CnAxisPart fresh = {
        .part = head_of(joint, 1),
        .row = free_axis->row,
        .axis = axis,
        .target = curve_or_none(world, axis.series),
        .spring = joint->spring,
        .spring_data = joint->spring_data,
        .table = curve_or_none(world, joint->spring_table),
    };
    for (int i = 0; i < CN_AXIS_PART_COUNT; ++i) { // angles go on counting
        CnJointPart* part = cn_joint_part_at(world, free_axis->parts[i]);
        if (part != NULL) {
            fresh.row = cn_joint_part_rows(part)[0];
        }
    }
    CnStatus status = add_missing_parts(world, joint, free_axis, &fresh, error);
    for (int i = 0; i < CN_AXIS_PART_COUNT && status == CN_OK; ++i) {
        CnJointPart* part = cn_joint_part_at(world, free_axis->parts[i]);
        if (part != NULL) {
            const CnJointAxis* old = &((const CnAxisPart*)(const void*)part)->axis;
            bool was_idle = part->idle, was_locked = old->lower == old->upper;
            memcpy(part, &fresh, sizeof fresh);
            part->idle = !joint->enabled || !is_wanted(joint, (CnAxisPartType)i, &axis);
            world->joint_changes +=
                part->idle != was_idle || (axis.lower == axis.upper) != was_locked;
        }
    }
    return status;
}

static CnStatus add_kept(CnWorld* world, CnJoint* joint, const CnJointPlan* plan, CnError* error) {
    int count = plan->lengths + plan->angles;
    CnKeptPart kept = {.part = head_of(joint, count)};
    memcpy(kept.rows, plan->kept, sizeof kept.rows);
    return add_part(world, joint, cn_joint_keep_kind(plan->lengths, plan->angles), &kept,
                    cn_kept_part_size(count), &joint->kept, error);
}

// An acceleration starts from the speed that the point has, unless it is to start from rest.
static CnStatus add_prescribed(CnWorld* world, CnJoint* joint, const CnJointDef* def,
                               const CnJointPlan* plan, CnError* error) {
    CnPrescribedPart part = {.part = head_of(joint, plan->lengths)};
    const CnBodyState* a = cn_joint_body_state(world, joint->body_a);
    const CnBodyState* b = cn_joint_body_state(world, joint->body_b);
    CnJointView view = cn_joint_view(&plan->frames, a, b);
    for (int i = 0; i < plan->lengths; ++i) {
        CnSeriesId id = plan->lengths == 3 ? def->series3[i] : def->series;
        part.rows[i] = plan->kept[i];
        part.courses[i] = (CnCourse){
            .order = cn_joint_type_info(def->type)->course,
            .curve = *curve_of(world, id),
            .start = world->time,
            .speed = def->from_rest ? 0.0 : cn_joint_row_rate(&plan->kept[i], &view, a, b),
        };
    }
    return add_part(world, joint, cn_joint_prescribed_kind(plan->lengths), &part, sizeof part,
                    &joint->kept, error);
}

static CnStatus add_limit(CnWorld* world, CnJoint* joint, const CnJointPlan* plan, CnError* error) {
    CnAxisPart part = {
        .part = head_of(joint, 1),
        .row = plan->limit_row,
        .axis = {.lower = -INFINITY, .upper = plan->limit},
    };
    return add_part(world, joint, cn_axis_part_kind(CN_AXIS_PART_LIMIT), &part, sizeof part,
                    &joint->limit, error);
}

static CnStatus add_parts(CnWorld* world, CnJoint* joint, const CnJointDef* def,
                          const CnJointPlan* plan, CnError* error) {
    CnStatus status = CN_OK;
    if (def->type == CN_JOINT_MIMIC) {
        status = cn_mimic_attach(world, joint, error);
    } else if (cn_joint_type_info(def->type)->course != CN_COURSE_NONE) {
        status = add_prescribed(world, joint, def, plan, error);
    } else if (plan->lengths + plan->angles > 0) {
        status = add_kept(world, joint, plan, error);
    }
    if (status == CN_OK && plan->has_limit) {
        status = add_limit(world, joint, plan, error);
    }
    for (int i = 0; i < joint->axis_count && status == CN_OK; ++i) {
        status = set_parts(world, joint, &joint->axes[i], joint->axes[i].settings, error);
    }
    return status;
}

int cn_joint_list_parts(const CnJoint* joint, CnConstraintId ids[CN_JOINT_PART_LIMIT]) {
    int count = 0;
    ids[count++] = joint->kept;
    ids[count++] = joint->limit;
    for (int i = 0; i < joint->axis_count; ++i) {
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            ids[count++] = joint->axes[i].parts[k];
        }
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
    double time = 0.0;
    double largest = curve != NULL ? cn_curve_largest(curve, &time) : 0.0;
    if (axis->motor == CN_MOTOR_POSITION && fabs(axis->target * largest) > CN_PI) {
        return cn_error_set(error, CN_INVALID,
                            "the target of axis %s is %g rad at %g s of its series; a lean is "
                            "within [-pi, pi]",
                            cn_axis_name(which), axis->target * largest, time);
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
        movable = movable || cn_body_is_movable(body);
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
                            "body_a must be none: side A of a joint with one_body is the world");
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
    return CN_OK;
}

static CnStatus check_leans(const CnWorld* world, const CnJointPlan* plan, CnError* error) {
    CnStatus status = CN_OK;
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        if (plan->free[i] && plan->axes[i].terms[0].measure->leans) {
            status = check_lean_course(world, &plan->settings[i], (CnAxis)i, error);
        }
    }
    return status;
}

// What the joint measures first: that which it keeps, else limits, else leaves free.
static const CnMeasure* main_measure(const CnJointPlan* plan) {
    if (plan->lengths + plan->angles > 0) {
        return plan->kept[0].terms[0].measure;
    }
    if (plan->has_limit) {
        return plan->limit_row.terms[0].measure;
    }
    return plan->axes[plan->free[CN_AXIS_X] ? CN_AXIS_X : CN_AXIS_Z].terms[0].measure;
}

// False: no memory.
static bool copy_axes(const CnWorld* world, const CnJointPlan* plan, CnJoint* joint) {
    int count = 0;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        count += plan->free[i];
    }
    joint->axes = cn_allocate(&world->allocator, (size_t)count, sizeof *joint->axes);
    for (int i = 0; joint->axes != NULL && i < CN_AXIS_COUNT; ++i) {
        if (plan->free[i]) {
            joint->axes[joint->axis_count++] = (CnJointFreeAxis){
                .axis = (CnAxis)i, .settings = plan->settings[i], .row = plan->axes[i]};
        }
    }
    return joint->axes != NULL;
}

// Makes its parts and tells its bodies of the joint. On failure nothing has changed.
static CnStatus attach(CnWorld* world, int slot, CnJoint* joint, const CnJointDef* def,
                       const CnJointPlan* plan, CnError* error) {
    if (!cn_world_link(world, CN_LINK_JOINT, slot, joint->body_a, joint->body_b)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a joint");
    }
    CnStatus status = add_parts(world, joint, def, plan, error);
    if (status != CN_OK) {
        undo_parts(world, joint);
        cn_world_unlink(world, CN_LINK_JOINT, slot, joint->body_a, joint->body_b);
    }
    return status;
}

static CnJoint joint_from(const CnJointDef* def, const CnJointPlan* plan) {
    return (CnJoint){
        .type = def->type,
        .body_a = plan->swapped ? def->body_b : def->body_a,
        .body_b = plan->swapped ? def->body_a : def->body_b,
        .frames = plan->frames,
        .kept_lengths = plan->lengths,
        .shown = main_measure(plan),
        .spring = def->spring,
        .spring_data = def->spring_data,
        .spring_table = def->spring_table,
        .strength = def->strength,
        .strength_torque = def->strength_torque,
        .keep = def->keep,
        .swapped = plan->swapped,
        .one_body = def->one_body,
        .length = plan->length,
        .ratio = def->ratio,
        .pitch = def->pitch,
        .offset = def->offset,
        .leader = def->type == CN_JOINT_MIMIC ? def->leader : (CnJointId){0},
        .follower = def->type == CN_JOINT_MIMIC ? def->follower : (CnJointId){0},
        .leader_axis = def->leader_axis,
        .follower_axis = def->follower_axis,
        .swing_limit = def->swing_limit,
        .swing_limit_y = def->swing_limit_y,
        .collide = def->collide,
        .enabled = def->enabled,
        .is_spring = plan->is_spring,
        .has_parts = true,
    };
}

static void free_joint(CnWorld* world, CnJoint* joint) {
    cn_name_free(&world->allocator, joint->name);
    cn_release(&world->allocator, joint->axes);
}

static CnJointId add_joint(CnWorld* world, const CnJointDef* def, const CnJointPlan* plan,
                           CnError* error) {
    CnJoint made = joint_from(def, plan), *joint = NULL;
    CnPoolId id = {0};
    made.name = cn_world_copy_name(world, def->name);
    if (made.name != NULL && copy_axes(world, plan, &made)) {
        id = cn_pool_add(&world->joints, (void**)&joint);
    }
    CnJointId public_id = {id.index, id.generation};
    bool listed = joint != NULL && cn_array_push(&world->joint_order, &world->allocator, public_id);
    CnStatus status = CN_NO_MEMORY;
    if (listed) {
        made.index = world->joint_order.count - 1;
        cn_active_change(world);
        *joint = made;
        status = attach(world, (int)id.index - 1, joint, def, plan, error);
    } else {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a joint");
    }
    if (status == CN_OK) {
        cn_mimic_count(world, joint, 1);
        return public_id;
    }
    world->joint_order.count -= listed ? 1 : 0;
    if (joint != NULL) {
        cn_pool_undo_add(&world->joints, id);
    }
    free_joint(world, &made);
    return (CnJointId){0};
}

static CnJointId add_mimic(CnWorld* world, CnJointDef def, CnError* error) {
    if (cn_mimic_check(world, &def, -1, error) != CN_OK) {
        return (CnJointId){0};
    }
    CnJointPlan plan = cn_mimic_plan(world, &def);
    return add_joint(world, &def, &plan, error);
}

CnJointId cn_world_add_joint(CnWorld* world, const CnJointDef* def, CnError* error) {
    CnError own;
    error = error == NULL ? &own : error;
    if (cn_validate_joint(def, NULL, error) != CN_OK ||
        cn_world_check_idle(world, error) != CN_OK) {
        return (CnJointId){0};
    }
    if (def->type == CN_JOINT_MIMIC) {
        return add_mimic(world, *def, error);
    }
    if (check_references(world, def, error) != CN_OK) {
        return (CnJointId){0};
    }
    CnJointPlan plan = cn_joint_plan(def, cn_joint_body_state(world, def->body_a),
                                     cn_joint_body_state(world, def->body_b));
    if (check_leans(world, &plan, error) != CN_OK) {
        return (CnJointId){0};
    }
    return add_joint(world, def, &plan, error);
}

CnStatus cn_world_remove_joint(CnWorld* world, CnJointId id) {
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    cn_mimic_remove_all(world, id);
    cn_mimic_count(world, joint, -1);
    cn_sleep_wake_two(world, joint->body_a, joint->body_b);
    cn_active_change(world);
    cn_joint_remove_parts(world, joint);
    free_joint(world, joint);
    cn_world_unlink(world, CN_LINK_JOINT, (int)id.index - 1, joint->body_a, joint->body_b);
    CnJointId last = world->joint_order.data[--world->joint_order.count];
    CnJoint* moved = cn_pool_get(&world->joints, CN_POOL_ID(last));
    moved->index = joint->index;
    world->joint_order.data[joint->index] = last;
    return cn_pool_remove(&world->joints, CN_POOL_ID(id));
}

void cn_world_free_joints(CnWorld* world) {
    for (int i = 0; i < world->joint_order.count; ++i) {
        free_joint(world, cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i])));
    }
}

CnStatus cn_joint_axis(const CnWorld* world, CnJointId id, CnAxis axis, CnJointAxis* settings) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    *settings = (CnJointAxis){0};
    if (joint == NULL) {
        return CN_STALE;
    }
    if (axis < 0 || axis >= CN_AXIS_COUNT) {
        return CN_INVALID;
    }
    const CnJointFreeAxis* free_axis = cn_joint_free_axis(joint, axis);
    *settings = free_axis != NULL ? free_axis->settings : (CnJointAxis){.motion = CN_AXIS_LOCKED};
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
    CnJointFreeAxis* free_axis = cn_joint_free_axis(joint, axis);
    if (free_axis == NULL) {
        return cn_error_set(error, CN_INVALID, "joint \"%s\" (%s) has no free axis %s", joint->name,
                            cn_joint_type_name(joint->type),
                            axis < 0 || axis >= CN_AXIS_COUNT ? "there" : cn_axis_name(axis));
    }
    bool leans = free_axis->row.terms[0].measure->leans;
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
    cn_sleep_wake_two(world, joint->body_a, joint->body_b);
    if (!joint->broken) {
        status = set_parts(world, joint, free_axis, *settings, error);
    }
    if (status == CN_OK) {
        free_axis->settings = *settings;
    }
    return status;
}

CnStatus cn_joint_set_target(CnWorld* world, CnJointId id, CnAxis axis, double target,
                             CnError* error) {
    CnJointAxis settings = {0};
    if (cn_joint_axis(world, id, axis, &settings) == CN_OK && settings.motor == CN_MOTOR_NONE &&
        settings.motion == CN_AXIS_FREE) {
        return cn_error_set(error, CN_INVALID, "axis %s of joint \"%s\" has no motor",
                            cn_axis_name(axis), cn_joint_name(world, id));
    }
    settings.target = target;
    return cn_joint_set_axis(world, id, axis, &settings, error);
}

CnStatus cn_joint_set_keeping(CnWorld* world, CnJointId id, const CnKeeping* keep, CnError* error) {
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return cn_error_set(error, CN_STALE, "the joint does not exist");
    }
    const CnUserConstraint* kept = cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
    CnStatus status = kept == NULL ? cn_keeping_validate(keep, NULL, error)
                                   : cn_validate_keeping(kept->kind, keep, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnConstraintId ids[CN_JOINT_PART_LIMIT];
    int count = cn_joint_list_parts(joint, ids);
    cn_sleep_wake_two(world, joint->body_a, joint->body_b);
    ++world->joint_changes;
    joint->keep = *keep;
    for (int i = 0; i < count; ++i) {
        CnUserConstraint* part = cn_pool_get(&world->constraints, CN_POOL_ID(ids[i]));
        if (part != NULL) {
            part->keep = keeping_of(joint, part->kind);
        }
    }
    return CN_OK;
}

CnStatus cn_joint_set_enabled(CnWorld* world, CnJointId id, bool enabled) {
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    const CnConstraintId whole[2] = {joint->kept, joint->limit};
    cn_sleep_wake_two(world, joint->body_a, joint->body_b);
    joint->enabled = enabled;
    ++world->joint_changes;
    cn_mimic_refresh(world, id);
    if (joint->type == CN_JOINT_MIMIC) {
        cn_mimic_refresh(world, joint->follower);
        return CN_OK;
    }
    for (int i = 0; i < 2; ++i) {
        CnJointPart* part = cn_joint_part_at(world, whole[i]);
        if (part != NULL) {
            part->idle = !enabled;
        }
    }
    for (int i = 0; i < joint->axis_count; ++i) {
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            CnJointPart* part = cn_joint_part_at(world, joint->axes[i].parts[k]);
            if (part != NULL) {
                const CnAxisPart* of_axis = (const void*)part;
                part->idle = !enabled || !is_wanted(joint, (CnAxisPartType)k, &of_axis->axis);
            }
        }
    }
    return CN_OK;
}

int cn_body_joints(const CnWorld* world, CnBodyId body, CnJointId* ids, int capacity) {
    int index = cn_world_body_index(world, body), count = 0;
    if (index < 0) {
        return -1;
    }
    for (int link = cn_body_first_link(world, index, CN_LINK_JOINT); link != 0;
         link = cn_link_next(world, CN_LINK_JOINT, link)) {
        if (count < capacity) {
            CnPoolId id = cn_pool_id_at(&world->joints, cn_link_slot(link));
            ids[count] = (CnJointId){id.index, id.generation};
        }
        count += 1;
    }
    return count;
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
    return joint == NULL ? CN_JOINT_TYPE_COUNT : joint->type;
}
