// prescribed_joints.c - prescribed motion of a point.
//
// fix_point, fix_direction, set_displacement, set_velocity and set_acceleration.
#include "constraints/joints/joint_draft.h"
#include "math/refuse.h"

// A point of the def's A seen from the frame that carries the direction: the world, A or B.
static void plan_directions(CnJointDraft* draft, int first, int last) {
    const CnJointDef* def = draft->def;
    bool absolute = def->body_b.index == 0 || def->body_a.index == 0;
    bool carried_by_a = !absolute && def->direction != CN_DIRECTION_CARRIED_B;
    if (!carried_by_a && def->body_a.index != 0) {
        cn_draft_swap(draft); // the point that moves is B's
    }
    cn_draft_set_common_frame(draft);
    for (int i = first; i <= last; ++i) {
        bool fixed = !absolute && def->direction == CN_DIRECTION_FIXED && first == last;
        CnJointRow row = cn_row_along((CnAxis)i, fixed ? &cn_measure_along : &cn_measure_offset[i]);
        row.terms[0].factor = carried_by_a ? -1.0 : 1.0;
        cn_draft_keep_as_it_is(draft, row);
    }
}

void cn_plan_fix_point(CnJointDraft* draft) {
    plan_directions(draft, CN_AXIS_X, CN_AXIS_Z);
}

void cn_plan_fix_direction(CnJointDraft* draft) {
    plan_directions(draft, CN_AXIS_Z, CN_AXIS_Z);
}

void cn_plan_prescribed(CnJointDraft* draft) {
    bool all = draft->def->series3[0].index != 0;
    plan_directions(draft, all ? CN_AXIS_X : CN_AXIS_Z, CN_AXIS_Z);
}

CnStatus cn_validate_fixed(const CnJointDef* def, const char** field, CnError* error) {
    if (def->direction == CN_DIRECTION_FOLLOW) {
        REFUSE("direction", "direction \"follow\" is for springs; a prescribed motion has fixed, "
                            "carried_a or carried_b");
    }
    return CN_OK;
}

CnStatus cn_validate_prescribed(const CnJointDef* def, const char** field, CnError* error) {
    int count = 0;
    if (def->from_rest && def->type != CN_JOINT_SET_ACCELERATION) {
        REFUSE("from_rest",
               "from_rest is for set_acceleration; a %s has its velocity by its series",
               cn_joint_type_name(def->type));
    }
    for (int i = 0; i < 3; ++i) {
        count += def->series3[i].index != 0;
    }
    if (count != 3 && (count != 0 || def->series.index == 0)) {
        REFUSE("series", "a joint of type %s needs one series, or three for all components",
               cn_joint_type_name(def->type));
    }
    return cn_validate_fixed(def, field, error);
}
