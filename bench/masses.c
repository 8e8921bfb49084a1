// masses.c - what general masses cost, kept as they are or condensed to W.
//
//     bench_masses [unknowns]
//
// Each line is a process of its own, so that its memory is that of one form alone.
#include "cairn/solver.h"
#include "support/problems/elastic_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_UNKNOWNS 20000
#define TOLERANCE 1e-8
#define MEGABYTE 1e6

// Loads that press most nodes down and lift some.
static double uneven(int i) {
    return 1.0 + 0.5 * (double)(i * 37 % 11) / 11.0 - (i % 13 == 0 ? 4.0 : 0.0);
}

// CPU time [s].
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024.0 / MEGABYTE;
}

static void measure(const char* name, const ElasticBlockDef* def, bool condenses) {
    double start = now(), memory = megabytes();
    ElasticBlock block = elastic_block_create(def);
    CnOwnedProblem* condensed = condenses ? cn_problem_condense(&block.problem, NULL) : NULL;
    double made = now();
    const CnProblem* problem = condenses ? cn_owned_problem_get(condensed) : &block.problem;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverDef solver = cn_solver_def_default();
    CnSolution solution = {block.impulse, block.velocity};
    CnSolverReport report;
    CnError error = {0};
    solver.tolerance = TOLERANCE;
    solver.measure = CN_ERROR_RELATIVE;
    if (problem == NULL ||
        cn_solve(problem, &solver, workspace, &solution, &report, &error) != CN_OK) {
        printf("%-12s %-10s %s\n", name, condenses ? "W" : "M and J",
               problem == NULL ? "W has too many entries" : error.message);
        return;
    }
    printf("%-12s %9d %9d %-8s %8.2f %8.2f %9.0f %9.1e  %s: %s\n", name,
           cn_masses_coordinate_count(block.masses), block.contact_count,
           condenses ? "W" : "M and J", made - start, now() - made, megabytes() - memory,
           cn_certificate_error(&report.certificate, solver.measure),
           cn_outcome_name(report.outcome), report.remark);
}

static void measure_apart(const char* name, const ElasticBlockDef* def, bool condenses) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(name, def, condenses);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
    int unknowns = argc > 1 ? atoi(argv[1]) : DEFAULT_UNKNOWNS;
    ElasticBlockDef beam = {.y = 1,
                            .z = 10,
                            .mass = 30.0,
                            .along = 50.0,
                            .across = 20.0,
                            .diagonal = 30.0,
                            .load = {0.4, 0.1, -2.0},
                            .extra = uneven,
                            .friction = 0.3};
    ElasticBlockDef plate = beam;
    beam.x = unknowns / (2 * beam.z);
    plate.z = 7;
    for (plate.x = plate.y = 2; 3 * (plate.x + 1) * (plate.y + 1) * plate.z <= unknowns;) {
        ++plate.x;
        ++plate.y;
    }
    printf("%-12s %9s %9s %-8s %8s %8s %9s %9s\n", "elastic", "unknowns", "contacts", "form",
           "make [s]", "solve", "MB", "error");
    for (int i = 0; i < 4; ++i) {
        measure_apart(i < 2 ? "beam" : "plate", i < 2 ? &beam : &plate, i % 2 == 1);
    }
    return 0;
}
