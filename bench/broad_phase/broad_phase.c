// broad_phase.c - what the broad phase costs per ball and step, next to those of other engines.
//
//     bench_broad_phase [smallest count] [largest count]
//
// CPU time, means over steps, the best of some repeats; the contenders take turns.
#include "cairn/random.h"
#include "contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DT (1.0 / 60.0) // [s]
#define RADIUS 0.5      // [m]
#define ENOUGH 2.0      // of one measurement: it ends after so many seconds, or its last step [s]
#define LEAST_STEPS 3   // that are counted however long they take

typedef struct Scene {
    const char* name;
    double speed;   // of balls that fly, along each axis [m/s]; 0: a pile
    double tremble; // of balls at rest [m]
    double spacing; // edge of the cube that each ball has for itself [m]
} Scene;

static const Scene scenes[] = {
    {"pile at rest", 0.0, 1e-4, 1.0},
    {"cloud, 1 m/s", 1.0, 0.0, 1.75}, // balls fill a tenth of space
    {"cloud, 10 m/s", 10.0, 0.0, 1.75},
};

static const Contender* const contenders[] = {
    &contender_cairn,
#ifdef BENCH_BULLET
    &contender_bullet,
#endif
#ifdef BENCH_ODE
    &contender_ode_hash, &contender_ode_sap, &contender_ode_quadtree,
#endif
};
#define CONTENDER_COUNT ((int)(sizeof contenders / sizeof contenders[0]))

typedef struct Balls {
    int count;
    double edge;         // of the cube they are in [m]
    BenchBall* ball;     // where they are now   [count]
    double (*home)[3];   // of a pile   [count]
    double (*flight)[3]; // velocity   [count]
    CnRandom random;
} Balls;

static Balls make_balls(const Scene* scene, int count) {
    int side = 1;
    while (side * side * side < count) {
        ++side;
    }
    Balls balls = {count, side * scene->spacing, NULL, NULL, NULL, {7}};
    balls.ball = calloc((size_t)count, sizeof *balls.ball);
    balls.home = calloc((size_t)count, sizeof *balls.home);
    balls.flight = calloc((size_t)count, sizeof *balls.flight);
    for (int i = 0; i < count; ++i) {
        int cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            // Neighbours of a pile are up to 5 % of their size apart or pressed together.
            double jitter = scene->speed > 0.0 ? 0.5 * (scene->spacing - 1.0) : 0.025;
            balls.home[i][k] = scene->spacing * (cell[k] + 0.5) +
                               cn_random_between(&balls.random, -jitter, jitter);
            balls.ball[i].center[k] = balls.home[i][k];
            balls.flight[i][k] = cn_random_between(&balls.random, -scene->speed, scene->speed);
        }
        balls.ball[i].radius = RADIUS;
    }
    return balls;
}

static void free_balls(Balls* balls) {
    free(balls->ball);
    free(balls->home);
    free(balls->flight);
}

static void move_balls(const Scene* scene, Balls* balls) {
    for (int i = 0; i < balls->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double* x = &balls->ball[i].center[k];
            if (scene->speed == 0.0) {
                *x = balls->home[i][k] +
                     cn_random_between(&balls->random, -scene->tremble, scene->tremble);
                continue;
            }
            *x += DT * balls->flight[i][k];
            if (*x < 0.0 || *x > balls->edge) {
                balls->flight[i][k] *= -1.0;
            }
        }
    }
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Mean time per step and ball [ns]; warm: the first steps are not counted.
static double measure(const Contender* contender, const Scene* scene, int count, long* pairs) {
    int steps = count >= 100000 ? 20 : 200;
    Balls balls = make_balls(scene, count);
    void* self = contender->create(balls.ball, count);
    double total = 0.0;
    int counted = 0;
    for (int step = -5; step < steps && (total < ENOUGH || counted < LEAST_STEPS); ++step) {
        double start = cpu_seconds();
        *pairs = contender->step(self, balls.ball, count);
        total += step >= 0 ? cpu_seconds() - start : 0.0;
        counted += step >= 0;
        move_balls(scene, &balls);
    }
    contender->destroy(self);
    free_balls(&balls);
    return 1e9 * total / counted / count;
}

static void measure_scene(const Scene* scene, int count) {
    double best[CONTENDER_COUNT];
    long pairs[CONTENDER_COUNT];
    int repeats = count >= 100000 ? 1 : 3;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (int c = 0; c < CONTENDER_COUNT; ++c) {
            if (count > contenders[c]->largest) {
                continue;
            }
            double cost = measure(contenders[c], scene, count, &pairs[c]);
            best[c] = repeat == 0 || cost < best[c] ? cost : best[c];
        }
    }
    for (int c = 0; c < CONTENDER_COUNT; ++c) {
        if (count <= contenders[c]->largest) {
            printf("%-14s %8d  %-8s %9.1f ns %6.2f pairs per ball  %6.2f x\n", scene->name, count,
                   contenders[c]->name, best[c], (double)pairs[c] / count, best[c] / best[0]);
        }
    }
    fflush(stdout);
}

int main(int argc, char** argv) {
    int smallest = argc > 1 ? atoi(argv[1]) : 1000;
    int largest = argc > 2 ? atoi(argv[2]) : 1000000;
    for (int count = smallest; count > 0 && count <= largest; count *= 10) {
        for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
            measure_scene(&scenes[s], count);
        }
    }
    return 0;
}
