// machines.c - steps of machines: Cairn next to MuJoCo, Bullet and ODE, in time and in accuracy.
//
//     bench_machines [scene ...]
//
// Each engine runs the same machine with the same step. They take turns, a block of steps each; the
// time of an engine is the CPU time of a step, the least of all blocks. Then the joint error, and
// of machines without motors and contacts the change of energy over the run. Cairn runs twice: with
// certificate and ledgers in every step, and in none (CnStepDef.grade_every).
#include "builtin/builtin_scenes.h"
#include "cairn/cairn.h"
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 12
#define ENGINES 5
#define BLOCK_SECONDS                                                                              \
    0.05 // of CPU time that Cairn takes for its part of a round, 200 steps at most

// A look at this clock takes 0.5 us: as long as three links of a robot.
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Cairn ----

typedef struct CairnRun {
    CnScene* scene;
    CnWorld* world;
    double dt;
    double residual, joint_error, start_energy; // the first two: worst
    int missed;                                 // steps above the tolerance
    int steps;
} CairnRun;

// A scene that is named with this before it begins with a wave of velocities sideways. Cairn runs
// it alone.
#define THROWN "thrown "
#define THROWN_STEPS 60

static bool is_thrown(const char* name) {
    return strncmp(name, THROWN, strlen(THROWN)) == 0;
}

static void throw_sideways(CnWorld* world) {
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyId body = cn_world_body_at(world, i);
        CnBodyInfo info;
        cn_body_read(world, body, &info);
        if (info.type == CN_BODY_DYNAMIC) {
            info.state.velocity.y = 0.5 * sin(0.8 * info.state.center.x + 0.3); // [m/s]
            cn_body_set_state(world, body, &info.state, NULL);
        }
    }
}

static _Noreturn void give_up(const CnError* error) {
    fprintf(stderr, "bench_machines: %s\n", error->message);
    exit(1);
}

static CairnRun open_cairn(const char* name, double tolerance, int grade_every) {
    CnError error = {0};
    const char* scene = is_thrown(name) ? name + strlen(THROWN) : name;
    CairnRun run = {.scene = cn_open_scene(scene, &error)};
    if (run.scene == NULL) {
        give_up(&error);
    }
    CnSceneSettings settings = cn_scene_settings(run.scene);
    settings.solver.tolerance = tolerance;
    settings.step.grade_every = grade_every;
    cn_scene_set_settings(run.scene, &settings, &error);
    run.dt = settings.dt;
    run.world = cn_scene_build(run.scene, NULL, &error);
    if (run.world == NULL) {
        give_up(&error);
    }
    if (is_thrown(name)) {
        throw_sideways(run.world);
    }
    run.start_energy = cn_world_energy(run.world);
    return run;
}

static void step_cairn(CairnRun* run) {
    CnStepReport report;
    CnError error = {0};
    if (cn_world_step(run->world, run->dt, &report, &error) != CN_OK) {
        give_up(&error);
    }
    run->residual = fmax(run->residual, report.certificate.worst);
    run->joint_error = fmax(run->joint_error, report.joint_error);
    run->missed += report.not_converged > 0;
    ++run->steps;
}

static void close_cairn(CairnRun* run) {
    cn_world_destroy(run->world);
    cn_scene_destroy(run->scene);
}

// ---- others ----

static const MachineEngine* const engines[ENGINES + 1] = {
#ifdef BENCH_MUJOCO
    &machine_mujoco,
#endif
#ifdef BENCH_BULLET
    &machine_bullet,
    &machine_bullet_multibody,
#endif
#ifdef BENCH_ODE
    &machine_ode,
    &machine_ode_direct,
#endif
    NULL, // all that are installed come before it
};

typedef struct Contender {
    const MachineEngine* engine;
    void* self;
    double best; // of a step [s]
    int steps;
} Contender;

// The same number of steps for all engines, so that they are compared at the same time.
static double run_block(Contender* contender, const MachineModel* model, int steps) {
    double start = cpu_seconds();
    for (int i = 0; i < steps; ++i) {
        contender->engine->step(contender->self, machine_wave(model->dt * contender->steps));
        ++contender->steps;
    }
    return (cpu_seconds() - start) / steps;
}

static double run_cairn_block(CairnRun* run, int steps) {
    double start = cpu_seconds();
    for (int i = 0; i < steps; ++i) {
        step_cairn(run);
    }
    return (cpu_seconds() - start) / steps;
}

static void print_time(const char* name, double seconds, double cairn, int steps) {
    printf("  %-12s %10.1f us", name, 1e6 * seconds);
    if (cairn > 0.0) {
        printf("  %6.2f x Cairn", seconds / cairn);
    } else {
        printf("  %14s", "");
    }
    printf("  %6d steps", steps);
}

static void print_contender(const Contender* contender, const MachineModel* model, double cairn,
                            MachineBody* bodies) {
    memcpy(bodies, model->bodies, sizeof *bodies * (size_t)model->body_count);
    contender->engine->read(contender->self, bodies);
    print_time(contender->engine->name, contender->best, cairn, contender->steps);
    printf("  joints %.1e m", machine_joint_error(model, bodies));
    if (!model->has_motors && !model->has_ground) {
        double start = machine_energy(model, model->bodies);
        printf("  energy %+.1e J", machine_energy(model, bodies) - start);
    }
    printf("\n");
}

// A machine that the other engines have too.
static void compare(const char* name) {
    MachineModel* model = machine_model_create(name);
    MachineBody* bodies = calloc((size_t)model->body_count + 1, sizeof *bodies);
    CairnRun cairn = open_cairn(name, 1e-8, 1), ungraded = open_cairn(name, 1e-8, 0);
    Contender contenders[ENGINES] = {{0}};
    double best = HUGE_VAL, best_ungraded = HUGE_VAL;
    for (int i = 0; i < ENGINES; ++i) {
        contenders[i] = (Contender){.engine = engines[i], .best = HUGE_VAL};
        contenders[i].self = engines[i] == NULL ? NULL : engines[i]->create(model);
    }
    double first = run_cairn_block(&cairn, 2);
    run_cairn_block(&ungraded, 2);
    int steps = (int)fmax(1.0, fmin(200.0, BLOCK_SECONDS / first));
    for (int round = 0; round < ROUNDS; ++round) {
        best = fmin(best, run_cairn_block(&cairn, steps));
        best_ungraded = fmin(best_ungraded, run_cairn_block(&ungraded, steps));
        for (int i = 0; i < ENGINES; ++i) {
            if (contenders[i].self != NULL) {
                contenders[i].best =
                    fmin(contenders[i].best, run_block(&contenders[i], model, steps));
            }
        }
    }
    printf("%s: %d bodies, %d joints, %g s\n", name, model->body_count, model->joint_count,
           model->dt);
    print_time("Cairn", best, 0.0, cairn.steps);
    printf("  joints %.1e m  energy %+.1e J  residual %.1e m/s  %d missed\n", cairn.joint_error,
           cn_world_energy(cairn.world) - cairn.start_energy, cairn.residual, cairn.missed);
    print_time("not graded", best_ungraded, best, ungraded.steps);
    printf("  joints %.1e m  energy %+.1e J  %d missed\n", ungraded.joint_error,
           cn_world_energy(ungraded.world) - ungraded.start_energy, ungraded.missed);
    for (int i = 0; i < ENGINES; ++i) {
        if (contenders[i].self != NULL) {
            print_contender(&contenders[i], model, best, bodies);
            contenders[i].engine->destroy(contenders[i].self);
        }
    }
    close_cairn(&cairn);
    close_cairn(&ungraded);
    free(bodies);
    machine_model_destroy(model);
}

// Cairn alone: all steps of the scene, or a share of them.
static void run_alone(const char* name, double tolerance, int steps) {
    CairnRun run = open_cairn(name, tolerance, 1);
    double total = 0.0, best = HUGE_VAL, longest = 0.0;
    for (int i = 0; i < steps; ++i) {
        double start = cpu_seconds();
        step_cairn(&run);
        double spent = cpu_seconds() - start;
        total += spent;
        best = fmin(best, spent);
        longest = fmax(longest, spent);
    }
    printf("%s: %d bodies, tolerance %.0e m/s\n", name, cn_world_body_count(run.world), tolerance);
    printf("  Cairn        %10.1f us mean, %.1f least, %.1f longest of %d steps; joints %.1e m, "
           "residual %.1e m/s, %d missed\n",
           1e6 * total / steps, 1e6 * best, 1e6 * longest, steps, run.joint_error, run.residual,
           run.missed);
    close_cairn(&run);
}

typedef struct Case {
    const char* scene;
    int steps;        // 0: compared; else Cairn alone
    double tolerance; // alone [m/s]
} Case;

static const Case cases[] = {
    {"@robot", 0, 0.0},      {"@hand:100", 0, 0.0},       {"@hinges:10", 0, 0.0},
    {"@hinges:100", 0, 0.0}, {"@hinges:1000", 0, 0.0},    {"@hinges:10000", 0, 0.0},
    {"@net:30", 0, 0.0},     {"@chains:10", 0, 0.0},      {"@stewart", 500, 1e-8},
    {"@grasp", 500, 1e-8},   {"@ragdolls:100", 60, 1e-6}, {THROWN "@net:30", THROWN_STEPS, 1e-8},
};
#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))

int main(int argc, char** argv) {
    for (int i = 0; argc < 2 && i < CASE_COUNT; ++i) {
        if (cases[i].steps == 0) {
            compare(cases[i].scene);
        } else {
            run_alone(cases[i].scene, cases[i].tolerance, cases[i].steps);
        }
        fflush(stdout);
    }
    for (int k = 1; k < argc; ++k) {
        bool is_alone = false;
        for (int i = 0; i < CASE_COUNT; ++i) {
            if (strcmp(argv[k], cases[i].scene) == 0 && cases[i].steps > 0) {
                is_alone = true;
                run_alone(argv[k], cases[i].tolerance, cases[i].steps);
            }
        }
        if (!is_alone && is_thrown(argv[k])) {
            run_alone(argv[k], 1e-8, THROWN_STEPS);
        } else if (!is_alone) {
            compare(argv[k]);
        }
    }
    return 0;
}
