// joint_draft.c - what the plans of joints are put together with.
#include "constraints/joints/joint_draft.h"

CnJointRow cn_row_of(const CnMeasure* measure) {
    return (CnJointRow){
        .terms = {{measure, 1.0, 0.0}},
        .term_count = 1,
        .channel = measure->is_angle ? CN_CHANNEL_JOINT_TURN_Z : CN_CHANNEL_JOINT_Z,
    };
}

CnJointRow cn_row_along(CnAxis axis, const CnMeasure* measure) {
    CnJointRow row = cn_row_of(measure);
    row.channel = (CnChannel)(CN_CHANNEL_JOINT_X + (int)axis);
    return row;
}

CnQuat cn_rotation_from_axes(CnVec3 x, CnVec3 z) {
    CnVec3 y = cn_vec3_cross(z, x);
    double trace = x.x + y.y + z.z;
    if (trace > 0.0) {
        return cn_quat_normalize(cn_quat(1.0 + trace, y.z - z.y, z.x - x.z, x.y - y.x));
    }
    if (x.x >= y.y && x.x >= z.z) {
        return cn_quat_normalize(cn_quat(y.z - z.y, 1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z));
    }
    if (y.y >= z.z) {
        return cn_quat_normalize(cn_quat(z.x - x.z, x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y));
    }
    return cn_quat_normalize(cn_quat(x.y - y.x, z.x + x.z, y.z + z.y, 1.0 - x.x - y.y + z.z));
}

CnQuat cn_rotation_along(CnVec3 z, CnVec3 towards) {
    CnVec3 x = cn_vec3_add_scaled(towards, -cn_vec3_dot(towards, z), z), y;
    if (!(cn_vec3_length(x) > 0.0)) {
        cn_tangent_basis(z, &x, &y);
    }
    return cn_rotation_from_axes(cn_vec3_normalize(x), z);
}

static CnTransform on_body(const CnBodyState* body, CnVec3 point, CnQuat rotation) {
    return (CnTransform){
        cn_quat_unrotate(body->rotation, cn_vec3_sub(point, body->center)),
        cn_quat_multiply(cn_quat_conjugate(body->rotation), rotation),
    };
}

void cn_draft_set_frames(CnJointDraft* draft, CnQuat rotation_a, CnQuat rotation_b) {
    CnJointFrames* frames = &draft->plan->frames;
    frames->a = on_body(draft->a, draft->point_a, rotation_a);
    frames->b = on_body(draft->b, draft->point_b, rotation_b);
    frames->home_a = (CnTransform){draft->point_a, rotation_a};
    frames->home_b = (CnTransform){draft->point_b, rotation_b};
}

void cn_draft_set_common_frame(CnJointDraft* draft) {
    CnQuat rotation = cn_rotation_along(draft->def->axis, draft->def->axis_b);
    cn_draft_set_frames(draft, rotation, rotation);
}

void cn_draft_swap(CnJointDraft* draft) {
    const CnBodyState* body = draft->a;
    CnVec3 point = draft->point_a;
    draft->a = draft->b;
    draft->b = body;
    draft->point_a = draft->point_b;
    draft->point_b = point;
    draft->plan->swapped = true;
}

CnJointView cn_draft_view(const CnJointDraft* draft) {
    return cn_joint_view(&draft->plan->frames, draft->a, draft->b);
}

double cn_draft_distance(const CnJointDraft* draft) {
    return cn_vec3_length(cn_vec3_sub(draft->point_b, draft->point_a));
}

void cn_draft_keep(CnJointDraft* draft, CnJointRow row) {
    CnJointPlan* plan = draft->plan;
    int place = plan->lengths + plan->angles;
    if (!row.terms[0].measure->is_angle) { // before the angles
        for (; place > plan->lengths; --place) {
            plan->kept[place] = plan->kept[place - 1];
        }
        plan->lengths += 1;
    } else {
        plan->angles += 1;
    }
    plan->kept[place] = row;
}

void cn_draft_keep_as_it_is(CnJointDraft* draft, CnJointRow row) {
    CnJointView view = cn_draft_view(draft);
    for (int i = 0; i < row.term_count; ++i) { // angles count on from here
        row.terms[i].near = cn_measure_value(row.terms[i].measure, &view, 0.0);
    }
    row.shift += cn_joint_row_value(&row, &view);
    cn_draft_keep(draft, row);
}

void cn_draft_keep_sum(CnJointDraft* draft, const CnMeasure* first, const CnMeasure* second,
                       double factor) {
    CnJointRow row = cn_row_of(first);
    row.terms[1] = (CnJointTerm){second, factor, 0.0};
    row.term_count = 2;
    row.channel = CN_CHANNEL_TRANSMISSION;
    cn_draft_keep_as_it_is(draft, row);
}

void cn_draft_leave_free(CnJointDraft* draft, CnAxis axis, const CnMeasure* measure) {
    draft->plan->free[axis] = true;
    draft->plan->axes[axis] = cn_row_of(measure);
}
