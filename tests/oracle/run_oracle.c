// run_oracle.c - cn_nearest against brute force for a million pairs: run_oracle [PAIRS] [SEED].
//
// Prints, for each pair of shapes, the worst error in every regime relative to the size of the pair
// (sum of extents and distance of centres), and the longest and mean time of a call. Exits with 1
// when an error is above what is promised (docs/theory/collision/gjk.md) or a result is not finite.
#include "collision/convex/distance.h"
#include "support/shapes/oracle.h"
#include "support/shapes/regimes.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Relative to the size. With a cylinder there are summits where the separation hardly bends.
#define ALLOWED 1e-12
#define ALLOWED_ROUND 1e-9

static double allowed_of(int kind) {
    bool is_round =
        regime_kinds[kind][0] == CN_SHAPE_CYLINDER || regime_kinds[kind][1] == CN_SHAPE_CYLINDER;
    return is_round ? ALLOWED_ROUND : ALLOWED;
}

typedef struct Score {
    double error; // worst
    int failed;   // above what is allowed, or not finite
    int count;
} Score;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void report_pair(Regime regime, int kind, int i, double got, double wanted) {
    fprintf(stderr, "%s %s, %s, pair %d: %.17g, not %.17g\n",
            regime_shape_name(regime_kinds[kind][0]), regime_shape_name(regime_kinds[kind][1]),
            regime_names[regime], i, got, wanted);
}

static Score score(Regime regime, int kind, int count, uint64_t seed, double time[2]) {
    CnRandom random = {seed + (uint64_t)((int)regime * REGIME_KINDS + kind)};
    Score result = {.count = count};
    for (int i = 0; i < count; ++i) {
        KnownPair pair;
        regime_pair(regime, kind, &random, &pair);
        double start = seconds();
        CnNearest nearest = cn_nearest(pair.a, pair.b);
        double taken = seconds() - start;
        // Any direction bounds the distance from below: where that of the answer does better than
        // all that the oracle looked at, it is right if it is what it says.
        long double along = oracle_separation(pair.a, pair.b, nearest.normal);
        double wanted = (double)fmaxl(oracle_distance(pair.a, pair.b), along);
        double error = fabs(nearest.distance - wanted) / regime_size(&pair);
        time[0] = fmax(time[0], taken);
        time[1] += taken;
        if (!(error <= allowed_of(kind))) {
            result.failed += 1;
            if (result.failed <= 2) {
                report_pair(regime, kind, i, nearest.distance, wanted);
            }
        }
        result.error = isfinite(error) ? fmax(result.error, error) : HUGE_VAL;
        regime_release(&pair);
    }
    return result;
}

int main(int argument_count, char** arguments) {
    int pairs = argument_count > 1 ? atoi(arguments[1]) : 1000000;
    uint64_t seed = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    int count = (pairs + REGIME_KINDS * REGIME_COUNT - 1) / (REGIME_KINDS * REGIME_COUNT);
    int failed = 0, total = 0;
    regime_start();
    printf("%-18s", "worst error / size");
    for (int regime = 0; regime < REGIME_COUNT; ++regime) {
        printf(" %10s", regime_names[regime]);
    }
    printf(" %9s %9s\n", "mean us", "worst us");
    for (int kind = 0; kind < REGIME_KINDS; ++kind) {
        double time[2] = {0.0, 0.0};
        printf("%-8s %-9s", regime_shape_name(regime_kinds[kind][0]),
               regime_shape_name(regime_kinds[kind][1]));
        for (int regime = 0; regime < REGIME_COUNT; ++regime) {
            Score result = score((Regime)regime, kind, count, seed, time);
            printf(" %10.1e", result.error);
            failed += result.failed;
            total += result.count;
        }
        printf(" %9.2f %9.0f\n", 1e6 * time[1] / (count * REGIME_COUNT), 1e6 * time[0]);
        fflush(stdout);
    }
    printf("%d pairs, %d above %.0e (cylinders: %.0e) of their size\n", total, failed, ALLOWED,
           ALLOWED_ROUND);
    return failed > 0;
}
