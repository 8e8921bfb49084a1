// measure.c - measures that several families of joints use, and what measures are written with.
#include "constraints/joints/measure.h"

#define TWO_PI 6.283185307179586

// The images of x, y and z: the columns of the rotation matrix.
static void rotated_axes(CnQuat q, CnVec3 axes[3]) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    axes[0] = cn_vec3(1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy));
    axes[1] = cn_vec3(2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx));
    axes[2] = cn_vec3(2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy));
}

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
    rotated_axes(view.frame_a.rotation, view.axes_a);
    rotated_axes(view.frame_b.rotation, view.axes_b);
    return view;
}

double cn_measure_turns(double value, double near) {
    return value + TWO_PI * floor((near - value) / TWO_PI + 0.5);
}

double cn_measure_value(const CnMeasure* measure, const CnJointView* view, double near) {
    return cn_measure_count(measure, measure->value(measure, view), near);
}

void cn_measure_axes(const CnMeasure* measure, const CnJointView* view, CnVec3 axes[3]) {
    if (measure->axes != NULL) {
        measure->axes(measure, view, axes);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        axes[i] = view->axes_a[i];
    }
}

// ---- what measures are written with ----

CnVec3 cn_joint_offset(const CnJointView* view) {
    return cn_vec3_sub(view->frame_b.position, view->frame_a.position);
}

CnVec3 cn_direction_or_z(CnVec3 d) {
    return cn_vec3_length(d) > 0.0 ? cn_vec3_normalize(d) : cn_vec3(0.0, 0.0, 1.0);
}

void cn_joint_add_row(double row[6], double factor, CnVec3 direction, CnVec3 moment) {
    row[0] += factor * direction.x;
    row[1] += factor * direction.y;
    row[2] += factor * direction.z;
    row[3] += factor * moment.x;
    row[4] += factor * moment.y;
    row[5] += factor * moment.z;
}

void cn_joint_add_turn(CnVec3 g, double factor, double row_a[6], double row_b[6]) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    cn_joint_add_row(row_a, -factor, zero, g);
    cn_joint_add_row(row_b, factor, zero, g);
}

void cn_joint_add_carried(CnVec3 point, CnVec3 center, CnVec3 n, double factor, double row[6]) {
    cn_joint_add_row(row, factor, n, cn_vec3_cross(cn_vec3_sub(point, center), n));
}

void cn_joint_add_point(const CnJointView* view, CnVec3 at, CnVec3 n, double factor,
                        double row_a[6], double row_b[6]) {
    cn_joint_add_carried(at, view->center_a, n, -factor, row_a);
    cn_joint_add_carried(view->frame_b.position, view->center_b, n, factor, row_b);
}

void cn_joint_add_along_b(const CnJointView* view, CnVec3 n, double factor, double row_a[6],
                          double row_b[6]) {
    cn_joint_add_carried(view->frame_a.position, view->center_a, n, -factor, row_a);
    cn_joint_add_carried(view->frame_a.position, view->center_b, n, factor, row_b);
}

// 2 atan2(z, w) of the quaternion between the frames. docs/theory/joints.md (6).
double cn_twist_angle(CnQuat from, CnQuat to, int axis) {
    CnQuat q = cn_quat_multiply(cn_quat_conjugate(from), to);
    const double parts[3] = {q.x, q.y, q.z};
    double z = parts[axis];
    // With both zero the axis points the other way, and the turn about it is undefined.
    return q.w * q.w + z * z > 0.0 ? 2.0 * cn_atan2(z, q.w) : 0.0;
}

// docs/theory/joints.md (7).
CnVec3 cn_twist_gradient(CnQuat from, CnQuat to, int axis) {
    CnQuat q = cn_quat_multiply(cn_quat_conjugate(from), to);
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double parts[3] = {q.x, q.y, q.z};
    double x = parts[next], y = parts[last], z = parts[axis];
    double n = q.w * q.w + z * z, gradient[3] = {0.0, 0.0, 0.0};
    gradient[axis] = 1.0;
    if (n > 0.0) {
        gradient[next] = (q.w * y + z * x) / n;
        gradient[last] = (z * y - q.w * x) / n;
    }
    return cn_quat_rotate(from, cn_vec3(gradient[0], gradient[1], gradient[2]));
}

double cn_dial_angle(CnDial dial) {
    return cn_atan2(cn_vec3_dot(dial.v, dial.s), cn_vec3_dot(dial.v, dial.c));
}

CnVec3 cn_dial_gradient(CnDial dial) {
    double s = cn_vec3_dot(dial.v, dial.s), c = cn_vec3_dot(dial.v, dial.c);
    CnVec3 g = cn_vec3_sub(cn_vec3_scale(c, cn_vec3_cross(dial.v, dial.s)),
                           cn_vec3_scale(s, cn_vec3_cross(dial.v, dial.c)));
    double n = s * s + c * c;
    return n > 0.0 ? cn_vec3_scale(dial.sign / n, g) : cn_vec3(0.0, 0.0, 0.0);
}

// ---- the point of B in A's frame ----

static double offset_value(const CnMeasure* self, const CnJointView* view) {
    return cn_vec3_dot(view->axes_a[self->axis], cn_joint_offset(view));
}

static void offset_row(const CnMeasure* self, const CnJointView* view, double factor,
                       double row_a[6], double row_b[6]) {
    cn_joint_add_point(view, view->frame_b.position, view->axes_a[self->axis], factor, row_a,
                       row_b);
}

#define OFFSET(number)                                                                             \
    { .value = offset_value, .add_row = offset_row, .axis = (number) }

const CnMeasure cn_measure_offset[3] = {OFFSET(0), OFFSET(1), OFFSET(2)};

// ---- the twist about z ----

static double twist_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_twist_angle(view->frame_a.rotation, view->frame_b.rotation, 2);
}

static void twist_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    (void)self;
    CnVec3 gradient = cn_twist_gradient(view->frame_a.rotation, view->frame_b.rotation, 2);
    cn_joint_add_turn(gradient, factor, row_a, row_b);
}

const CnMeasure cn_measure_twist = {
    .value = twist_value, .add_row = twist_row, .is_angle = true, .counts_on = true};

// ---- between the points, along a direction of the world or of B ----

static CnVec3 home_axis(const CnJointView* view) {
    return cn_quat_rotate(view->frames->home_a.rotation, cn_vec3(0.0, 0.0, 1.0));
}

static double along_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_vec3_dot(home_axis(view), cn_joint_offset(view));
}

static void along_row(const CnMeasure* self, const CnJointView* view, double factor,
                      double row_a[6], double row_b[6]) {
    (void)self;
    cn_joint_add_point(view, view->frame_a.position, home_axis(view), factor, row_a, row_b);
}

static void along_axes(const CnMeasure* self, const CnJointView* view, CnVec3 axes[3]) {
    (void)self;
    for (int i = 0; i < 3; ++i) {
        axes[i] = cn_quat_rotate(view->frames->home_a.rotation, cn_vec3(i == 0, i == 1, i == 2));
    }
}

const CnMeasure cn_measure_along = {
    .value = along_value, .add_row = along_row, .axes = along_axes, .is_grounded = true};

static double along_b_value(const CnMeasure* self, const CnJointView* view) {
    (void)self;
    return cn_vec3_dot(view->axes_b[2], cn_joint_offset(view));
}

static void along_b_row(const CnMeasure* self, const CnJointView* view, double factor,
                        double row_a[6], double row_b[6]) {
    (void)self;
    cn_joint_add_along_b(view, view->axes_b[2], factor, row_a, row_b);
}

static void along_b_axes(const CnMeasure* self, const CnJointView* view, CnVec3 axes[3]) {
    (void)self;
    for (int i = 0; i < 3; ++i) {
        axes[i] = view->axes_b[i];
    }
}

const CnMeasure cn_measure_along_b = {
    .value = along_b_value, .add_row = along_b_row, .axes = along_b_axes};
