// frame_joints.c - joints that keep some of the six coordinates of one frame in another.
//
// Ball, hinge, slider, cylindrical, planar, weld, six_axis and screw. Turns are a swing and a
// twist: docs/theory/joints.md (3)-(7), (16).
#include "constraints/joints/joint_draft.h"

#define TWO_PI 6.283185307179586

// How an axis of B leans (2: z): its parts b along A's axes, itself last, and the factors of the
// rotation vector (-f b_y, f b_x, 0). docs/theory/joints.md (3)-(5).
typedef struct Lean {
    double b[3];
    double factor; // f = angle / sin
    double slope;  // (df / d angle) / sin
} Lean;

static Lean lean_of(const CnJointView* view, int axis) {
    Lean lean;
    for (int i = 0; i < 3; ++i) {
        lean.b[i] = cn_vec3_dot(view->axes_b[axis], view->axes_a[(axis + 1 + i) % 3]);
    }
    double x = lean.b[0] * lean.b[0] + lean.b[1] * lean.b[1]; // sine^2
    if (lean.b[2] > 0.0 && x < CN_SMALL_LEAN * CN_SMALL_LEAN) {
        lean.factor =
            1.0 + x * (1.0 / 6.0 + x * (3.0 / 40.0 + x * (5.0 / 112.0 + x * (35.0 / 1152.0))));
        lean.slope = 1.0 / 3.0 + x * (2.0 / 15.0 + x * (8.0 / 105.0 + x * (16.0 / 315.0)));
    } else {
        double sine = sqrt(x), angle = cn_atan2(sine, lean.b[2]);
        lean.factor = angle / sine;
        lean.slope = (sine - angle * lean.b[2]) / (sine * sine * sine);
    }
    return lean;
}

// ---- swing: the two parts of the rotation vector that takes an axis of A to that of B ----

// About the next axis, -f b_y; about the last one, f b_x. self->axis is the one that leans.
enum { ABOUT_LAST, ABOUT_NEXT }; // the part of b

static double sign_of(const CnMeasure* self) {
    return self->part == ABOUT_NEXT ? -1.0 : 1.0;
}

static double value_of(const Lean* lean, const CnMeasure* self) {
    return sign_of(self) * lean->factor * lean->b[self->part];
}

static double swing_value(const CnMeasure* self, const CnJointView* view) {
    Lean lean = lean_of(view, self->axis);
    return value_of(&lean, self);
}

// What the gradients of both parts are made of. With G_i = z_B x axis_i, the rate of b_i is G_i . w
// and sin * (rate of the angle) is b_z (b_x G_x + b_y G_y) - sin^2 G_z.
typedef struct Swing {
    Lean lean;
    CnVec3 g[3];
    CnVec3 leaning;
} Swing;

static Swing swing_of(const CnJointView* view, int axis) {
    Swing swing = {.lean = lean_of(view, axis)};
    const double* b = swing.lean.b;
    for (int i = 0; i < 3; ++i) {
        swing.g[i] = cn_vec3_cross(view->axes_b[axis], view->axes_a[(axis + 1 + i) % 3]);
    }
    double sine2 = b[0] * b[0] + b[1] * b[1];
    CnVec3 sideways = cn_vec3_add_scaled(cn_vec3_scale(b[0], swing.g[0]), b[1], swing.g[1]);
    swing.leaning = cn_vec3_add_scaled(cn_vec3_scale(b[2], sideways), -sine2, swing.g[2]);
    return swing;
}

static CnVec3 gradient_of(const Swing* swing, const CnMeasure* self) {
    const Lean* lean = &swing->lean;
    CnVec3 sum = cn_vec3_scale(lean->factor, swing->g[self->part]);
    return cn_vec3_scale(
        sign_of(self), cn_vec3_add_scaled(sum, lean->slope * lean->b[self->part], swing->leaning));
}

static CnVec3 swing_gradient(const CnMeasure* self, const CnJointView* view) {
    Swing swing = swing_of(view, self->axis);
    return gradient_of(&swing, self);
}

static void swing_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    cn_joint_add_turn(swing_gradient(self, view), factor, row_a, row_b);
}

#define SWING(axis_number, about)                                                                  \
    {                                                                                              \
        .value = swing_value, .add_row = swing_row, .axis = (axis_number), .part = (about),        \
        .is_angle = true, .leans = (axis_number) == 2                                              \
    }

static const CnMeasure swing_x = SWING(2, ABOUT_NEXT), swing_y = SWING(2, ABOUT_LAST);

// ---- rows that most joints keep, without a call for each ----

static bool is_plain(const CnJointRow* row, const CnMeasure* measure) {
    return row->term_count == 1 && row->terms[0].measure == measure &&
           row->terms[0].factor == 1.0 && row->shift == 0.0;
}

void cn_write_point_rows(const CnJointView* view, double (*row_a)[6], double (*row_b)[6]) {
    CnVec3 at = view->frame_b.position;
    CnVec3 arm_a = cn_vec3_sub(at, view->center_a), arm_b = cn_vec3_sub(at, view->center_b);
    for (int i = 0; i < 3; ++i) {
        CnVec3 n = view->axes_a[i];
        cn_joint_set_row(row_a[i], -1.0, n, cn_vec3_cross(arm_a, n));
        cn_joint_set_row(row_b[i], 1.0, n, cn_vec3_cross(arm_b, n));
    }
}

void cn_write_turn_rows(const CnVec3* gradient, int count, double (*row_a)[6], double (*row_b)[6]) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        cn_joint_set_row(row_a[i], -1.0, zero, gradient[i]);
        cn_joint_set_row(row_b[i], 1.0, zero, gradient[i]);
    }
}

static void read_point(const CnJointView* view, unsigned what, CnConstraintReading* reading) {
    CnVec3 offset = cn_joint_offset(view);
    for (int i = 0; (what & CN_READ_VALUES) != 0 && i < 3; ++i) {
        reading->value[i] = cn_vec3_dot(view->axes_a[i], offset);
    }
    if ((what & CN_READ_JACOBIANS) != 0) {
        cn_write_point_rows(view, reading->jacobian_a, reading->jacobian_b);
    }
}

void cn_read_swing(const CnJointView* view, double value[2], CnVec3 gradient[2]) {
    const CnMeasure* const parts[2] = {&swing_x, &swing_y};
    Swing swing = swing_of(view, 2);
    for (int i = 0; i < 2; ++i) {
        value[i] = value_of(&swing.lean, parts[i]);
        gradient[i] = gradient_of(&swing, parts[i]);
    }
}

static void read_swing(const CnJointView* view, unsigned what, int first,
                       CnConstraintReading* reading) {
    CnVec3 gradient[2];
    if (what == CN_READ_VALUES) {
        Lean lean = lean_of(view, 2);
        reading->value[first] = value_of(&lean, &swing_x);
        reading->value[first + 1] = value_of(&lean, &swing_y);
        return;
    }
    cn_read_swing(view, reading->value + first, gradient);
    cn_write_turn_rows(gradient, 2, reading->jacobian_a + first, reading->jacobian_b + first);
}

static bool is_point(const CnJointRow* rows, int count) {
    return count >= 3 && is_plain(&rows[0], &cn_measure_offset[0]) &&
           is_plain(&rows[1], &cn_measure_offset[1]) && is_plain(&rows[2], &cn_measure_offset[2]);
}

static bool is_swing(const CnJointRow* rows, int count) {
    return count >= 2 && is_plain(&rows[0], &swing_x) && is_plain(&rows[1], &swing_y);
}

static bool is_slider(const CnJointRow* rows, int count) {
    return count == 5 && is_plain(&rows[0], &cn_measure_offset[0]) &&
           is_plain(&rows[1], &cn_measure_offset[1]) && is_swing(rows + 2, 2) &&
           is_plain(&rows[4], &cn_measure_twist);
}

CnFrameForm cn_frame_form(const CnJointRow* rows, int count) {
    bool has_point = is_point(rows, count);
    return has_point && count == 3                                             ? CN_FORM_POINT
           : has_point && count == 5 && is_swing(rows + 3, count - 3)          ? CN_FORM_HINGE
           : has_point && count == 4 && is_plain(&rows[3], &cn_measure_square) ? CN_FORM_UNIVERSAL
           : is_slider(rows, count)                                            ? CN_FORM_SLIDER
                                                                               : CN_FORM_OTHER;
}

int cn_read_frame_rows(const CnJointRow* rows, int count, const CnJointView* view, unsigned what,
                       CnConstraintReading* reading) {
    int done = 0;
    if (is_point(rows, count)) {
        read_point(view, what, reading);
        done = 3;
    }
    if (is_swing(rows + done, count - done)) {
        read_swing(view, what, done, reading);
        done += 2;
    }
    return done;
}

// ---- where x or y is the only free turn: twist about it, and how it leans ----

static double twist_value(const CnMeasure* self, const CnJointView* view) {
    return cn_twist_angle(view->frame_a.rotation, view->frame_b.rotation, self->axis);
}

static void twist_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    CnVec3 gradient = cn_twist_gradient(view->frame_a.rotation, view->frame_b.rotation, self->axis);
    cn_joint_add_turn(gradient, factor, row_a, row_b);
}

#define TWIST(axis_number)                                                                         \
    {                                                                                              \
        .value = twist_value, .add_row = twist_row, .axis = (axis_number), .is_angle = true,       \
        .counts_on = true                                                                          \
    }

// Turns about x, y and z.
static const CnMeasure about_x[3] = {TWIST(0), SWING(0, ABOUT_NEXT), SWING(0, ABOUT_LAST)};
static const CnMeasure about_y[3] = {SWING(1, ABOUT_LAST), TWIST(1), SWING(1, ABOUT_NEXT)};

// ---- cone: length of the swing, with its y stretched ----

static double cone_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    Lean lean = lean_of(view, 2);
    double x = -lean.factor * lean.b[1], y = view->frames->cone_stretch * lean.factor * lean.b[0];
    return sqrt(x * x + y * y);
}

// Of sqrt(x^2 + (s y)^2) with x and y the parts of the swing; none where there is no lean.
static void cone_row(const CnMeasure* self, const CnJointView* view, double factor, double row_a[6],
                     double row_b[6]) {
    Lean lean = lean_of(view, 2);
    double stretch = view->frames->cone_stretch;
    double x = -lean.factor * lean.b[1], y = lean.factor * lean.b[0], size = cone_value(self, view);
    CnVec3 gradient = {0.0, 0.0, 0.0};
    if (size > 0.0) {
        gradient = cn_vec3_add_scaled(cn_vec3_scale(x / size, swing_gradient(&swing_x, view)),
                                      stretch * stretch * y / size, swing_gradient(&swing_y, view));
    }
    cn_joint_add_turn(gradient, factor, row_a, row_b);
}

static const CnMeasure cone = {.value = cone_value, .add_row = cone_row, .is_angle = true};

// ---- plans ----

// Where x or y is the only free turn it is the axis that twists, so that it counts on as that about
// z does: docs/theory/joints.md (16).
static const CnMeasure* coordinate(CnAxis axis, unsigned locked) {
    const CnMeasure* const about_z[3] = {&swing_x, &swing_y, &cn_measure_twist};
    unsigned free_turns = CN_LOCK_TURNS & ~locked;
    if (axis < CN_AXIS_TURN_X) {
        return &cn_measure_offset[axis];
    }
    int turn = (int)axis - CN_AXIS_TURN_X;
    return free_turns == 1u << CN_AXIS_TURN_X   ? &about_x[turn]
           : free_turns == 1u << CN_AXIS_TURN_Y ? &about_y[turn]
                                                : about_z[turn];
}

void cn_draft_lock_axes(CnJointDraft* draft, unsigned locked) {
    cn_draft_set_common_frame(draft);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        const CnMeasure* measure = coordinate((CnAxis)i, locked);
        if ((locked >> i & 1u) != 0) {
            cn_draft_keep(draft, cn_row_along((CnAxis)i, measure));
        } else {
            cn_draft_leave_free(draft, (CnAxis)i, measure);
        }
    }
}

void cn_plan_ball(CnJointDraft* draft) {
    CnJointPlan* plan = draft->plan;
    double limit = draft->def->swing_limit, limit_y = draft->def->swing_limit_y;
    cn_draft_lock_axes(draft, CN_LOCK_POINT);
    if (limit > 0.0) {
        plan->has_limit = true;
        plan->limit_row = cn_row_of(&cone);
        plan->limit = limit;
        plan->frames.cone_stretch = limit_y > 0.0 ? limit / limit_y : 1.0;
    }
}

void cn_plan_hinge(CnJointDraft* draft) {
    cn_draft_lock_axes(draft, CN_LOCK_POINT | CN_LOCK_SWING);
}

void cn_plan_slider(CnJointDraft* draft) {
    cn_draft_lock_axes(draft, 1u << CN_AXIS_X | 1u << CN_AXIS_Y | CN_LOCK_TURNS);
}

void cn_plan_cylindrical(CnJointDraft* draft) {
    cn_draft_lock_axes(draft, 1u << CN_AXIS_X | 1u << CN_AXIS_Y | CN_LOCK_SWING);
}

void cn_plan_planar(CnJointDraft* draft) {
    cn_draft_lock_axes(draft, 1u << CN_AXIS_Z | CN_LOCK_SWING);
}

void cn_plan_weld(CnJointDraft* draft) {
    cn_draft_lock_axes(draft, CN_LOCK_POINT | CN_LOCK_TURNS);
}

void cn_plan_six_axis(CnJointDraft* draft) {
    unsigned locked = 0;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        locked |= draft->def->axes[i].motion == CN_AXIS_LOCKED ? 1u << i : 0u;
    }
    cn_draft_lock_axes(draft, locked);
}

// Cylindrical, with z tied to the turn about z by the thread.
void cn_plan_screw(CnJointDraft* draft) {
    cn_plan_cylindrical(draft);
    draft->plan->free[CN_AXIS_Z] = false;
    cn_draft_keep_sum(draft, &cn_measure_offset[2], &cn_measure_twist, -draft->def->pitch / TWO_PI);
}
