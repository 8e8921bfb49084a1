// mechanisms.c - what a step of chains, stars and random trees of joints costs per body.
//
//     bench_mechanisms [largest count]
//
// Bodies of 1 kg on ball joints swing for a few steps. The yardstick is the grading of the same
// problem in the same run, which visits every row once: solver, step and yardstick per body must
// stay what they are as mechanisms grow. The exponent is that of time over bodies, from the
// smallest mechanism of a kind to the one at hand.
#include "cairn/cairn.h"
#include "cairn/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SMALLEST 100
#define LARGEST 100000
#define STEPS 3
#define SOLVES 5
#define STEP (1.0 / 60.0) // [s]
#define TOLERANCE 1e-10   // [m/s]
#define LINK 0.1          // from joint to joint [m]

typedef enum Kind { CHAIN, STAR, TREE, KIND_COUNT } Kind;
static const char* const kind_names[KIND_COUNT] = {"chain", "star", "tree"};

// The body that body i hangs on; -1: the world.
static int parent_of(Kind kind, int i, CnRandom* random) {
    switch (kind) {
    case CHAIN:
        return i - 1;
    case STAR:
        return i == 0 ? -1 : 0;
    default:
        return i == 0 ? -1 : (int)cn_random_between(random, 0.0, (double)i);
    }
}

static CnWorld* build(Kind kind, int count) {
    CnRandom random = {11};
    CnWorldDef def = cn_world_def_default();
    def.solver.tolerance = TOLERANCE;
    CnWorld* world = cn_world_create(&def, NULL);
    CnVec3* centers = calloc((size_t)count, sizeof *centers);
    for (int i = 0; world != NULL && centers != NULL && i < count; ++i) {
        int parent = parent_of(kind, i, &random);
        double x = cn_random_between(&random, -1.0, 1.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        double z = cn_random_between(&random, -1.0, 0.0);
        CnVec3 way = cn_vec3_scale(LINK, cn_vec3_normalize(cn_vec3(x, y, z - 0.1)));
        CnVec3 start = parent < 0 ? cn_vec3(0.0, 0.0, 0.0) : centers[parent];
        CnBodyDef body = cn_body_def_default();
        body.has_mass = true;
        body.mass = 1.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = LINK * LINK / 10.0;
        body.position = centers[i] = cn_vec3_add(start, way);
        CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
        joint.body_a = cn_world_add_body(world, &body, NULL);
        joint.body_b = parent < 0 ? (CnBodyId){0} : cn_world_body_at(world, parent);
        joint.point_a = cn_vec3_add(start, cn_vec3_scale(0.5, way));
        cn_world_add_joint(world, &joint, NULL);
    }
    free(centers);
    return world;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Cost {
    double step, solve, grade; // [s]
    double residual;           // [m/s]
    double stage[CN_STAGE_COUNT];
} Cost;

// The last step's problem once more, by `direct` alone, from zero: the best of a few, so that
// memory is as warm as in a world after its first step.
static void measure_solver(const CnProblem* problem, Cost* cost) {
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {
        .impulse = calloc((size_t)problem->row_count, sizeof(double)),
        .velocity = calloc((size_t)problem->body_count, sizeof *solution.velocity),
    };
    def.name = "direct";
    def.warm_start = false;
    def.tolerance = TOLERANCE;
    cost->solve = cost->grade = HUGE_VAL;
    for (int i = 0; i < SOLVES; ++i) {
        double start = cpu_seconds();
        cn_solve(problem, &def, workspace, &solution, &report, NULL);
        double solved = cpu_seconds();
        cn_problem_certify(problem, &solution, NULL, &report.certificate);
        cost->solve = fmin(cost->solve, solved - start);
        cost->grade = fmin(cost->grade, cpu_seconds() - solved);
    }
    cost->residual = report.certificate.worst;
    free(solution.impulse);
    free(solution.velocity);
    cn_workspace_destroy(workspace);
}

static Cost measure(Kind kind, int count) {
    Cost cost = {.step = HUGE_VAL};
    CnWorld* world = build(kind, count);
    for (int i = 0; i < STEPS; ++i) {
        CnStepReport report;
        double start = cpu_seconds();
        cn_world_step(world, STEP, &report, NULL);
        double seconds = cpu_seconds() - start;
        if (seconds < cost.step) {
            cost.step = seconds;
            for (int k = 0; k < CN_STAGE_COUNT; ++k) {
                cost.stage[k] = report.stage_seconds[k];
            }
        }
    }
    measure_solver(cn_world_problem(world), &cost);
    cn_world_destroy(world);
    return cost;
}

int main(int argc, char** argv) {
    int largest = argc > 1 ? atoi(argv[1]) : LARGEST;
    printf("%-6s %8s %10s %10s %10s %8s %8s %10s  stages of the step [us/body]\n", "kind", "bodies",
           "solve", "step", "grade", "solve^", "step^", "residual");
    for (Kind kind = CHAIN; kind < KIND_COUNT; ++kind) {
        Cost first = {0};
        for (int count = SMALLEST; count <= largest; count *= 10) {
            Cost cost = measure(kind, count);
            double per_body = 1e6 / count; // [us]
            first = count == SMALLEST ? cost : first;
            double growth = log((double)count / SMALLEST);
            printf("%-6s %8d %10.3f %10.3f %10.3f %8.2f %8.2f %10.1e ", kind_names[kind], count,
                   cost.solve * per_body, cost.step * per_body, cost.grade * per_body,
                   count == SMALLEST ? 1.0 : log(cost.solve / first.solve) / growth,
                   count == SMALLEST ? 1.0 : log(cost.step / first.step) / growth, cost.residual);
            for (int k = 0; k < CN_STAGE_COUNT; ++k) {
                printf(" %s %.2f", cn_stage_name((CnStage)k), cost.stage[k] * per_body);
            }
            printf("\n");
            fflush(stdout);
        }
    }
    return 0;
}
