// joint_measure.c - how two frames stand to each other: numbers, and how they change with velocity.
#include "constraints/joints/joint_measure.h"

#define TWO_PI 6.283185307179586

// Below this lean [rad] the two factors of the rotation vector come from their series: the first
// term left out is 1e-2 lean^6 = 6e-13, and the closed forms lose lean^-3 units of round-off.
#define SMALL_LEAN 0.02

CnJointView cn_joint_view(const CnJointFrames* frames, const CnBodyState* a, const CnBodyState* b) {
    CnTransform pose_a = {a->center, a->rotation}, pose_b = {b->center, b->rotation};
    CnJointView view = {
        .frames = frames,
        .center_a = a->center,
        .center_b = b->center,
        .frame_a = {cn_transform_point(pose_a, frames->a.position),
                    cn_quat_multiply(a->rotation, frames->a.rotation)},
        .frame_b = {cn_transform_point(pose_b, frames->b.position),
                    cn_quat_multiply(b->rotation, frames->b.rotation)},
    };
    for (int i = 0; i < 3; ++i) {
        CnVec3 axis = cn_vec3(i == 0, i == 1, i == 2);
        view.axes_a[i] = cn_quat_rotate(view.frame_a.rotation, axis);
        view.axes_b[i] = cn_quat_rotate(view.frame_b.rotation, axis);
    }
    return view;
}

static CnVec3 offset(const CnJointView* view) {
    return cn_vec3_sub(view->frame_b.position, view->frame_a.position);
}

static CnVec3 home_axis(CnTransform home) {
    return cn_quat_rotate(home.rotation, cn_vec3(0.0, 0.0, 1.0));
}

static double nearest_turn(double angle, double near) {
    return angle + TWO_PI * floor((near - angle) / TWO_PI + 0.5);
}

static void add_row(double row[6], double factor, CnVec3 direction, CnVec3 moment) {
    row[0] += factor * direction.x;
    row[1] += factor * direction.y;
    row[2] += factor * direction.z;
    row[3] += factor * moment.x;
    row[4] += factor * moment.y;
    row[5] += factor * moment.z;
}

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Rate n . (velocity of a point that B carries - that of the point of A which is there).
static void add_point_row(const CnJointView* view, CnVec3 at, CnVec3 n, double factor,
                          double row_a[6], double row_b[6]) {
    CnVec3 arm_a = cn_vec3_sub(at, view->center_a);
    CnVec3 arm_b = cn_vec3_sub(view->frame_b.position, view->center_b);
    add_row(row_a, -factor, n, cn_vec3_cross(arm_a, n));
    add_row(row_b, factor, n, cn_vec3_cross(arm_b, n));
}

// Rate g . (w_b - w_a).
static void add_turn_row(CnVec3 g, double factor, double row_a[6], double row_b[6]) {
    add_row(row_a, -factor, zero, g);
    add_row(row_b, factor, zero, g);
}

// How one frame is turned about an axis of another (2: z): 2 atan2(z, w) of the quaternion between
// them, and the vector g of its rate g . w, in the axes of the other. docs/theory/joints.md (6),
// (7).
typedef struct Twist {
    double angle; // some turn of it
    CnVec3 gradient;
} Twist;

static Twist twist_between(CnQuat from, CnQuat to, int axis) {
    CnQuat q = cn_quat_multiply(cn_quat_conjugate(from), to);
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double parts[3] = {q.x, q.y, q.z};
    double x = parts[next], y = parts[last], z = parts[axis];
    double n = q.w * q.w + z * z, gradient[3] = {0.0, 0.0, 0.0};
    Twist twist = {0.0, {0.0, 0.0, 0.0}};
    gradient[axis] = 1.0;
    if (n > 0.0) { // else the axis points the other way, and no turn about it can be told
        twist.angle = 2.0 * cn_atan2(z, q.w);
        gradient[next] = (q.w * y + z * x) / n;
        gradient[last] = (z * y - q.w * x) / n;
    }
    twist.gradient = cn_quat_rotate(from, cn_vec3(gradient[0], gradient[1], gradient[2]));
    return twist;
}

static Twist twist_of(const CnJointView* view, int axis) {
    return twist_between(view->frame_a.rotation, view->frame_b.rotation, axis);
}

// How an axis of B leans (2: z): its parts b along A's axes, itself last, the angle, and the
// factors of the rotation vector (-f b_y, f b_x, 0). docs/theory/joints.md (3)-(5).
typedef struct Lean {
    double b[3];
    double angle;  // [0, pi]
    double factor; // f = angle / sin
    double slope;  // (df / d angle) / sin
} Lean;

static Lean lean_of(const CnJointView* view, int axis) {
    Lean lean;
    for (int i = 0; i < 3; ++i) {
        lean.b[i] = cn_vec3_dot(view->axes_b[axis], view->axes_a[(axis + 1 + i) % 3]);
    }
    double sine = sqrt(lean.b[0] * lean.b[0] + lean.b[1] * lean.b[1]);
    lean.angle = cn_atan2(sine, lean.b[2]);
    double x = lean.angle * lean.angle;
    if (lean.angle < SMALL_LEAN) {
        lean.factor = 1.0 + x / 6.0 + 7.0 * x * x / 360.0;
        lean.slope = 1.0 / 3.0 + 2.0 * x / 15.0 + 2.0 * x * x / 63.0;
    } else {
        lean.factor = lean.angle / sine;
        lean.slope = (sine - lean.angle * lean.b[2]) / (sine * sine * sine);
    }
    return lean;
}

// The two parts of the rotation vector: about the next axis, -f b_y, and about the last one, f b_x.
typedef struct Swing {
    int axis; // that leans
    int part; // of b
    double sign;
} Swing;

static Swing about_next(int axis) {
    return (Swing){axis, 1, -1.0};
}

static Swing about_last(int axis) {
    return (Swing){axis, 0, 1.0};
}

static double swing_value(const CnJointView* view, Swing swing) {
    Lean lean = lean_of(view, swing.axis);
    return swing.sign * lean.factor * lean.b[swing.part];
}

// With G_i = z_B x axis_i, the rate of b_i is G_i . w and sin * (rate of the angle) is b_z (b_x G_x
// + b_y G_y) - sin^2 G_z.
static CnVec3 swing_gradient(const CnJointView* view, Swing swing) {
    Lean lean = lean_of(view, swing.axis);
    CnVec3 g[3];
    for (int i = 0; i < 3; ++i) {
        g[i] = cn_vec3_cross(view->axes_b[swing.axis], view->axes_a[(swing.axis + 1 + i) % 3]);
    }
    double sine2 = lean.b[0] * lean.b[0] + lean.b[1] * lean.b[1];
    CnVec3 sideways = cn_vec3_add_scaled(cn_vec3_scale(lean.b[0], g[0]), lean.b[1], g[1]);
    CnVec3 leaning = cn_vec3_add_scaled(cn_vec3_scale(lean.b[2], sideways), -sine2, g[2]);
    CnVec3 sum = cn_vec3_scale(lean.factor, g[swing.part]);
    return cn_vec3_scale(swing.sign,
                         cn_vec3_add_scaled(sum, lean.slope * lean.b[swing.part], leaning));
}

static double cone_value(const CnJointView* view) {
    Lean lean = lean_of(view, 2);
    double x = -lean.factor * lean.b[1], y = view->frames->cone_stretch * lean.factor * lean.b[0];
    return sqrt(x * x + y * y);
}

// Of sqrt(x^2 + (s y)^2) with x and y the parts of the swing; none where there is no lean.
static CnVec3 cone_gradient(const CnJointView* view) {
    Lean lean = lean_of(view, 2);
    double stretch = view->frames->cone_stretch;
    double x = -lean.factor * lean.b[1], y = lean.factor * lean.b[0], size = cone_value(view);
    if (!(size > 0.0)) {
        return zero;
    }
    CnVec3 sum = cn_vec3_scale(x / size, swing_gradient(view, about_next(2)));
    return cn_vec3_add_scaled(sum, stretch * stretch * y / size,
                              swing_gradient(view, about_last(2)));
}

// The angle atan2(v . s, v . c) of an axis v of B in a plane of A (or of A's in B's, sign -1).
typedef struct Dial {
    CnVec3 v, c, s;
    double sign; // of the relative angular velocity
} Dial;

static Dial cardan_z(const CnJointView* view) {
    return (Dial){view->axes_b[0], view->axes_a[0], view->axes_a[1], 1.0};
}

static Dial cardan_x(const CnJointView* view) {
    return (Dial){view->axes_a[2], view->axes_b[2], view->axes_b[1], -1.0};
}

static Dial axis_from_a(const CnJointView* view) {
    return (Dial){view->axes_b[2], view->axes_a[0], view->axes_a[1], 1.0};
}

static Dial axis_from_b(const CnJointView* view) {
    return (Dial){view->axes_a[2], view->axes_b[0], view->axes_b[1], -1.0};
}

static Dial point_from_a(const CnJointView* view) {
    return (Dial){offset(view), view->axes_a[0], view->axes_a[1], 1.0};
}

static Dial point_from_b(const CnJointView* view) {
    return (Dial){cn_vec3_negate(offset(view)), view->axes_b[0], view->axes_b[1], -1.0};
}

static double dial_angle(Dial dial) {
    return cn_atan2(cn_vec3_dot(dial.v, dial.s), cn_vec3_dot(dial.v, dial.c));
}

static CnVec3 dial_gradient(Dial dial) {
    double s = cn_vec3_dot(dial.v, dial.s), c = cn_vec3_dot(dial.v, dial.c);
    CnVec3 g = cn_vec3_sub(cn_vec3_scale(c, cn_vec3_cross(dial.v, dial.s)),
                           cn_vec3_scale(s, cn_vec3_cross(dial.v, dial.c)));
    double n = s * s + c * c;
    return n > 0.0 ? cn_vec3_scale(dial.sign / n, g) : zero;
}

// A point v of one body turns about the origin of the other's dial by t . v' / r^2 with t square to
// the part r of v in the dial's plane and as long; v' is seen from the body that has the dial.
static CnVec3 sideways_of(Dial dial) {
    double s = cn_vec3_dot(dial.v, dial.s), c = cn_vec3_dot(dial.v, dial.c), n = s * s + c * c;
    CnVec3 t = cn_vec3_add_scaled(cn_vec3_scale(c, dial.s), -s, dial.c);
    return n > 0.0 ? cn_vec3_scale(1.0 / n, t) : zero;
}

static CnVec3 direction_or_z(CnVec3 d) {
    return cn_vec3_length(d) > 0.0 ? cn_vec3_normalize(d) : cn_vec3(0.0, 0.0, 1.0);
}

static CnVec3 reach(CnTransform frame, CnTransform home) {
    return cn_vec3_sub(frame.position, home.position);
}

double cn_measure_value(CnMeasure measure, const CnJointView* view, double near) {
    const CnJointFrames* frames = view->frames;
    switch (measure) {
    case CN_MEASURE_X:
    case CN_MEASURE_Y:
    case CN_MEASURE_Z:
        return cn_vec3_dot(view->axes_a[measure - CN_MEASURE_X], offset(view));
    case CN_MEASURE_SWING_X:
        return swing_value(view, about_next(2));
    case CN_MEASURE_SWING_Y:
        return swing_value(view, about_last(2));
    case CN_MEASURE_TWIST:
        return nearest_turn(twist_of(view, 2).angle, near);
    case CN_MEASURE_LEAN_X_Y:
        return swing_value(view, about_next(0));
    case CN_MEASURE_LEAN_X_Z:
        return swing_value(view, about_last(0));
    case CN_MEASURE_TWIST_X:
        return nearest_turn(twist_of(view, 0).angle, near);
    case CN_MEASURE_LEAN_Y_Z:
        return swing_value(view, about_next(1));
    case CN_MEASURE_LEAN_Y_X:
        return swing_value(view, about_last(1));
    case CN_MEASURE_TWIST_Y:
        return nearest_turn(twist_of(view, 1).angle, near);
    case CN_MEASURE_CONE:
        return cone_value(view);
    case CN_MEASURE_SQUARE:
        return cn_vec3_dot(view->axes_a[2], view->axes_b[0]);
    case CN_MEASURE_CARDAN_Z:
        return nearest_turn(dial_angle(cardan_z(view)), near);
    case CN_MEASURE_CARDAN_X:
        return nearest_turn(dial_angle(cardan_x(view)), near);
    case CN_MEASURE_LENGTH:
        return cn_vec3_length(offset(view));
    case CN_MEASURE_TURN_A:
        return nearest_turn(twist_between(frames->home_a.rotation, view->frame_a.rotation, 2).angle,
                            near);
    case CN_MEASURE_TURN_B:
        return nearest_turn(twist_between(frames->home_b.rotation, view->frame_b.rotation, 2).angle,
                            near);
    case CN_MEASURE_MOVE_A:
        return cn_vec3_dot(home_axis(frames->home_a), reach(view->frame_a, frames->home_a));
    case CN_MEASURE_MOVE_B:
        return cn_vec3_dot(home_axis(frames->home_b), reach(view->frame_b, frames->home_b));
    case CN_MEASURE_REACH_A:
        return cn_vec3_length(reach(view->frame_a, frames->home_a));
    case CN_MEASURE_REACH_B:
        return cn_vec3_length(reach(view->frame_b, frames->home_b));
    case CN_MEASURE_ALONG:
        return cn_vec3_dot(home_axis(frames->home_a), offset(view));
    case CN_MEASURE_ALONG_B:
        return cn_vec3_dot(view->axes_b[2], offset(view));
    case CN_MEASURE_POINT_A:
        return nearest_turn(dial_angle(point_from_a(view)), near);
    case CN_MEASURE_POINT_B:
        return nearest_turn(dial_angle(point_from_b(view)), near);
    case CN_MEASURE_AXIS_A:
        return nearest_turn(dial_angle(axis_from_a(view)), near);
    case CN_MEASURE_AXIS_B:
        return nearest_turn(dial_angle(axis_from_b(view)), near);
    default:
        return 0.0;
    }
}

static void add_carried_row(CnVec3 point, CnVec3 center, CnVec3 n, double factor, double row[6]) {
    add_row(row, factor, n, cn_vec3_cross(cn_vec3_sub(point, center), n));
}

// n . (x_b - x_a) with n carried by B turns with B about A's point: mirror of CN_MEASURE_X.
static void add_along_b(const CnJointView* view, CnVec3 n, double factor, double row_a[6],
                        double row_b[6]) {
    add_carried_row(view->frame_a.position, view->center_a, n, -factor, row_a);
    add_carried_row(view->frame_a.position, view->center_b, n, factor, row_b);
}

void cn_measure_add_row(CnMeasure measure, const CnJointView* view, double factor, double row_a[6],
                        double row_b[6]) {
    const CnJointFrames* frames = view->frames;
    CnVec3 point_a = view->frame_a.position, point_b = view->frame_b.position;
    switch (measure) {
    case CN_MEASURE_X:
    case CN_MEASURE_Y:
    case CN_MEASURE_Z:
        add_point_row(view, point_b, view->axes_a[measure - CN_MEASURE_X], factor, row_a, row_b);
        break;
    case CN_MEASURE_SWING_X:
        add_turn_row(swing_gradient(view, about_next(2)), factor, row_a, row_b);
        break;
    case CN_MEASURE_SWING_Y:
        add_turn_row(swing_gradient(view, about_last(2)), factor, row_a, row_b);
        break;
    case CN_MEASURE_TWIST:
        add_turn_row(twist_of(view, 2).gradient, factor, row_a, row_b);
        break;
    case CN_MEASURE_LEAN_X_Y:
        add_turn_row(swing_gradient(view, about_next(0)), factor, row_a, row_b);
        break;
    case CN_MEASURE_LEAN_X_Z:
        add_turn_row(swing_gradient(view, about_last(0)), factor, row_a, row_b);
        break;
    case CN_MEASURE_TWIST_X:
        add_turn_row(twist_of(view, 0).gradient, factor, row_a, row_b);
        break;
    case CN_MEASURE_LEAN_Y_Z:
        add_turn_row(swing_gradient(view, about_next(1)), factor, row_a, row_b);
        break;
    case CN_MEASURE_LEAN_Y_X:
        add_turn_row(swing_gradient(view, about_last(1)), factor, row_a, row_b);
        break;
    case CN_MEASURE_TWIST_Y:
        add_turn_row(twist_of(view, 1).gradient, factor, row_a, row_b);
        break;
    case CN_MEASURE_CONE:
        add_turn_row(cone_gradient(view), factor, row_a, row_b);
        break;
    case CN_MEASURE_SQUARE:
        add_turn_row(cn_vec3_cross(view->axes_b[0], view->axes_a[2]), factor, row_a, row_b);
        break;
    case CN_MEASURE_CARDAN_Z:
        add_turn_row(dial_gradient(cardan_z(view)), factor, row_a, row_b);
        break;
    case CN_MEASURE_CARDAN_X:
        add_turn_row(dial_gradient(cardan_x(view)), factor, row_a, row_b);
        break;
    case CN_MEASURE_LENGTH:
        add_point_row(view, point_a, direction_or_z(offset(view)), factor, row_a, row_b);
        break;
    case CN_MEASURE_TURN_A:
        add_row(row_a, factor, zero,
                twist_between(frames->home_a.rotation, view->frame_a.rotation, 2).gradient);
        break;
    case CN_MEASURE_TURN_B:
        add_row(row_b, factor, zero,
                twist_between(frames->home_b.rotation, view->frame_b.rotation, 2).gradient);
        break;
    case CN_MEASURE_MOVE_A:
        add_carried_row(point_a, view->center_a, home_axis(frames->home_a), factor, row_a);
        break;
    case CN_MEASURE_MOVE_B:
        add_carried_row(point_b, view->center_b, home_axis(frames->home_b), factor, row_b);
        break;
    case CN_MEASURE_REACH_A:
        add_carried_row(point_a, view->center_a,
                        direction_or_z(reach(view->frame_a, frames->home_a)), factor, row_a);
        break;
    case CN_MEASURE_REACH_B:
        add_carried_row(point_b, view->center_b,
                        direction_or_z(reach(view->frame_b, frames->home_b)), factor, row_b);
        break;
    case CN_MEASURE_ALONG:
        add_point_row(view, point_a, home_axis(frames->home_a), factor, row_a, row_b);
        break;
    case CN_MEASURE_ALONG_B:
        add_along_b(view, view->axes_b[2], factor, row_a, row_b);
        break;
    case CN_MEASURE_POINT_A:
        add_point_row(view, point_b, sideways_of(point_from_a(view)), factor, row_a, row_b);
        break;
    case CN_MEASURE_POINT_B:
        add_along_b(view, sideways_of(point_from_b(view)), -factor, row_a, row_b);
        break;
    case CN_MEASURE_AXIS_A:
        add_turn_row(dial_gradient(axis_from_a(view)), factor, row_a, row_b);
        break;
    case CN_MEASURE_AXIS_B:
        add_turn_row(dial_gradient(axis_from_b(view)), factor, row_a, row_b);
        break;
    default:
        break;
    }
}

static void axes_along(CnVec3 n, CnVec3 axes[3]) {
    axes[2] = n;
    cn_tangent_basis(n, &axes[0], &axes[1]);
}

void cn_measure_axes(CnMeasure measure, const CnJointView* view, CnVec3 axes[3]) {
    for (int i = 0; i < 3; ++i) {
        CnVec3 unit = cn_vec3(i == 0, i == 1, i == 2);
        axes[i] = measure == CN_MEASURE_ALONG ? cn_quat_rotate(view->frames->home_a.rotation, unit)
                  : measure == CN_MEASURE_ALONG_B ? view->axes_b[i]
                                                  : view->axes_a[i];
    }
    if (measure == CN_MEASURE_LENGTH) {
        axes_along(direction_or_z(offset(view)), axes);
    } else if (measure == CN_MEASURE_REACH_A) {
        axes_along(direction_or_z(reach(view->frame_a, view->frames->home_a)), axes);
    }
}

static bool is_dial(CnMeasure measure) {
    return measure >= CN_MEASURE_POINT_A && measure <= CN_MEASURE_AXIS_B;
}

bool cn_measure_is_angle(CnMeasure measure) {
    return (measure >= CN_MEASURE_SWING_X && measure <= CN_MEASURE_CARDAN_X) ||
           measure == CN_MEASURE_TURN_A || measure == CN_MEASURE_TURN_B || is_dial(measure);
}

bool cn_measure_is_grounded(CnMeasure measure) {
    return measure >= CN_MEASURE_TURN_A && measure <= CN_MEASURE_ALONG;
}

bool cn_measure_counts_on(CnMeasure measure) {
    return measure == CN_MEASURE_TWIST || measure == CN_MEASURE_TWIST_X ||
           measure == CN_MEASURE_TWIST_Y || measure == CN_MEASURE_CARDAN_Z ||
           measure == CN_MEASURE_CARDAN_X || measure == CN_MEASURE_TURN_A ||
           measure == CN_MEASURE_TURN_B || is_dial(measure);
}

bool cn_measure_is_lean(CnMeasure measure) {
    return measure == CN_MEASURE_SWING_X || measure == CN_MEASURE_SWING_Y;
}
