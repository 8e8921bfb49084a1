// calls_body.c - calls that change what a body is, push it, or change settings, made at random.
#include "calls.h"

#include "checks.h"
#include "defs.h"
#include <math.h>

static CallResult result_of(Session* session, CnStatus status, const CnError* error) {
    check_refusal(session, status != CN_OK, error);
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

CallResult call_apply(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnWorld* world = session->world;
    CnBodyId body = session_body(session);
    CnVec3 push = dice_vector(dice, 5.0), point = dice_vector(dice, 2.0);
    switch (dice_below(dice, 4)) {
    case 0:
        return result_of(session, cn_body_apply_force(world, body, push, point, &error), &error);
    case 1:
        return result_of(session, cn_body_apply_impulse(world, body, push, point, &error), &error);
    case 2:
        return result_of(session, cn_body_apply_torque(world, body, push, &error), &error);
    default:
        return result_of(session, cn_body_apply_angular_impulse(world, body, push, &error), &error);
    }
}

CallResult call_set_pose(Session* session) {
    CnError error = {0};
    CnBodyId body = session_body(session);
    CnTransform pose = {cn_vec3_add(dice_vector(&session->dice, 2.0), cn_vec3(0.0, 0.0, 1.5)),
                        dice_rotation(&session->dice)};
    return result_of(session, cn_body_set_pose(session->world, body, pose, &error), &error);
}

CallResult call_set_mass(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnBodyId body = session_body(session);
    CnMassProperties mass = {.mass = dice_number(dice, 0.1, 20.0),
                             .center = dice_vector(dice, 0.1)};
    for (int i = 0; i < 3; ++i) {
        mass.inertia[i] = dice_number(dice, 0.5, 1.0);
    }
    const CnMassProperties* given = dice_chance(dice, 0.3) ? NULL : &mass;
    return result_of(session, cn_body_set_mass(session->world, body, given, &error), &error);
}

CallResult call_set_type(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnBodyId body = session_body(session);
    CnBodyType type = dice_chance(dice, 0.6) ? CN_BODY_DYNAMIC : (CnBodyType)dice_below(dice, 3);
    return result_of(session, cn_body_set_type(session->world, body, type, &error), &error);
}

CallResult call_set_body_enabled(Session* session) {
    CnError error = {0};
    CnBodyId body = session_body(session);
    bool enabled = dice_chance(&session->dice, 0.7);
    return result_of(session, cn_body_set_enabled(session->world, body, enabled, &error), &error);
}

CallResult call_set_body_numbers(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnWorld* world = session->world;
    CnBodyId body = session_body(session);
    switch (dice_below(dice, 7)) {
    case 0:
        return result_of(
            session, cn_body_set_gravity_scale(world, body, dice_number(dice, -1.0, 2.0), &error),
            &error);
    case 1: {
        double linear = dice_number(dice, 0.0, 5.0), angular = dice_number(dice, 0.0, 5.0);
        return result_of(session, cn_body_set_damping(world, body, linear, angular, &error),
                         &error);
    }
    case 2:
    case 3:
        return result_of(session, cn_body_set_awake(world, body, false, &error), &error);
    case 4:
        return result_of(session,
                         cn_body_set_awake(world, body, !cn_body_is_awake(world, body), &error),
                         &error);
    case 5:
        return result_of(session, cn_body_set_exact(world, body, dice_chance(dice, 0.3), &error),
                         &error);
    default:
        return cn_body_set_user(world, body, (uint64_t)session->operation) == CN_OK ? CALL_DONE
                                                                                    : CALL_FAILED;
    }
}

CallResult call_write_states(Session* session) {
    CnError error = {0};
    CnBodyState states[4];
    CnBodyId ids[4];
    int count = cn_world_read_states(session->world, states, ids, 4);
    count = count < 4 ? count : 4;
    for (int i = 0; i < count; ++i) {
        states[i].velocity = dice_vector(&session->dice, 2.0);
    }
    return result_of(session, cn_world_write_states(session->world, states, ids, count, &error),
                     &error);
}

CallResult call_set_world(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnWorld* world = session->world;
    CnWorldDef def = cn_world_read(world);
    switch (dice_below(dice, 3)) {
    case 0:
        return result_of(session, cn_world_set_gravity(world, dice_vector(dice, 10.0), &error),
                         &error);
    case 1:
        def.solver.tolerance = dice_number(dice, 1e-9, 1e-7);
        return result_of(session, cn_world_set_solver(world, &def.solver, &error), &error);
    default:
        def.step.hit_speed = dice_number(dice, 0.5, 2.0);
        return result_of(session, cn_world_set_step(world, &def.step, &error), &error);
    }
}

CallResult call_read_body(Session* session) {
    CnBodyInfo info;
    CnTransform poses[3];
    CnWorld* world = session->world;
    CnBodyId body = session_body(session);
    CnStatus status = cn_body_read(world, body, &info);
    if (status == CN_OK && (info.name == NULL || info.user != cn_body_user(world, body))) {
        session_find(session, "a body is not what it says");
    }
    if (cn_world_read_poses(world, poses, NULL, 3) != cn_world_body_count(world)) {
        session_find(session, "poses of some bodies only");
    }
    CnEnergyParts parts = cn_world_energy_parts(world);
    if (isnan(parts.linear) || isnan(parts.angular)) {
        session_find(session, "kinetic energy is not a number");
    }
    if ((cn_body_hash(world, body) == 0) != (status != CN_OK)) {
        session_find(session, "only a body that exists has a hash");
    }
    return CALL_READ;
}
