// scheme_implicit.c - position-level time stepping: everything at the end of the step at once.
//
// Unknown are the velocities and impulses of the end of the step and the poses that these
// velocities lead to; constraints, contacts and forces act there. Newton's method guesses the end,
// poses the problem of what is wrong with it, and lets any solver answer: docs/theory/implicit.md.
#include "base/error.h"
#include "constraints/problem/certificate.h"
#include "solvers/solve/solver.h"
#include "world/bodies/motion.h"
#include "world/correct/correct.h"
#include "world/schemes/implicit.h"
#include "world/schemes/schemes.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"
#include "world/step/step_check.h"
#include "world/step/warm_start.h"

#include <string.h>

// Looks at the end of a step. Ordinary steps take two to five; those whose contacts change from
// look to look, or whose bodies turn by a radian, take more or never agree.
#define MAX_LOOKS 40

// With Fischer-Burmeister's equations a look is one Newton step, where a solver would make several.
#define MAX_NEWTON_LOOKS 100

// Looks before the next guess is combined from several. Ordinary steps are done by then.
#define PLAIN_LOOKS 6

// A combination after which velocities change by this much more than before is taken back.
#define ALLOWED_GROWTH 2.0

// Solvers are asked for half the tolerance, so that an answer that is taken over to the next look
// is within the tolerance there too.
#define TOLERANCE_SHARE 0.5

// Impulses that answer the problem well enough are not solved for again: near the end of the search
// only poses change.
static CnStatus keep_impulses(CnNewton* newton, bool* keeps) {
    CnStep* step = &newton->world->step;
    const CnSolverDef* def = &newton->world->def.solver;
    *keeps = false;
    if (newton->look == 0) {
        return CN_OK;
    }
    const CnAssembledStep* whole = cn_step_assemble(newton->world);
    CnArena* arena = &newton->world->arena;
    CnArenaMark mark = cn_arena_mark(arena);
    double(*scratch)[6] = cn_arena_allocate_raw(arena, (size_t)step->body_count, sizeof *scratch);
    CnCertificate certificate;
    if (whole == NULL || scratch == NULL) {
        cn_arena_release(arena, mark);
        return CN_NO_MEMORY; // to go on would be a step with other bits
    }
    CnProblem asked = whole->problem;
    CnSolution solution = {whole->rows.impulse, step->velocity};
    asked.friction_model = def->friction;
    asked.pyramid_sides = def->pyramid_sides;
    asked.impulse_limit = def->impulse_limit;
    cn_problem_velocity(&asked, solution.impulse, step->velocity);
    cn_certify(&asked, &solution, scratch, NULL, &certificate);
    cn_arena_release(arena, mark);
    *keeps = cn_certificate_error(&certificate, def->measure) <= def->tolerance;
    return CN_OK;
}

static bool steps_together(const CnWorld* world) {
    return world->def.step.implicit_method == CN_IMPLICIT_FISCHER_BURMEISTER;
}

static CnStatus solve_look(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    CnWorld* world = run->world;
    bool keeps;
    CnStatus kept = keep_impulses(newton, &keeps);
    if (kept != CN_OK) {
        return cn_error_set(error, kept, "no memory for the problem of a step");
    }
    if (keeps) {
        run->report->not_converged = run->report->out_of_budget = 0;
        return CN_OK;
    }
    run->solver = world->def.solver;
    run->solver.warm_start = newton->look > 0 || (run->solver.warm_start &&
                                                  world->def.step.warm_start != CN_WARM_START_OFF);
    run->solver.tolerance *= TOLERANCE_SHARE;
    if (steps_together(world)) {
        run->solver.name = cn_solver_newton_fb_step.info.name;
    }
    run->solve = (CnStepSolve){.def = &run->solver, .share = 1.0 - newton->spent};
    world->assembled.is_valid = false; // impulses change
    CnStatus status = cn_stage_solve(run, error);
    newton->spent += run->solve.summary.spent;
    return status;
}

// How far a look is from the guess it was made at: the largest change of the velocity of a body.
static double change_of(const CnNewton* newton) {
    double most = 0.0;
    for (int i = 0; i < newton->world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(newton->world, i);
        const double *v = newton->world->step.velocity[i], *guess = newton->guess[i];
        if (body->type != CN_BODY_STATIC) {
            double moved = cn_vec3_length(cn_vec3_sub(cn_linear(v), cn_linear(guess)));
            double turned = cn_vec3_length(cn_vec3_sub(cn_angular(v), cn_angular(guess)));
            most = fmax(most, moved + cn_body_gyration_radius(body) * turned);
        }
    }
    return most;
}

static CnStatus begin_combining(CnNewton* newton) {
    CnWorld* world = newton->world;
    int count = world->order.count;
    newton->is_combining = true;
    newton->weight = CN_ARENA_NEW(&world->arena, double, 6 * count);
    if (newton->weight == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < 6 * count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i / 6);
        double weight = body->type == CN_BODY_DYNAMIC ? 1.0 : 0.0;
        newton->weight[i] = i % 6 < 3 ? weight : weight * cn_body_gyration_radius(body);
    }
    return cn_anderson_init(&newton->anderson, 6 * count, &world->arena);
}

// The next guess: the velocities of the last look, or where the last few looks together seem to
// lead. A row that turns with its force swings about the answer; so does a combination sometimes.
static CnStatus move_guess(CnNewton* newton, double change) {
    double *guess = newton->guess[0], *v = newton->world->step.velocity[0];
    if (newton->look >= PLAIN_LOOKS && !newton->is_combining && begin_combining(newton) != CN_OK) {
        return CN_NO_MEMORY;
    }
    if (!newton->is_combining) {
        memcpy(guess, v, 6 * (size_t)newton->world->order.count * sizeof(double));
    } else if (newton->was_combined && change > ALLOWED_GROWTH * newton->change) {
        cn_anderson_reset(&newton->anderson);
        memcpy(guess, v, 6 * (size_t)newton->world->order.count * sizeof(double));
        newton->was_combined = false;
        return CN_OK; // what it grew to says nothing
    } else {
        cn_anderson_step(&newton->anderson, guess, v, newton->weight, guess);
        newton->was_combined = newton->anderson.count > 0;
    }
    newton->change = change;
    return CN_OK;
}

// Solves a look, and asks for another one until velocities agree.
static CnStatus solve(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    CnStatus status = solve_look(run, error);
    if (status != CN_OK) {
        return status;
    }
    double change = change_of(newton);
    run->report->newton_iterations = newton->look + 1;
    run->report->newton_residual = change;

    bool together = steps_together(run->world);
    int most = together ? MAX_NEWTON_LOOKS : MAX_LOOKS;
    bool is_last = newton->look + 1 == most || newton->spent >= 1.0;
    bool agrees = change <= run->world->def.solver.tolerance &&
                  (!together || run->report->not_converged == 0);
    if (agrees || is_last || !isfinite(change)) {
        return CN_OK;
    }
    status = move_guess(newton, change);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to combine looks at a step");
    }
    cn_warm_start_keep_contacts(run->world, 0, run->world->step.manifolds.count, false);
    cn_warm_start_keep_rows(run->world, false);
    ++newton->look;
    run->repeats = true;
    return CN_OK;
}

// Impulses of rows as the solver used them: what it changed a velocity by, times what that costs.
static void used_impulses(const CnNewton* newton, int index, CnVec3* impulse, CnVec3* moment) {
    const CnStep* step = &newton->world->step;
    CnMat3 inertia = cn_newton_inertia(newton, index);
    const double *v = step->velocity[index], *from = step->free_velocity[index];
    *impulse =
        cn_vec3_scale(1.0 / step->inverse_mass[index], cn_vec3_sub(cn_linear(v), cn_linear(from)));
    *moment = cn_mat3_apply(&inertia, cn_vec3_sub(cn_angular(v), cn_angular(from)));
}

// The accounts of one body: docs/theory/implicit.md (12), (13).
static void finish_body(CnNewton* newton, int index) {
    CnStep* step = &newton->world->step;
    CnBody* body = cn_world_body_by_index(newton->world, index);
    CnMotion* motion = &step->motions.data[index];
    CnMotionExtras* extras = &step->extras.data[index];
    CnVec3 v = cn_linear(step->velocity[index]), w = cn_angular(step->velocity[index]);
    CnVec3 start_spin = cn_motion_start_spin(motion);
    CnVec3 own = cn_mat3_apply(&body->mass->inertia, start_spin);
    CnVec3 load_moment = cn_vec3_scale(step->dt, newton->loads[index].torque);
    CnVec3 impulse, moment;
    used_impulses(newton, index, &impulse, &moment);

    motion->end_spin = cn_quat_unrotate(motion->start.rotation, w);
    extras->load = cn_vec3_scale(step->dt, newton->loads[index].force);
    extras->load = cn_vec3_add_scaled(extras->load, step->dt * newton->resistance[index].linear,
                                      cn_vec3_sub(cn_linear(newton->guess[index]), v));
    extras->load_moment = cn_quat_unrotate(motion->rotation, load_moment);
    extras->gyration = cn_vec3_sub(
        cn_quat_unrotate(motion->rotation, cn_quat_rotate(motion->start.rotation, own)), own);
    CnVec3 known = cn_vec3_add(own, cn_vec3_add(extras->load_moment, extras->gyration));
    known = cn_vec3_add(known, cn_quat_unrotate(motion->rotation, moment));
    CnVec3 after = cn_mat3_apply(&body->mass->inertia, motion->end_spin);
    extras->mean_spin = cn_vec3_scale(0.5, cn_vec3_add(start_spin, motion->end_spin));
    motion->turning_work = cn_vec3_dot(extras->mean_spin, cn_vec3_sub(after, known)) +
                           cn_vec3_dot(extras->mean_spin, extras->gyration);
    extras->final_spin = motion->end_spin;
    extras->end_velocity = v;
    extras->spin_defect = cn_vec3_sub(cn_quat_rotate(motion->end_rotation, after),
                                      cn_newton_momentum(newton, index, moment));
    body->state.velocity = v;
    body->state.angular_velocity = w;
}

// To where the velocities of the last look lead.
static CnStatus move(CnStepRun* run, CnError* error) {
    CnNewton* newton = run->own;
    (void)error;
    CnStep* step = &newton->world->step;
    for (int i = 0; i < newton->world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(newton->world, i);
        CnMotion* motion = &step->motions.data[i];
        CnMotionExtras* extras = &step->extras.data[i];
        CnBodyState end = cn_newton_moved(&newton->start[i], step->velocity[i], step->dt);
        CnQuat rest = cn_quat_multiply(end.rotation, cn_quat_conjugate(motion->rotation));
        extras->turn_after = cn_quat_log(rest);
        extras->end_velocity = motion->start.velocity;
        motion->end_spin = extras->mean_spin = extras->final_spin = cn_motion_start_spin(motion);
        if (body->type != CN_BODY_STATIC) { // not even normalized
            body->state.center = end.center;
            body->state.rotation = end.rotation;
        }
        extras->end_center = body->state.center;
        motion->end_rotation = body->state.rotation;
        if (body->type == CN_BODY_DYNAMIC) {
            finish_body(newton, i);
        }
    }
    return CN_OK;
}

static CnStatus correct(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStepReport* report = run->report;
    if (report->newton_residual > world->def.solver.tolerance && report->not_converged == 0) {
        report->not_converged = 1;
    }
    CnStatus status = cn_world_correct_positions(world, true, report, error);
    cn_rows_clear(&world->correction.rows); // velocities are not relaxed
    return status == CN_OK ? cn_step_check_states(world, report, error) : status;
}

static CnNewton* create(CnStepRun* run) {
    CnArena* arena = &run->world->arena;
    CnNewton* newton = CN_ARENA_NEW(arena, CnNewton, 1);
    if (newton == NULL) {
        return NULL;
    }
    *newton = (CnNewton){.world = run->world, .report = run->report};
    int count = newton->world->order.count;
    newton->guess = cn_arena_allocate(arena, (size_t)count, sizeof *newton->guess);
    newton->pushed = cn_arena_allocate(arena, (size_t)count, sizeof *newton->pushed);
    newton->start = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->previous = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->states = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->before = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->loaded = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->reaching = CN_ARENA_NEW(arena, CnBodyState, count);
    newton->loads = CN_ARENA_NEW(arena, CnLoad, count);
    newton->other_loads = CN_ARENA_NEW(arena, CnLoad, count);
    newton->stiffness = CN_ARENA_NEW(arena, CnMat3, count);
    newton->resistance = CN_ARENA_NEW(arena, CnResistance, count);
    bool is_whole = newton->guess != NULL && newton->pushed != NULL && newton->start != NULL &&
                    newton->previous != NULL && newton->states != NULL && newton->before != NULL &&
                    newton->loaded != NULL && newton->reaching != NULL && newton->loads != NULL &&
                    newton->other_loads != NULL && newton->stiffness != NULL &&
                    newton->resistance != NULL;
    return is_whole ? newton : NULL;
}

// The first look is at the start, where contacts are known to be on the right side.
static CnStatus begin(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    cn_active_change(world); // it writes about all bodies
    CnStatus status = cn_stage_open_books(run, error);
    if (status != CN_OK) {
        return status;
    }
    cn_motion_begin(world, false, 1.0, NULL, NULL);
    CnNewton* newton = run->own = create(run);
    if (newton == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the motion of %d bodies",
                            world->order.count);
    }
    for (int i = 0; i < world->order.count; ++i) {
        newton->start[i] = cn_world_body_by_index(world, i)->state;
        memset(newton->guess[i], 0, sizeof newton->guess[i]);
    }
    return CN_OK;
}

// The certificate is that of the last look; a search that did not end is worse than it says.
static CnStatus grade(CnStepRun* run, CnError* error) {
    CnStepReport* report = run->report;
    bool has_contacts = run->world->step.manifolds.count > 0; // they keep their residuals
    CnStatus status = report->is_graded || has_contacts ? cn_step_certify(run->world) : CN_OK;
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to grade a step");
    }
    status = cn_stage_grade(run, error);
    if (report->is_graded && report->newton_residual > run->world->def.solver.tolerance) {
        report->certificate.worst = fmax(report->certificate.worst, report->newton_residual);
    }
    return status;
}

static const CnStageTable impact = {
    .stage =
        {
            [CN_STAGE_BEGIN] = cn_stage_begin_impact,
            CN_STAGES_OF_ONE_SOLVE,
            [CN_STAGE_CORRECT] = cn_stage_measure,
            [CN_STAGE_GRADE] = grade,
            [CN_STAGE_FINISH] = cn_stage_finish,
        },
};

// From pairs to solve is one look.
const CnSchemeTable cn_scheme_implicit = {
    .step =
        {
            .stage =
                {
                    [CN_STAGE_BEGIN] = begin,
                    [CN_STAGE_PAIRS] = cn_newton_find_pairs,
                    [CN_STAGE_CONTACTS] = cn_newton_find_contacts,
                    [CN_STAGE_ROWS] = cn_newton_build_rows,
                    [CN_STAGE_ISLANDS] = cn_stage_update_islands,
                    [CN_STAGE_SOLVE] = solve,
                    [CN_STAGE_MOVE] = move,
                    [CN_STAGE_CORRECT] = correct,
                    [CN_STAGE_GRADE] = grade,
                    [CN_STAGE_FINISH] = cn_stage_finish,
                },
            .repeats_from = CN_STAGE_PAIRS,
        },
    .impact = &impact,
    .has_contacts = true,
};
