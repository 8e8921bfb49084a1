// advance.c - time of frames cut into steps, and poses between two steps.
#include "world/loop/advance.h"

#include "base/error.h"
#include "base/guard.h"
#include "world/bodies/body_settings.h"
#include "world/validate.h"
#include "world/world.h"

#include <math.h>

// A step is due when all of it but this share has passed: frames that are meant to be a whole
// number of steps, such as 0.05 s of 1/60 s, may miss it by their round-off.
#define DUE_TOLERANCE 1e-9

#define MAX_ELAPSED 1e12 // [s]: the clock of who asks for more is broken

CnAdvanceSettings cn_advance_settings_default(void) {
    return (CnAdvanceSettings){.dt = 1.0 / 60.0, .max_steps = 8, .guard = CN_DEF_GUARD};
}

static CnStatus check_settings(const CnWorld* world, double elapsed,
                               const CnAdvanceSettings* settings, CnError* error) {
    if (settings->guard != CN_DEF_GUARD) {
        return cn_error_set(error, CN_INVALID,
                            "settings were not made by cn_advance_settings_default()");
    }
    if (!(elapsed >= 0.0 && elapsed <= MAX_ELAPSED)) {
        return cn_error_set(error, CN_INVALID, "elapsed is %g s; it must be from 0 to %g", elapsed,
                            MAX_ELAPSED);
    }
    if (!(settings->dt > 0.0 && isfinite(settings->dt))) {
        return cn_error_set(error, CN_INVALID, "dt is %g s; it must be positive", settings->dt);
    }
    if (settings->max_steps < 1 || settings->max_steps > 1000000) {
        return cn_error_set(error, CN_INVALID, "max_steps is %d; it must be from 1 to 1000000",
                            settings->max_steps);
    }
    return cn_world_check_idle(world, error);
}

static void keep_poses(CnWorld* world) {
    CnLoop* loop = &world->loop;
    for (int i = 0; i < world->bodies.count; ++i) {
        const CnBodyState* state = &world->bodies.data[i].state;
        loop->before.data[i] = (CnPoseBefore){state->center, state->rotation, true};
    }
    loop->before.count = world->bodies.count;
    loop->step = world->steps_made + 1;
}

// The poses before the last step are those that drawing needs; which step is the last is known
// beforehand.
static CnStatus make_steps(CnWorld* world, double dt, int count, CnAdvanceReport* report,
                           CnError* error) {
    CnStatus status = CN_OK;
    while (status == CN_OK && report->steps < count) {
        if (report->steps == count - 1) {
            keep_poses(world);
        }
        status = cn_world_step(world, dt, &report->last, error);
        if (status == CN_OK) {
            world->loop.remainder -= dt;
            report->steps += 1;
        }
    }
    return status;
}

CnStatus cn_world_advance(CnWorld* world, double elapsed, const CnAdvanceSettings* settings,
                          CnAdvanceReport* report, CnError* error) {
    CnAdvanceSettings chosen = settings != NULL ? *settings : cn_advance_settings_default();
    CnAdvanceReport own;
    report = report != NULL ? report : &own;
    *report = (CnAdvanceReport){0};
    CnStatus status = check_settings(world, elapsed, &chosen, error);
    CnLoop* loop = &world->loop;
    if (status == CN_OK &&
        !cn_array_reserve(&loop->before, &world->allocator, world->bodies.count)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the poses of %d bodies",
                              world->bodies.count);
    }
    if (status != CN_OK) {
        return status;
    }
    double waiting = loop->remainder + elapsed;
    double due = fmax(floor(waiting / chosen.dt + DUE_TOLERANCE), 0.0);
    int count = due < chosen.max_steps ? (int)due : chosen.max_steps;
    loop->remainder = due > count ? fmod(waiting, chosen.dt) + count * chosen.dt : waiting;
    report->dropped = waiting - loop->remainder;
    status = make_steps(world, chosen.dt, count, report, error);
    report->remainder = loop->remainder;
    report->fraction = fmin(fmax(loop->remainder / chosen.dt, 0.0), 1.0);
    return status;
}

void cn_loop_forget_body(CnWorld* world, int body) {
    if (body < world->loop.before.count) {
        world->loop.before.data[body].is_known = false;
    }
}

void cn_loop_move_body(CnWorld* world, int body, int last) {
    CnLoop* loop = &world->loop;
    if (last < loop->before.count) {
        loop->before.data[body] = loop->before.data[last];
        loop->before.count = last;
    } else {
        cn_loop_forget_body(world, body);
    }
}

// ---- poses between two steps ----

// On the shorter arc from one rotation to the other; the chord, put back on the sphere. It is
// within 0.5 % of the angle of the arc up to 1 rad, and right at both ends and in the middle.
static CnQuat rotation_between(CnQuat from, CnQuat to, double share) {
    double dot = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z;
    double a = dot < 0.0 ? share - 1.0 : 1.0 - share;
    return cn_quat_normalize(cn_quat(a * from.w + share * to.w, a * from.x + share * to.x,
                                     a * from.y + share * to.y, a * from.z + share * to.z));
}

static CnTransform pose_between(const CnBody* body, const CnPoseBefore* before, double share) {
    CnVec3 moved = cn_vec3_sub(body->state.center, before->center);
    CnVec3 center = cn_vec3_add_scaled(before->center, share, moved);
    CnQuat rotation = rotation_between(before->rotation, body->state.rotation, share);
    return (CnTransform){cn_vec3_sub(center, cn_quat_rotate(rotation, body->center)), rotation};
}

int cn_world_read_poses_at(const CnWorld* world, double fraction, CnTransform* poses, CnBodyId* ids,
                           int capacity) {
    const CnLoop* loop = &world->loop;
    bool is_kept = loop->step > 0 && loop->step == world->steps_made && fraction < 1.0;
    double share = fraction > 0.0 ? fraction : 0.0; // a NaN draws what is now: it is not below 1
    int count = cn_world_read_poses(world, poses, ids, capacity);
    for (int i = 0; is_kept && i < count && i < capacity && i < loop->before.count; ++i) {
        if (loop->before.data[i].is_known) {
            poses[i] = pose_between(&world->bodies.data[i], &loop->before.data[i], share);
        }
    }
    return count;
}
