// calls_machine.c - mechanisms, game loops and many rays, asked of a copy of the session's world.
#include "cairn/loop.h"
#include "cairn/mechanism.h"
#include "cairn/query.h"
#include "calls.h"
#include "checks.h"

enum { MOST = 40, RAYS = 5 }; // coordinates that there is room for; rays in one call

static void list_parts(Session* session, const CnMechanism* mechanism, const CnWorld* world) {
    CnBodyState state;
    for (int i = 0; i < cn_mechanism_body_count(mechanism); ++i) {
        if (cn_body_state(world, cn_mechanism_body(mechanism, i), &state) != CN_OK) {
            session_find(session, "a mechanism lists a body that is not there");
        }
    }
    for (int i = 0; i < cn_mechanism_loop_count(mechanism); ++i) {
        if (cn_joint_type(world, cn_mechanism_loop(mechanism, i)) == CN_JOINT_TYPE_COUNT) {
            session_find(session, "a mechanism lists a joint that is not there");
        }
    }
    for (int i = 0; i < cn_mechanism_coordinate_count(mechanism); ++i) {
        if (cn_mechanism_coordinate(mechanism, i).body.index == 0) {
            session_find(session, "coordinate %d of a mechanism moves no body", i);
        }
    }
}

// Every call that a mechanism has; each works or says why not.
static void ask_mechanism(Session* session, CnMechanism* mechanism, CnWorld* world) {
    double q[MOST] = {0}, qd[MOST] = {0}, tau[MOST] = {0};
    double matrix[MOST * MOST], jacobian[6 * MOST];
    CnVec3 point = dice_vector(&session->dice, 2.0);
    CnBodyId body = cn_mechanism_body(mechanism, 0);
    CnError error[8] = {0};
    CnStatus status[8] = {
        cn_mechanism_read(mechanism, world, q, qd, &error[0]),
        cn_mechanism_mass_matrix(mechanism, world, matrix, &error[1]),
        cn_mechanism_bias(mechanism, world, tau, &error[2]),
        cn_mechanism_inverse_dynamics(mechanism, world, qd, tau, &error[3]),
        cn_mechanism_forward_dynamics(mechanism, world, tau, qd, &error[4]),
        cn_mechanism_jacobian(mechanism, world, body, point, jacobian, &error[5]),
        cn_mechanism_apply(mechanism, world, tau, &error[6]),
        cn_mechanism_write(mechanism, world, q, NULL, &error[7]),
    };
    for (int i = 0; i < 8; ++i) {
        check_refusal(session, status[i] != CN_OK, &error[i]);
    }
}

static void ask_loop(Session* session, CnWorld* world) {
    CnAdvanceSettings settings = cn_advance_settings_default();
    CnAdvanceReport report;
    CnTransform poses[MOST];
    CnError error = {0};
    settings.max_steps = 2;
    double elapsed = dice_number(&session->dice, 0.0, 0.05);
    CnStatus status = cn_world_advance(world, elapsed, &settings, &report, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK && !(report.fraction >= 0.0 && report.fraction <= 1.0)) {
        session_find(session, "a game loop draws at %g of a step", report.fraction);
    }
    cn_world_read_poses_at(world, dice_number(&session->dice, 0.0, 1.0), poses, NULL, MOST);
}

static void ask_rays(Session* session, const CnWorld* world) {
    CnRayDef rays[RAYS];
    CnCastHit hits[RAYS], hit;
    CnError error = {0};
    for (int i = 0; i < RAYS; ++i) {
        rays[i] = (CnRayDef){dice_vector(&session->dice, 4.0), dice_vector(&session->dice, 8.0)};
    }
    CnStatus status = cn_world_cast_rays(world, rays, RAYS, NULL, hits, &error);
    check_refusal(session, status != CN_OK, &error);
    for (int i = 0; status == CN_OK && i < RAYS; ++i) {
        if (cn_world_cast_ray(world, rays[i].origin, rays[i].translation, NULL, &hit, NULL) ==
                CN_OK &&
            (hit.body.index != hits[i].body.index || hit.fraction != hits[i].fraction)) {
            session_find(session, "a ray alone meets something else than in a list");
        }
    }
}

void use_copy(Session* session, CnWorld* copy) {
    CnError error = {0};
    CnMechanism* mechanism = cn_mechanism_create(copy, session_body(session), &error);
    check_refusal(session, mechanism == NULL, &error);
    if (mechanism != NULL) {
        list_parts(session, mechanism, copy);
        if (cn_mechanism_coordinate_count(mechanism) <= MOST) {
            ask_mechanism(session, mechanism, copy);
        }
    }
    cn_mechanism_destroy(mechanism);
    error = (CnError){0};
    CnAxis axis = (CnAxis)dice_below(&session->dice, CN_AXIS_COUNT);
    double force = dice_number(&session->dice, -10.0, 10.0);
    CnStatus status = cn_joint_apply_force(copy, session_joint(session), axis, force, &error);
    check_refusal(session, status != CN_OK, &error);
    ask_rays(session, copy);
    ask_loop(session, copy);
}
