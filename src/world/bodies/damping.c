// damping.c - what damping makes of velocities in a step: docs/theory/moreau.md (23), (24).
#include "world/bodies/force.h"
#include "world/bodies/motion.h"

// (1 - exp(-x)) / x, x >= 0: by its series where the difference would lose digits.
static double mean_decay(double x) {
    double sum = 0.0, term = 1.0;
    if (x > 0.5) {
        return (1.0 - cn_exp(-x)) / x;
    }
    for (int k = 1; k <= 16; ++k) { // 0.5^16 / 17! is below round-off
        sum += term;
        term *= -x / (k + 1);
    }
    return sum;
}

CnVec3 cn_motion_damped(CnVec3 before, CnVec3 after, double x) {
    double share = mean_decay(x);
    CnVec3 gained = cn_vec3_sub(after, before);
    return cn_vec3_add_scaled(cn_vec3_scale(1.0 - x * share, before), share, gained);
}

CnDampingShares cn_motion_damping_shares(const CnWorld* world, const CnBody* body) {
    bool is_exact = cn_world_damps_exactly(world);
    double dt = world->step.dt;
    return (CnDampingShares){
        is_exact && body->linear_damping > 0.0 ? mean_decay(body->linear_damping * dt) : 1.0,
        is_exact && body->angular_damping > 0.0 ? mean_decay(body->angular_damping * dt) : 1.0,
    };
}

void cn_motion_damp_rows(const CnWorld* world, const CnBody* body, const double* free,
                         CnVec3 velocity, CnVec3 spin, const CnMotion* motion,
                         CnMotionExtras* extras) {
    CnDampingShares shares = cn_motion_damping_shares(world, body);
    if (shares.linear == 1.0 && shares.angular == 1.0) {
        return;
    }
    CnVec3 gained = cn_vec3_sub(velocity, cn_vec3(free[0], free[1], free[2]));
    CnVec3 free_spin = cn_quat_unrotate(motion->rotation, cn_vec3(free[3], free[4], free[5]));
    CnVec3 moment = cn_mat3_apply(&body->mass->inertia, cn_vec3_sub(spin, free_spin));
    extras->load =
        cn_vec3_add_scaled(extras->load, body->mass->mass * (1.0 - 1.0 / shares.linear), gained);
    extras->load_moment =
        cn_vec3_add_scaled(extras->load_moment, 1.0 - 1.0 / shares.angular, moment);
}

void cn_motion_damp(const CnBody* body, double dt, const CnMotion* motion, CnMotionExtras* extras,
                    CnVec3* velocity, CnVec3* spin) {
    if (body->linear_damping > 0.0) {
        CnVec3 slower =
            cn_motion_damped(motion->start.velocity, *velocity, body->linear_damping * dt);
        CnVec3 lost = cn_vec3_sub(slower, *velocity);
        extras->load = cn_vec3_add_scaled(extras->load, body->mass->mass, lost);
        *velocity = slower;
    }
    if (body->angular_damping > 0.0) {
        CnVec3 slower = cn_motion_damped(motion->ahead_spin, *spin, body->angular_damping * dt);
        CnVec3 lost = cn_mat3_apply(&body->mass->inertia, cn_vec3_sub(slower, *spin));
        extras->load_moment = cn_vec3_add(extras->load_moment, lost);
        *spin = slower;
    }
}
