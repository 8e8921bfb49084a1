// gear_joints.c - joints that couple motions: gear, rack_and_pinion; what mimics need.
//
// Turns and moves are measured from the world, or with two points from what carries both bodies.
// docs/theory/joints.md (13), (14).
#include "constraints/joints/joint_draft.h"
#include "math/refuse.h"

// Sine of the angle between axes of a gear below which they are parallel [-].
#define PARALLEL 1e-6

// ---- from the world: turn of a frame about z of its home, move of B's point along z of its home
// --

static CnQuat turned_home(const CnMeasure* self, const CnJointView* view) {
    return self->part == 0 ? view->frames->home_a.rotation : view->frames->home_b.rotation;
}

static CnQuat turned_frame(const CnMeasure* self, const CnJointView* view) {
    return self->part == 0 ? view->frame_a.rotation : view->frame_b.rotation;
}

static double turn_value(const CnMeasure* self, const CnJointView* view) {
    return cn_twist_angle(turned_home(self, view), turned_frame(self, view), 2);
}

static void turn_row(const CnMeasure* self, const CnJointView* view, double factor, double row_a[6],
                     double row_b[6]) {
    cn_joint_add_row(self->part == 0 ? row_a : row_b, factor, cn_vec3(0.0, 0.0, 0.0),
                     cn_twist_gradient(turned_home(self, view), turned_frame(self, view), 2));
}

#define TURN(body)                                                                                 \
    {                                                                                              \
        .value = turn_value, .add_row = turn_row, .part = (body), .is_angle = true,                \
        .counts_on = true, .is_grounded = true                                                     \
    }

static const CnMeasure turn_a = TURN(0), turn_b = TURN(1);

static CnVec3 rail(const CnJointView* view) {
    return cn_quat_rotate(view->frames->home_b.rotation, cn_vec3(0.0, 0.0, 1.0));
}

static double move_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_vec3_dot(rail(view),
                       cn_vec3_sub(view->frame_b.position, view->frames->home_b.position));
}

static void move_row(const CnMeasure* self, const CnJointView* view, double factor, double row_a[6],
                     double row_b[6]) {
    (void)self, (void)row_a;
    cn_joint_add_carried(view->frame_b.position, view->center_b, rail(view), factor, row_b);
}

static const CnMeasure move_b = {.value = move_value, .add_row = move_row, .is_grounded = true};

// ---- from what carries both: the angle of the other's axis, or point, about z of the own frame
// ---

static CnDial axis_dial(const CnMeasure* self, const CnJointView* view) {
    return self->part == 0 ? (CnDial){view->axes_b[2], view->axes_a[0], view->axes_a[1], 1.0}
                           : (CnDial){view->axes_a[2], view->axes_b[0], view->axes_b[1], -1.0};
}

static double axis_value(const CnMeasure* self, const CnJointView* view) {
    return cn_dial_angle(axis_dial(self, view));
}

static void axis_row(const CnMeasure* self, const CnJointView* view, double factor, double row_a[6],
                     double row_b[6]) {
    cn_joint_add_turn(cn_dial_gradient(axis_dial(self, view)), factor, row_a, row_b);
}

static CnDial point_dial(const CnMeasure* self, const CnJointView* view) {
    CnVec3 offset = cn_joint_offset(view);
    return self->part == 0
               ? (CnDial){offset, view->axes_a[0], view->axes_a[1], 1.0}
               : (CnDial){cn_vec3_negate(offset), view->axes_b[0], view->axes_b[1], -1.0};
}

static double point_value(const CnMeasure* self, const CnJointView* view) {
    return cn_dial_angle(point_dial(self, view));
}

// A point v of one body turns about the origin of the other's dial by t . v' / r^2 with t square to
// the part r of v in the dial's plane and as long; v' is seen from the body that has the dial.
static CnVec3 sideways_of(CnDial dial) {
    double s = cn_vec3_dot(dial.v, dial.s), c = cn_vec3_dot(dial.v, dial.c), n = s * s + c * c;
    CnVec3 t = cn_vec3_add_scaled(cn_vec3_scale(c, dial.s), -s, dial.c);
    return n > 0.0 ? cn_vec3_scale(1.0 / n, t) : cn_vec3(0.0, 0.0, 0.0);
}

static void point_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    CnVec3 sideways = sideways_of(point_dial(self, view));
    if (self->part == 0) {
        cn_joint_add_point(view, view->frame_b.position, sideways, factor, row_a, row_b);
    } else {
        cn_joint_add_along_b(view, sideways, -factor, row_a, row_b);
    }
}

#define DIAL(what, body)                                                                           \
    {                                                                                              \
        .value = what##_value, .add_row = what##_row, .part = (body), .is_angle = true,            \
        .counts_on = true                                                                          \
    }

static const CnMeasure axis_from_a = DIAL(axis, 0), axis_from_b = DIAL(axis, 1);
static const CnMeasure point_from_a = DIAL(point, 0), point_from_b = DIAL(point, 1);

// ---- plans ----

static bool has_parallel_axes(const CnJointDef* def) {
    return cn_vec3_length(cn_vec3_cross(def->axis, def->axis_b)) <= PARALLEL;
}

static void set_own_frames(CnJointDraft* draft) {
    CnVec3 any = {0.0, 0.0, 0.0};
    cn_draft_set_frames(draft, cn_rotation_along(draft->def->axis, any),
                        cn_rotation_along(draft->def->axis_b, any));
}

// With a point on each wheel, turns are counted from the line between the two axes, which moves
// with the carrier of both: from point to point when the axes are parallel, else from axis to axis.
// (13)
void cn_plan_gear(CnJointDraft* draft) {
    const CnJointDef* def = draft->def;
    set_own_frames(draft);
    if (!def->two_points) {
        cn_draft_keep_sum(draft, &turn_a, &turn_b, def->ratio);
    } else if (has_parallel_axes(def)) {
        cn_draft_keep_sum(draft, &point_from_a, &point_from_b, def->ratio);
    } else {
        cn_draft_keep_sum(draft, &axis_from_a, &axis_from_b, def->ratio);
    }
}

void cn_plan_rack_and_pinion(CnJointDraft* draft) {
    set_own_frames(draft);
    if (draft->def->two_points) { // from the direction of the rack (14)
        cn_draft_keep_sum(draft, &cn_measure_along_b, &axis_from_a, draft->def->ratio);
    } else {
        cn_draft_keep_sum(draft, &move_b, &turn_a, -draft->def->ratio);
    }
}

// ---- what they need ----

static CnStatus validate_ratio(const CnJointDef* def, const char** field, CnError* error) {
    if (def->ratio == 0.0) {
        REFUSE("ratio", "ratio is 0; the two would not be coupled");
    }
    return CN_OK;
}

// Between two points: the line that turns are counted from must be there.
CnStatus cn_validate_gear(const CnJointDef* def, const char** field, CnError* error) {
    CnVec3 apart = cn_vec3_sub(def->point_b, def->point_a);
    bool coaxial =
        cn_vec3_length(cn_vec3_cross(def->axis, apart)) <= PARALLEL * cn_vec3_length(apart);
    if (def->two_points && has_parallel_axes(def) && coaxial) {
        REFUSE("point_b", "the two wheels have one axis; without point_b they are measured from "
                          "the world");
    }
    return validate_ratio(def, field, error);
}

CnStatus cn_validate_rack_and_pinion(const CnJointDef* def, const char** field, CnError* error) {
    if (def->two_points && has_parallel_axes(def)) {
        REFUSE("axis_b", "the rack moves along the axis of its pinion; it must move across it");
    }
    return validate_ratio(def, field, error);
}

CnStatus cn_validate_mimic(const CnJointDef* def, const char** field, CnError* error) {
    if (!isfinite(def->offset)) {
        REFUSE("offset", "offset is %g; it must be a finite number", def->offset);
    }
    return validate_ratio(def, field, error);
}
