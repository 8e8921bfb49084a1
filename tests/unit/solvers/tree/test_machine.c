// test_machine.c - problems solved along their trees have the answers of the exact solvers.
#include "solvers/tree/machine.h"

#include "support/problems/solving.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <stdio.h>

enum { BODIES = 9, MOST_BODIES = 64, MOST_BLOCKS = 160 };

// Both solvers answer to this, and velocities of well-conditioned joints differ by no more than ten
// times it [m/s].
#define TOLERANCE 1e-10

static CnVec3 draw(CnRandom* random) {
    return random_within(random, 1.0);
}

typedef struct Machine {
    Problem problem;
    CnRandom random;
    CnVec3 center[BODIES];
} Machine;

static CnVec3 center_of(const Machine* it, int body) {
    return body < 0 ? cn_vec3(0.0, 0.0, 0.0) : it->center[body];
}

// Of the last block.
static void set_angular_row(Machine* it, int row, CnVec3 axis) {
    const CnBlock* block = &it->problem.blocks[it->problem.block_count - 1];
    const double about[3] = {axis.x, axis.y, axis.z};
    for (int k = 0; k < 3; ++k) {
        it->problem.jacobian_a[row][3 + k] = block->body_a < 0 ? 0.0 : -about[k];
        it->problem.jacobian_b[row][3 + k] = block->body_b < 0 ? 0.0 : about[k];
    }
}

// A hinge about an axis through a point: five equalities.
static void add_hinge(Machine* it, int a, int b, CnVec3 point, CnVec3 axis) {
    CnVec3 other = fabs(axis.x) < 0.7 ? cn_vec3(1.0, 0.0, 0.0) : cn_vec3(0.0, 1.0, 0.0);
    CnVec3 side = cn_vec3_normalize(cn_vec3_cross(axis, other));
    CnVec3 arm_a = cn_vec3_sub(point, center_of(it, a)),
           arm_b = cn_vec3_sub(point, center_of(it, b));
    const CnVec3 along[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    int block = problem_add_block(&it->problem, CN_LAW_EQUALITY, 5, a, b);
    int row = it->problem.blocks[block].first_row;
    for (int k = 0; k < 3; ++k) {
        problem_set_row(&it->problem, row + k, along[k], arm_a, arm_b);
    }
    set_angular_row(it, row + 3, side);
    set_angular_row(it, row + 4, cn_vec3_cross(axis, side));
    it->problem.target[row + 1] = cn_random_between(&it->random, -0.1, 0.1);
}

// A row about the axis with bounds: a stop (lower 0) or, with compliance, a motor.
static int add_drive(Machine* it, int a, int b, CnVec3 axis, double lower, double upper,
                     double compliance) {
    int block = problem_add_block(&it->problem, CN_LAW_BOUNDS, 1, a, b);
    int row = it->problem.blocks[block].first_row;
    set_angular_row(it, row, axis);
    it->problem.lower[row] = lower;
    it->problem.upper[row] = upper;
    it->problem.compliance[row] = compliance;
    it->problem.target[row] = cn_random_between(&it->random, -2.0, 2.0);
    return row;
}

static void add_force(Machine* it, int a, int b, CnVec3 axis) {
    int block = problem_add_block(&it->problem, CN_LAW_FORCE, 1, a, b);
    int row = it->problem.blocks[block].first_row;
    set_angular_row(it, row, axis);
    it->problem.offset[row] = cn_random_between(&it->random, -1.0, 1.0);
    it->problem.slope[row] = cn_random_between(&it->random, 0.0, 2.0);
}

// What is on each axis besides the hinge.
typedef enum Drives {
    NOTHING,
    MOTORS, // with a limit, and springs
    STOPS,  // and these: with more rows outside they may contradict
} Drives;

// Bodies at random on a tree of hinges, the first on the world.
static void build_tree(Machine* it, uint64_t seed, Drives drives) {
    *it = (Machine){.random = {seed}};
    for (int i = 0; i < BODIES; ++i) {
        double mass = cn_random_between(&it->random, 0.3, 3.0);
        double inertia = cn_random_between(&it->random, 0.3, 3.0);
        int body = problem_add_body(&it->problem, mass, inertia);
        it->center[i] = draw(&it->random);
        CnVec3 v = draw(&it->random), w = draw(&it->random);
        const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(it->problem.free_velocity[body], velocity, sizeof velocity);
    }
    for (int i = 0; i < BODIES; ++i) {
        int parent = i == 0 ? -1 : (int)cn_random_between(&it->random, 0.0, i);
        CnVec3 axis = cn_vec3_normalize(draw(&it->random));
        bool turned = i % 2 == 1; // the child is sometimes A
        int a = turned ? i : parent, b = turned ? parent : i;
        add_hinge(it, a, b, draw(&it->random), axis);
        if (drives >= STOPS) {
            add_drive(it, a, b, axis, 0.0, HUGE_VAL, 0.0);
        }
        if (drives >= MOTORS) {
            add_drive(it, a, b, axis, -0.2, 0.2, 0.5);
            add_force(it, b, a, axis);
        }
    }
}

// The velocities of `tree` against those of another exact solver.
static void check_against(Machine* it, const CnSolver* other) {
    Problem* problem = &it->problem;
    double velocity[MOST_BODIES][6];
    CnSolution solution = problem_solution(problem);
    CnSolverReport report = run_solver(&cn_solver_tree, problem, TOLERANCE, &solution);
    CHECK(report.certificate.worst <= TOLERANCE);
    memcpy(velocity, solution.velocity, (size_t)problem->body_count * sizeof *velocity);
    CHECK(run_solver(other, problem, TOLERANCE, &solution).certificate.worst <= TOLERANCE);
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(velocity[i][k], solution.velocity[i][k], 10.0 * TOLERANCE);
        }
    }
    problem_free(problem);
}

static void trees_of_hinges_are_those_of_direct(void) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        Machine it;
        build_tree(&it, seed, NOTHING);
        check_against(&it, &cn_solver_direct);
    }
}

// All of P-matrix kind: the answer is unique.
static void stops_motors_and_springs_are_those_of_active_set(void) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        Machine it;
        build_tree(&it, seed, STOPS);
        check_against(&it, &cn_solver_active_set);
    }
}

// A row between the last body and another: a loop, where they are not the two of one joint.
static void loops_are_those_of_active_set(void) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        Machine it;
        build_tree(&it, seed, MOTORS);
        int end = BODIES - 1, other = (int)(seed % (BODIES - 1));
        CnVec3 at = draw(&it.random);
        int block = problem_add_block(&it.problem, CN_LAW_EQUALITY, 1, other, end);
        problem_set_row(&it.problem, it.problem.blocks[block].first_row, cn_vec3(0.6, 0.0, 0.8),
                        cn_vec3_sub(at, it.center[other]), cn_vec3_sub(at, it.center[end]));
        check_against(&it, &cn_solver_active_set);
    }
}

// A gear does not depend on the relative pose of its two wheels: it acts from outside.
static void gears_act_from_outside(void) {
    Machine it;
    build_tree(&it, 5, STOPS);
    int block = problem_add_block(&it.problem, CN_LAW_EQUALITY, 1, 2, 6);
    int row = it.problem.blocks[block].first_row;
    it.problem.jacobian_a[row][4] = 1.0;
    it.problem.jacobian_b[row][4] = 3.0;
    check_against(&it, &cn_solver_active_set);
}

// Two axes tied together: a row on four bodies.
static void rows_on_four_bodies_act_from_outside(void) {
    Machine it;
    build_tree(&it, 7, MOTORS);
    int block = problem_add_block(&it.problem, CN_LAW_EQUALITY, 1, 1, 2);
    int row = it.problem.blocks[block].first_row;
    set_angular_row(&it, row, cn_vec3(0.0, 0.6, 0.8));
    problem_add_second(&it.problem, block, 5, 8);
    for (int k = 3; k < 6; ++k) {
        it.problem.jacobian_c[row][k] = 0.5;
        it.problem.jacobian_d[row][k] = -0.5;
    }
    check_against(&it, &cn_solver_active_set);
}

// A machine with a ball dropped on it: frictionless, so that the answer is unique.
static void build_in_contact(Machine* it, uint64_t seed) {
    build_tree(it, seed, STOPS);
    int ball = problem_add_body(&it->problem, 1.0, 1.0);
    it->problem.free_velocity[ball][2] = -3.0;
    problem_add_contact(&it->problem, 3, ball, cn_vec3(0.1, 0.2, 0.3), cn_vec3(0.0, 0.0, -0.5),
                        0.0);
    problem_add_contact(&it->problem, -1, 7, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.3, 0.0, -0.5), 0.0);
}

// Stops ask for random speeds, so a contact may contradict them: this machine's does.
#define CONTRADICTORY_SEED 7

static void contacts_see_the_machine(void) {
    for (uint64_t seed = 1; seed <= 21; ++seed) {
        Machine it;
        if (seed != CONTRADICTORY_SEED) {
            build_in_contact(&it, seed);
            check_against(&it, &cn_solver_active_set);
        }
    }
}

static void stops_that_a_contact_contradicts_are_told(void) {
    Machine it;
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    build_in_contact(&it, CONTRADICTORY_SEED);
    CnSolution solution = problem_solution(&it.problem);
    CHECK_INT(cn_solve(problem_view(&it.problem), &def, workspace, &solution, &report, NULL),
              CN_OK);
    CHECK(report.infeasible_blocks > 0); // by Farkas' lemma: no velocities leave less than this
    CHECK(report.infeasibility > 0.1);   // [m/s]
    cn_workspace_destroy(workspace);
    problem_free(&it.problem);
}

static void friction_on_a_machine_is_within_the_certificate(void) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Machine it;
        build_tree(&it, seed, MOTORS);
        for (int i = 4; i < BODIES; ++i) {
            problem_add_contact(&it.problem, -1, i, cn_vec3(0.0, 0.0, 0.0),
                                cn_vec3(0.3, 0.1 * i, -0.5), 0.6);
        }
        CnSolution solution = problem_solution(&it.problem);
        CnSolverReport report = run_solver(&cn_solver_tree, &it.problem, TOLERANCE, &solution);
        CHECK(report.certificate.worst <= TOLERANCE);
        problem_free(&it.problem);
    }
}

// Short chains of balls on joints with contacts from each to the next: so many rows that they are
// swept. Rest is possible, so none contradicts another.
enum { CHAINS = 12, LINKS = 3, CONTACTS = 4 };

static void build_crowd_of(Machine* it, uint64_t seed, double friction, int contacts) {
    *it = (Machine){.random = {seed}};
    for (int i = 0; i < CHAINS * LINKS; ++i) {
        int body = problem_add_body(&it->problem, 1.0, 1.0);
        CnVec3 v = draw(&it->random), w = draw(&it->random);
        const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(it->problem.free_velocity[body], velocity, sizeof velocity);
        if (i % LINKS > 0) {
            CnVec3 arm_a = draw(&it->random), arm_b = draw(&it->random);
            problem_add_point_joint(&it->problem, i - 1, i, arm_a, arm_b);
        }
    }
    for (int i = 0; i < CHAINS * contacts; ++i) {
        int a = LINKS * (i % CHAINS) + (int)cn_random_between(&it->random, 0.0, LINKS);
        int b = LINKS * ((i + 1) % CHAINS) + (int)cn_random_between(&it->random, 0.0, LINKS);
        CnVec3 arm_a = draw(&it->random), arm_b = draw(&it->random);
        problem_add_contact(&it->problem, a, b, arm_a, arm_b, friction);
    }
}

static void build_crowd(Machine* it, uint64_t seed, double friction) {
    build_crowd_of(it, seed, friction, CONTACTS);
}

// Without friction, so that velocities are unique.
static void many_contacts_have_the_answer_of_active_set(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Machine it;
        build_crowd(&it, seed, 0.0);
        check_against(&it, &cn_solver_active_set);
    }
}

static void many_contacts_with_friction_are_within_the_certificate(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Machine it;
        build_crowd(&it, seed, 0.6);
        CnSolution solution = problem_solution(&it.problem);
        CnSolverReport report = run_solver(&cn_solver_tree, &it.problem, TOLERANCE, &solution);
        CHECK(report.certificate.worst <= TOLERANCE);
        CHECK_INT(report.outcome, CN_CONVERGED);
        problem_free(&it.problem);
    }
}

// With a stop on each joint, closed or open, and so many contacts that sweeps take long. Rest is
// still possible.
enum { DENSE_CONTACTS = 7 };

static void build_crowd_with_stops(Machine* it, uint64_t seed, double friction, int copies) {
    build_crowd_of(it, seed, friction, DENSE_CONTACTS);
    for (int i = 0; i < CHAINS * LINKS; ++i) {
        CnVec3 axis = cn_vec3_normalize(draw(&it->random));
        for (int k = 0; i % LINKS > 0 && k < copies; ++k) {
            int row = add_drive(it, i - 1, i, axis, 0.0, HUGE_VAL, 0.0);
            it->problem.target[row] = 0.0;
        }
    }
}

static void many_contacts_with_stops_have_the_answer_of_active_set(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Machine it;
        build_crowd_with_stops(&it, seed, 0.0, 1);
        check_against(&it, &cn_solver_active_set);
    }
}

// A motor on each joint. Some of them reach their limits.
static void add_motors(Machine* it) {
    for (int i = 0; i < CHAINS * LINKS; ++i) {
        CnVec3 axis = cn_vec3_normalize(draw(&it->random));
        if (i % LINKS > 0) {
            add_drive(it, i - 1, i, axis, -0.2, 0.2, 0.5);
        }
    }
}

static void many_contacts_with_motors_have_the_answer_of_active_set(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Machine it;
        build_crowd_with_stops(&it, seed, 0.0, 1);
        add_motors(&it);
        check_against(&it, &cn_solver_active_set);
    }
}

static CnSolverReport solve_to_tolerance(Machine* it, CnSolution* solution) {
    *solution = problem_solution(&it->problem);
    CnSolverReport report = run_solver(&cn_solver_tree, &it->problem, TOLERANCE, solution);
    CHECK(report.certificate.worst <= TOLERANCE);
    CHECK_INT(report.outcome, CN_CONVERGED);
    return report;
}

// Ten digits take more sweeps than those after which stops that push are held: they are not among
// the rows that are swept in the end.
static void closed_stops_are_held_while_contacts_are_swept(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Machine it;
        build_crowd_with_stops(&it, seed, 0.6, 1);
        CnSolution solution;
        CnSolverReport report = solve_to_tolerance(&it, &solution);
        const CnProblem* problem = problem_view(&it.problem);
        int bodies = 0, outside = 0, open = 0;
        CHECK_INT(sscanf(report.remark, "%d bodies in trees of joints, %d rows outside", &bodies,
                         &outside),
                  2);
        for (int i = 0; i < problem->block_count; ++i) {
            const CnBlock* block = &problem->blocks[i];
            open += block->law == CN_LAW_BOUNDS && solution.impulse[block->first_row] == 0.0;
        }
        CHECK(open > 0 && open < CHAINS * (LINKS - 1));
        CHECK_INT(outside, 3 * CHAINS * DENSE_CONTACTS + open);
        problem_free(&it.problem);
    }
}

// The same stop twice: both push, and cannot both be held.
static void stops_that_depend_on_each_other_are_swept(void) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        Machine it;
        build_crowd_with_stops(&it, seed, 0.6, 2);
        CnSolution solution;
        solve_to_tolerance(&it, &solution);
        problem_free(&it.problem);
    }
}

// The answer of trees within a budget, and whether it is within the tolerance.
static bool solve_from(Machine* it, double budget, CnSolution* solution, CnSolverReport* report) {
    CnArena arena;
    CnSolverDef def = cn_solver_def_default();
    bool found;
    *report = (CnSolverReport){.redundant_block = -1};
    def.tolerance = TOLERANCE;
    def.work_budget = budget;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_machine_solve(problem_view(&it->problem), &def, &arena, solution, report, &found),
              CN_OK);
    cn_arena_destroy(&arena);
    return found;
}

static bool solve_within(Machine* it, double budget, CnSolverReport* report) {
    CnSolution solution = problem_solution(&it->problem);
    return solve_from(it, budget, &solution, report);
}

// Half of the work that a problem needs is not enough, and hardly more is spent: a sweep at most,
// and grades.
static void sweeps_end_with_their_budget(void) {
    Machine it;
    CnSolverReport full, half;
    build_crowd(&it, 1, 0.6);
    CHECK(solve_within(&it, HUGE_VAL, &full));
    CHECK(!solve_within(&it, 0.5 * full.work, &half));
    CHECK_INT(half.outcome, CN_STALLED);
    CHECK(half.work <= 1.2 * 0.5 * full.work);
    problem_free(&it.problem);
}

// Wherever sweeps are ended, joints hold, no stop pulls and no motor is beyond its limits.
static void check_budget(Machine* it, double budget) {
    CnSolution solution = problem_solution(&it->problem);
    const CnProblem* problem = problem_view(&it->problem);
    CnSolverReport part;
    double residual[MOST_BLOCKS];
    CHECK(!solve_from(it, budget, &solution, &part));
    cn_problem_velocity(problem, solution.impulse, solution.velocity);
    cn_problem_certify(problem, &solution, residual, &part.certificate);
    for (int k = 0; k < problem->block_count; ++k) {
        const CnBlock* block = &problem->blocks[k];
        double p = solution.impulse[block->first_row];
        bool is_bounded = block->law == CN_LAW_BOUNDS;
        CHECK(block->law != CN_LAW_EQUALITY || residual[k] <= TOLERANCE);
        CHECK(!is_bounded || p >= problem->lower[block->first_row]);
        CHECK(!is_bounded || p <= problem->upper[block->first_row]);
    }
}

static void joints_hold_whatever_the_budget(void) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        Machine it;
        CnSolverReport full;
        build_crowd_with_stops(&it, seed, 0.6, 1);
        if (seed % 2 == 0) {
            add_motors(&it);
        }
        CHECK(solve_within(&it, HUGE_VAL, &full));
        for (int i = 1; i < 19; ++i) { // with more of the work the last round may be good enough
            check_budget(&it, 0.05 * i * full.work);
        }
        problem_free(&it.problem);
    }
}

// The answer with one impulse far off leaves more than no impulses do, but a few sweeps put that
// right: it takes less than two thirds of the sweeps that a start from zero takes.
static void a_guess_with_one_wrong_impulse_is_a_good_start(void) {
    Machine it;
    CnSolverReport cold, warm;
    build_crowd(&it, 3, 0.6);
    CnSolution solution = problem_solution(&it.problem);
    CHECK(solve_from(&it, HUGE_VAL, &solution, &cold));
    solution.impulse[problem_view(&it.problem)->row_count - 3] += 1.0; // the last contact [N s]
    CHECK(solve_from(&it, HUGE_VAL, &solution, &warm));
    CHECK(3 * warm.iterations < 2 * cold.iterations);
    problem_free(&it.problem);
}

// The same joint twice: nobody can say which of them carries the load. That is for `direct`.
static void dependent_loops_are_left_to_direct(void) {
    Problem problem = {0};
    CnVec3 arm = {0.0, 0.0, 1.0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[body][0] = 1.0;
    problem_add_point_joint(&problem, -1, body, arm, arm);
    problem_add_point_joint(&problem, -1, body, arm, arm);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL), CN_OK);
    CHECK_STRING(report.solver, "direct");
    CHECK_INT(report.redundant_rows, 3);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// A bar on two balls with the line between them along y. There the second asks for nothing that the
// first has left free, and its W is round-off: to divide by it would give impulses without bounds.
static void rows_that_the_tree_answers_are_left_to_direct(void) {
    Machine it = {.random = {11}};
    for (int i = 0; i < 50; ++i) {
        it.problem = (Problem){0};
        CnVec3 arm = draw(&it.random);
        CnVec3 other = cn_vec3(arm.x, arm.y + cn_random_between(&it.random, 0.5, 1.0), arm.z);
        CnSolverReport report;
        int body = problem_add_body(&it.problem, 1.0, 1.0);
        double spin = cn_random_between(&it.random, -1.0, 1.0); // about the line: balls allow it
        const double velocity[6] = {-spin * arm.z, 0.0, spin * arm.x, 0.0, spin, 0.0};
        memcpy(it.problem.free_velocity[body], velocity, sizeof velocity);
        it.problem.inverse_inertia[body][8] = 80.0; // 1/(kg m^2), 1 about x and y: thin
        problem_add_point_joint(&it.problem, -1, body, arm, arm);
        problem_add_point_joint(&it.problem, -1, body, other, other);
        CHECK(!solve_within(&it, HUGE_VAL, &report));
        problem_free(&it.problem);
    }
}

static void memory_may_run_out_anywhere(void) {
    Machine it;
    build_tree(&it, 3, STOPS);
    problem_add_contact(&it.problem, -1, 7, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.3, 0.0, -0.5), 0.4);
    check_memory_failures(&cn_solver_tree, &it.problem);
    problem_free(&it.problem);
    build_crowd_with_stops(&it, 2, 0.4, 1);
    check_memory_failures(&cn_solver_tree, &it.problem);
    problem_free(&it.problem);
}

TEST_MAIN("unit/solvers/tree/machine", TEST(trees_of_hinges_are_those_of_direct),
          TEST(stops_motors_and_springs_are_those_of_active_set),
          TEST(loops_are_those_of_active_set), TEST(gears_act_from_outside),
          TEST(rows_on_four_bodies_act_from_outside), TEST(contacts_see_the_machine),
          TEST(stops_that_a_contact_contradicts_are_told),
          TEST(many_contacts_with_stops_have_the_answer_of_active_set),
          TEST(many_contacts_with_motors_have_the_answer_of_active_set),
          TEST(closed_stops_are_held_while_contacts_are_swept),
          TEST(stops_that_depend_on_each_other_are_swept), TEST(joints_hold_whatever_the_budget),
          TEST(friction_on_a_machine_is_within_the_certificate),
          TEST(many_contacts_have_the_answer_of_active_set),
          TEST(many_contacts_with_friction_are_within_the_certificate),
          TEST(sweeps_end_with_their_budget), TEST(a_guess_with_one_wrong_impulse_is_a_good_start),
          TEST(dependent_loops_are_left_to_direct),
          TEST(rows_that_the_tree_answers_are_left_to_direct), TEST(memory_may_run_out_anywhere))
