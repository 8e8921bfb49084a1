// pulley_joint.c - the pulley: a rope over two anchors of the world.
#include "constraints/joints/joint_draft.h"
#include "math/refuse.h"

// ---- reach: from the anchor of a body, the origin of its home, to its point ----

static CnVec3 reach(const CnMeasure* self, const CnJointView* view) {
    return self->part == 0 ? cn_vec3_sub(view->frame_a.position, view->frames->home_a.position)
                           : cn_vec3_sub(view->frame_b.position, view->frames->home_b.position);
}

static double reach_value(const CnMeasure* self, const CnJointView* view) {
    return cn_vec3_length(reach(self, view));
}

static void reach_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    CnVec3 n = cn_direction_or_z(reach(self, view));
    if (self->part == 0) {
        cn_joint_add_carried(view->frame_a.position, view->center_a, n, factor, row_a);
    } else {
        cn_joint_add_carried(view->frame_b.position, view->center_b, n, factor, row_b);
    }
}

static void reach_axes(const CnMeasure* self, const CnJointView* view, CnVec3 axes[3]) {
    axes[2] = cn_direction_or_z(reach(self, view));
    cn_tangent_basis(axes[2], &axes[0], &axes[1]);
}

#define REACH(body)                                                                                \
    {                                                                                              \
        .value = reach_value, .add_row = reach_row, .axes = reach_axes, .part = (body),            \
        .is_grounded = true                                                                        \
    }

static const CnMeasure reach_a = REACH(0), reach_b = REACH(1);

void cn_plan_pulley(CnJointDraft* draft) {
    const CnJointDef* def = draft->def;
    CnJointFrames* frames = &draft->plan->frames;
    cn_draft_set_common_frame(draft);
    frames->home_a.position = def->anchor_a;
    frames->home_b.position = def->anchor_b;
    cn_draft_keep_sum(draft, &reach_a, &reach_b, def->ratio);
    if (def->length > 0.0) {
        draft->plan->kept[0].shift = def->length;
    }
    draft->plan->length = draft->plan->kept[0].shift;
}

CnStatus cn_validate_pulley(const CnJointDef* def, const char** field, CnError* error) {
    REQUIRE_POSITIVE(def->ratio, "ratio", "");
    return CN_OK;
}
