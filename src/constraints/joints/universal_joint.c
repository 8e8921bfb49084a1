// universal_joint.c - the universal joint: a point in common, and a cross between two axes.
#include "constraints/joints/joint_draft.h"
#include "math/refuse.h"

// ---- the axes of the cross stay square: z of A along x of B, the sine of an angle ----

static double square_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_vec3_dot(view->axes_a[2], view->axes_b[0]);
}

static void square_row(const CnMeasure* self, const CnJointView* view, double factor,
                       double row_a[6], double row_b[6]) {
    (void)self;
    cn_joint_add_turn(cn_vec3_cross(view->axes_b[0], view->axes_a[2]), factor, row_a, row_b);
}

const CnMeasure cn_measure_square = {
    .value = square_value, .add_row = square_row, .is_angle = true};

// ---- B = Rz Rx A when they are: the turns about z of A and about x of B ----

static CnDial cardan_dial(const CnMeasure* self, const CnJointView* view) {
    return self->axis == 2 ? (CnDial){view->axes_b[0], view->axes_a[0], view->axes_a[1], 1.0}
                           : (CnDial){view->axes_a[2], view->axes_b[2], view->axes_b[1], -1.0};
}

static double cardan_value(const CnMeasure* self, const CnJointView* view) {
    return cn_dial_angle(cardan_dial(self, view));
}

static void cardan_row(const CnMeasure* self, const CnJointView* view, double factor,
                       double row_a[6], double row_b[6]) {
    cn_joint_add_turn(cn_dial_gradient(cardan_dial(self, view)), factor, row_a, row_b);
}

#define CARDAN(axis_number)                                                                        \
    {                                                                                              \
        .value = cardan_value, .add_row = cardan_row, .axis = (axis_number), .is_angle = true,     \
        .counts_on = true                                                                          \
    }

static const CnMeasure cardan_x = CARDAN(0), cardan_z = CARDAN(2);

// z of A is the one axis of the cross, x of B the other.
void cn_plan_universal(CnJointDraft* draft) {
    const CnJointDef* def = draft->def;
    CnVec3 z = cn_vec3_add_scaled(def->axis, -cn_vec3_dot(def->axis, def->axis_b), def->axis_b);
    cn_draft_set_frames(draft, cn_rotation_along(def->axis, def->axis_b),
                        cn_rotation_from_axes(def->axis_b, cn_vec3_normalize(z)));
    for (int i = 0; i < 3; ++i) {
        cn_draft_keep(draft, cn_row_along((CnAxis)i, &cn_measure_offset[i]));
    }
    cn_draft_keep(draft, cn_row_along(CN_AXIS_TURN_Y, &cn_measure_square));
    cn_draft_leave_free(draft, CN_AXIS_TURN_Z, &cardan_z);
    cn_draft_leave_free(draft, CN_AXIS_TURN_X, &cardan_x);
}

CnStatus cn_validate_universal(const CnJointDef* def, const char** field, CnError* error) {
    if (!(cn_vec3_length(cn_vec3_cross(def->axis, def->axis_b)) > CN_UNIT_TOLERANCE)) {
        REFUSE("axis_b", "the two axes of a universal joint are parallel; they must be square");
    }
    return CN_OK;
}
