// drive.c - kinematic bodies that follow series: docs/theory/series.md (10) to (12).
#include "world/bodies/drive.h"

#include "base/error.h"

#define COURSES 4 // three of the position, one of the angle

static CnSeriesId course_of(const CnBodyMotion* motion, int course) {
    return course < 3 ? motion->position[course] : motion->angle;
}

static const CnCurve* curve_of(const CnWorld* world, const CnBodyMotion* motion, int course) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(course_of(motion, course)));
    return series != NULL ? &series->curve : NULL;
}

bool cn_motion_is_given(const CnBodyMotion* motion) {
    bool given = false;
    for (int i = 0; i < COURSES; ++i) {
        given = given || course_of(motion, i).index != 0;
    }
    return given;
}

// What the series have changed since the start, and how fast they change.
static void read_courses(const CnWorld* world, const CnDrive* drive, double time,
                         double change[COURSES], double rate[COURSES]) {
    for (int i = 0; i < COURSES; ++i) {
        const CnCurve* curve = curve_of(world, &drive->motion, i);
        change[i] = curve != NULL ? cn_curve_value(curve, time) - drive->start[i] : 0.0;
        rate[i] = curve != NULL ? cn_curve_slope(curve, time) : 0.0;
    }
}

// (10), (11)
static CnBodyState state_at(const CnWorld* world, const CnBody* body, const CnDrive* drive,
                            double time) {
    const CnBodyMotion* motion = &drive->motion;
    double change[COURSES], rate[COURSES];
    read_courses(world, drive, time, change, rate);
    CnVec3 shift = cn_quat_rotate(motion->axes, cn_vec3(change[0], change[1], change[2]));
    CnVec3 velocity = cn_quat_rotate(motion->axes, cn_vec3(rate[0], rate[1], rate[2]));
    CnQuat turn =
        change[3] != 0.0 ? cn_quat_from_axis_angle(motion->axis, change[3]) : cn_quat_identity();
    CnBodyState state = {
        .rotation = cn_quat_normalize(cn_quat_multiply(turn, drive->rotation)),
        .angular_velocity = cn_vec3_scale(rate[3], motion->axis),
    };
    CnVec3 arm = cn_quat_rotate(state.rotation, body->center);
    state.center = cn_vec3_add(cn_vec3_add(drive->position, shift), arm);
    state.velocity = cn_vec3_add(velocity, cn_vec3_cross(state.angular_velocity, arm));
    return state;
}

CnBodyState cn_drive_state(const CnWorld* world, int body) {
    return state_at(world, &world->bodies.data[body], world->details.data[body].drive, world->time);
}

// (12): the turn is about one axis, so that its mean rate is known beyond half a turn too.
static void aim(CnWorld* world, CnBody* body, const CnDrive* drive) {
    double dt = world->step.dt, time = world->step.time;
    double now[COURSES], then[COURSES], rate[COURSES];
    CnBodyState end = state_at(world, body, drive, time + dt);
    if (!(dt > 0.0)) {
        body->state.velocity = end.velocity;
        body->state.angular_velocity = end.angular_velocity;
        return;
    }
    read_courses(world, drive, time, now, rate);
    read_courses(world, drive, time + dt, then, rate);
    body->state.velocity = cn_vec3_scale(1.0 / dt, cn_vec3_sub(end.center, body->state.center));
    body->state.angular_velocity = cn_vec3_scale((then[3] - now[3]) / dt, drive->motion.axis);
}

// NULL: the body follows none, or is not kinematic for now.
static const CnDrive* drive_of(const CnWorld* world, int body) {
    bool follows = world->bodies.data[body].type == CN_BODY_KINEMATIC;
    return follows ? world->details.data[body].drive : NULL;
}

void cn_drives_begin(CnWorld* world) {
    for (int i = 0; world->driven_count > 0 && i < world->bodies.count; ++i) {
        const CnDrive* drive = drive_of(world, i);
        if (drive != NULL) {
            aim(world, &world->bodies.data[i], drive);
        }
    }
}

CnStatus cn_drives_end(CnWorld* world, CnError* error) {
    for (int i = 0; world->driven_count > 0 && i < world->bodies.count; ++i) {
        const CnDrive* drive = drive_of(world, i);
        CnBody* body = &world->bodies.data[i];
        if (drive == NULL) {
            continue;
        }
        CnBodyState state = state_at(world, body, drive, world->time);
        if (!cn_body_state_is_finite(&state)) {
            return cn_error_set(error, CN_UNSUPPORTED,
                                "the series that move body %d \"%s\" lead to no finite pose or "
                                "velocity at t = %g s",
                                i, world->details.data[i].name, world->time);
        }
        body->state = state;
    }
    return CN_OK;
}

CnStatus cn_drive_start(CnWorld* world, int body, const CnBodyMotion* motion, CnError* error) {
    const CnBody* own = &world->bodies.data[body];
    CnDrive* drive = cn_allocate(&world->allocator, 1, sizeof *drive);
    if (drive == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the motion of a body");
    }
    *drive = (CnDrive){
        .motion = *motion,
        .position =
            cn_vec3_sub(own->state.center, cn_quat_rotate(own->state.rotation, own->center)),
        .rotation = own->state.rotation,
    };
    drive->motion.axes = cn_quat_normalize(motion->axes);
    drive->motion.axis = cn_vec3_normalize(motion->axis);
    for (int i = 0; i < COURSES; ++i) {
        const CnCurve* curve = curve_of(world, motion, i);
        if (curve == NULL && course_of(motion, i).index != 0) {
            cn_release(&world->allocator, drive);
            return cn_error_set(error, CN_STALE, "a series of the body's motion does not exist");
        }
        drive->start[i] = curve != NULL ? cn_curve_value(curve, world->time) : 0.0;
    }
    CnBodyState state = state_at(world, own, drive, world->time);
    if (!cn_body_state_is_finite(&state)) {
        cn_release(&world->allocator, drive);
        return cn_error_set(error, CN_INVALID,
                            "the series of the body's motion have no finite value or slope at "
                            "t = %g s",
                            world->time);
    }
    world->details.data[body].drive = drive;
    return CN_OK;
}
