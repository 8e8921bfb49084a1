// queries.c - what rays, overlaps and pushed balls cost in a cloud of balls, next to Bullet's.
//
//     bench_queries [smallest count] [largest count]
//
// CPU time per query, means over many, the best of some repeats; the contenders take turns and are
// asked the same. Balls of 1 m fill a tenth of space.
#include "cairn/random.h"
#include "query_contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RADIUS 0.5   // of the balls [m]
#define SPACING 1.75 // edge of the cube that each ball has for itself [m]
#define WAY 100.0    // of rays and pushed balls along each axis, if nothing stops them [m]
#define PROBE 1.0    // radius of the ball that is held into the world [m]
#define QUERIES 20000
#define REPEATS 3

static const QueryContender* const contenders[] = {
    &query_cairn,
#ifdef BENCH_BULLET
    &query_bullet,
#endif
};
#define CONTENDER_COUNT ((int)(sizeof contenders / sizeof contenders[0]))

// Time of one query [ns], and the sum of what they answered, which tells whether all agree.
typedef struct Cost {
    double ray, overlap, cast;
    double ray_sum, overlap_sum, cast_sum;
} Cost;

static BenchBall* make_balls(int count, double* edge) {
    CnRandom random = {7};
    int side = 1;
    while (side * side * side < count) {
        ++side;
    }
    BenchBall* balls = calloc((size_t)count, sizeof *balls);
    for (int i = 0; balls != NULL && i < count; ++i) {
        int cell[3] = {i % side, i / side % side, i / side / side};
        double jitter = 0.5 * SPACING - RADIUS;
        for (int k = 0; k < 3; ++k) {
            balls[i].center[k] =
                SPACING * (cell[k] + 0.5) + cn_random_between(&random, -jitter, jitter);
        }
        balls[i].radius = RADIUS;
    }
    *edge = side * SPACING;
    return balls;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// From a corner of a ball's own cube, where no ball reaches, anywhere: engines do not agree about
// rays that start inside.
static void draw_way(CnRandom* random, double edge, double from[3], double to[3]) {
    for (int k = 0; k < 3; ++k) {
        from[k] = SPACING * floor(cn_random_between(random, 0.0, edge) / SPACING);
        to[k] = from[k] + cn_random_between(random, -WAY, WAY);
    }
}

static Cost measure(const QueryContender* contender, void* self, double edge) {
    CnRandom random = {11};
    Cost cost = {0};
    double start = cpu_seconds(), from[3], to[3];
    for (int i = 0; i < QUERIES; ++i) {
        draw_way(&random, edge, from, to);
        cost.ray_sum += contender->cast_ray(self, from, to);
    }
    double after_rays = cpu_seconds();
    for (int i = 0; i < QUERIES; ++i) {
        BenchBall probe = {.radius = PROBE};
        for (int k = 0; k < 3; ++k) {
            probe.center[k] = cn_random_between(&random, 0.0, edge);
        }
        cost.overlap_sum += contender->overlap(self, &probe);
    }
    double after_overlaps = cpu_seconds();
    for (int i = 0; i < QUERIES; ++i) {
        draw_way(&random, edge, from, to);
        BenchBall probe = {{from[0], from[1], from[2]}, 0.25 * RADIUS};
        cost.cast_sum += contender->cast_ball(self, &probe, to);
    }
    cost.ray = 1e9 * (after_rays - start) / QUERIES;
    cost.overlap = 1e9 * (after_overlaps - after_rays) / QUERIES;
    cost.cast = 1e9 * (cpu_seconds() - after_overlaps) / QUERIES;
    return cost;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static void measure_count(int count) {
    double edge;
    BenchBall* balls = make_balls(count, &edge);
    void* selves[CONTENDER_COUNT];
    Cost best[CONTENDER_COUNT];
    for (int c = 0; c < CONTENDER_COUNT; ++c) {
        selves[c] = contenders[c]->create(balls, count);
    }
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int c = 0; c < CONTENDER_COUNT; ++c) {
            Cost cost = measure(contenders[c], selves[c], edge);
            if (repeat == 0) {
                best[c] = cost;
            }
            best[c].ray = smaller(best[c].ray, cost.ray);
            best[c].overlap = smaller(best[c].overlap, cost.overlap);
            best[c].cast = smaller(best[c].cast, cost.cast);
        }
    }
    for (int c = 0; c < CONTENDER_COUNT; ++c) {
        printf("%8d  %-7s ray %7.0f ns (%.3f)  overlap %7.0f ns (%.2f)  pushed ball %7.0f ns "
               "(%.3f)\n",
               count, contenders[c]->name, best[c].ray, best[c].ray_sum / QUERIES, best[c].overlap,
               best[c].overlap_sum / QUERIES, best[c].cast, best[c].cast_sum / QUERIES);
        contenders[c]->destroy(selves[c]);
    }
    fflush(stdout);
    free(balls);
}

int main(int argc, char** argv) {
    int smallest = argc > 1 ? atoi(argv[1]) : 1000;
    int largest = argc > 2 ? atoi(argv[2]) : 100000;
    printf("   balls  engine  mean time of a query (mean answer: fraction, bodies, fraction)\n");
    for (int count = smallest; count > 0 && count <= largest; count *= 10) {
        measure_count(count);
    }
    return 0;
}
