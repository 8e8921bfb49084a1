// line_joints.c - joints between two points: distance, rope, rigid_link and spring.
#include "constraints/joints/joint_draft.h"
#include "math/refuse.h"

// ---- length: from the point of A to that of B ----

static double length_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_vec3_length(cn_joint_offset(view));
}

static void length_row(const CnMeasure* self, const CnJointView* view, double factor,
                       double row_a[6], double row_b[6]) {
    (void)self;
    cn_joint_add_point(view, view->frame_a.position, cn_direction_or_z(cn_joint_offset(view)),
                       factor, row_a, row_b);
}

static void length_axes(const CnMeasure* self, const CnJointView* view, CnVec3 axes[3]) {
    (void)self;
    axes[2] = cn_direction_or_z(cn_joint_offset(view));
    cn_tangent_basis(axes[2], &axes[0], &axes[1]);
}

static const CnMeasure length = {
    .value = length_value, .add_row = length_row, .axes = length_axes, .is_between_points = true};

// ---- plans ----

static double wanted_length(const CnJointDraft* draft) {
    return draft->def->length > 0.0 ? draft->def->length : cn_draft_distance(draft);
}

// Kept, unless limits, a motor or a spring say what the length may be.
void cn_plan_distance(CnJointDraft* draft) {
    const CnJointAxis* axis = &draft->def->axes[CN_AXIS_Z];
    CnJointRow row = cn_row_of(&length);
    cn_draft_set_common_frame(draft);
    row.shift = draft->plan->length = wanted_length(draft);
    if (axis->limited || axis->motor != CN_MOTOR_NONE || axis->spring_stiffness > 0.0 ||
        axis->spring_hertz > 0.0) {
        cn_draft_leave_free(draft, CN_AXIS_Z, &length);
    } else {
        cn_draft_keep(draft, row);
    }
}

void cn_plan_rope(CnJointDraft* draft) {
    cn_draft_set_common_frame(draft);
    draft->plan->has_limit = true;
    draft->plan->limit_row = cn_row_of(&length);
    draft->plan->limit = draft->plan->length = wanted_length(draft);
}

void cn_plan_rigid_link(CnJointDraft* draft) {
    if (cn_draft_distance(draft) > 0.0) {
        CnJointRow row = cn_row_of(&length);
        cn_draft_set_common_frame(draft);
        row.shift = draft->plan->length = cn_draft_distance(draft);
        cn_draft_keep(draft, row);
        return;
    }
    cn_draft_lock_axes(draft, CN_LOCK_POINT);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        draft->plan->free[i] = false;
    }
}

// Stops are limits of the axis, whose zero is the length that the spring has now.
void cn_plan_spring(CnJointDraft* draft) {
    const CnMeasure* const along[] = {
        [CN_DIRECTION_FOLLOW] = &length,
        [CN_DIRECTION_FIXED] = &cn_measure_along,
        [CN_DIRECTION_CARRIED_A] = &cn_measure_offset[2],
        [CN_DIRECTION_CARRIED_B] = &cn_measure_along_b,
    };
    const CnJointDef* def = draft->def;
    CnJointPlan* plan = draft->plan;
    cn_draft_set_common_frame(draft);
    cn_draft_leave_free(draft, CN_AXIS_Z, along[def->direction]);
    CnJointView view = cn_draft_view(draft);
    plan->axes[CN_AXIS_Z].shift += cn_joint_row_value(&plan->axes[CN_AXIS_Z], &view);
    plan->is_spring = true;
    if (def->stroke_lower < 0.0 || def->stroke_upper > 0.0) {
        CnJointAxis* axis = &plan->settings[CN_AXIS_Z];
        axis->limited = true;
        axis->lower = def->stroke_lower;
        axis->upper = def->stroke_upper;
    }
}

CnStatus cn_validate_spring(const CnJointDef* def, const char** field, CnError* error) {
    if (def->spring_table.index != 0 && def->spring != NULL) {
        REFUSE("table", "the spring has both a function and a table; give one");
    }
    return CN_OK;
}
