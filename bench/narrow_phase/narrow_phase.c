// narrow_phase.c - what one pair of shapes costs, next to other engines on the same poses.
//
//     bench_narrow_phase [first shape [second shape]]
//
// CPU time per pair, the best of interleaved repeats. bench/README.md says how to read it.
#include "cairn/random.h"
#include "collision/collide.h"
#include "narrow_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAIRS 1000       // of each kind
#define REPEATS 15       // of each measurement
#define ENOUGH 0.5       // of one contender on one kind of pair, then repeats end [s]
#define OVERLAP 1e-3     // of shapes at rest on each other [m]
#define TILT 1e-4        // of shapes at rest [rad]
#define BESIDE 0.1       // how far they lie beside each other at most [m]
#define NEAREST_GAP 0.03 // of shapes that are near: just outside the margin [m]
#define WIDEST_GAP 0.2   // [m]

static const NarrowContender* const contenders[] = {
    &narrow_cairn,
#ifdef BENCH_BULLET
    &narrow_bullet,
    &narrow_bullet_sat,
#endif
#ifdef BENCH_ODE
    &narrow_ode,
#endif
};
#define CONTENDER_COUNT ((int)(sizeof contenders / sizeof contenders[0]))

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static BenchPose pose(CnVec3 position, CnQuat q) {
    return (BenchPose){{position.x, position.y, position.z}, {q.w, q.x, q.y, q.z}};
}

static CnTransform transform(const BenchPose* p) {
    const double *x = p->position, *q = p->rotation;
    return (CnTransform){cn_vec3(x[0], x[1], x[2]), cn_quat(q[0], q[1], q[2], q[3])};
}

static CnVec3 random_vector(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    double z = cn_random_between(random, -size, size);
    return cn_vec3(x, y, z);
}

static CnVec3 random_direction(CnRandom* random) {
    CnVec3 v = random_vector(random, 1.0);
    while (cn_vec3_length(v) > 1.0 || cn_vec3_length(v) < 0.1) {
        v = random_vector(random, 1.0);
    }
    return cn_vec3_normalize(v);
}

static CnQuat random_rotation(CnRandom* random) {
    CnVec3 axis = random_direction(random);
    return cn_quat_from_axis_angle(axis, cn_random_between(random, -3.14, 3.14));
}

// B on A as in a pile at rest, turned about the vertical by at most `yaw`.
static BenchPair stacked(const BenchShape* a, const BenchShape* b, double yaw, CnRandom* random) {
    CnQuat lying_a = cn_quat(a->lying[0], a->lying[1], a->lying[2], a->lying[3]);
    CnQuat lying_b = cn_quat(b->lying[0], b->lying[1], b->lying[2], b->lying[3]);
    CnQuat tilt = cn_quat_exp(random_vector(random, TILT));
    CnVec3 up = cn_vec3(0.0, 0.0, 1.0);
    CnQuat turn = cn_quat_from_axis_angle(up, cn_random_between(random, -yaw, yaw));
    CnVec3 beside = random_vector(random, BESIDE);
    CnVec3 top = cn_vec3(beside.x, beside.y, a->height + b->height - OVERLAP);
    return (BenchPair){pose(cn_vec3(0.0, 0.0, 0.0), lying_a),
                       pose(top, cn_quat_multiply(cn_quat_multiply(turn, tilt), lying_b))};
}

static BenchPair in_line(const BenchShape* a, CnRandom* random) {
    bool plane = a->type == BENCH_PLANE;
    BenchPair pair;
    CnVec3 direction = plane ? cn_vec3(0.0, 0.0, 1.0) : random_direction(random);
    pair.a = pose(cn_vec3(0.0, 0.0, 0.0), plane ? cn_quat_identity() : random_rotation(random));
    pair.b = pose(direction, random_rotation(random));
    return pair;
}

static void set_distance(BenchPair* pair, double distance) {
    CnVec3 direction = cn_vec3_normalize(transform(&pair->b).position);
    CnVec3 at = cn_vec3_scale(distance, direction);
    pair->b.position[0] = at.x, pair->b.position[1] = at.y, pair->b.position[2] = at.z;
}

// In any direction, so near that the balls inside overlap.
static BenchPair tumbling(const BenchShape* a, const BenchShape* b, CnRandom* random) {
    BenchPair pair = in_line(a, random);
    set_distance(&pair, cn_random_between(random, 0.7, 1.0) * (a->inner + b->inner));
    return pair;
}

static bool touch(const BenchShape* a, const BenchShape* b, const BenchPair* pair) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape placed_a = {a->own, transform(&pair->a)};
    CnPlacedShape placed_b = {b->own, transform(&pair->b)};
    return cn_collide(placed_a, placed_b, NEAREST_GAP, points) > 0;
}

// In any direction, beyond where they touch: boxes around them overlap, mostly.
static BenchPair near(const BenchShape* a, const BenchShape* b, CnRandom* random) {
    BenchPair pair = in_line(a, random);
    double low = 0.0, high = 4.0;
    for (int i = 0; i < 20; ++i) {
        double middle = 0.5 * (low + high);
        set_distance(&pair, middle);
        bool inside = touch(a, b, &pair);
        low = inside ? middle : low;
        high = inside ? high : middle;
    }
    set_distance(&pair, high + cn_random_between(random, 0.0, WIDEST_GAP - NEAREST_GAP));
    return pair;
}

static BenchPair stacked_straight(const BenchShape* a, const BenchShape* b, CnRandom* random) {
    return stacked(a, b, 0.0, random);
}

static BenchPair stacked_turned(const BenchShape* a, const BenchShape* b, CnRandom* random) {
    return stacked(a, b, 3.14, random);
}

typedef struct Poses {
    const char* name;
    BenchPair (*make)(const BenchShape* a, const BenchShape* b, CnRandom* random);
} Poses;

static const Poses poses[] = {
    {"stacked", stacked_straight},
    {"turned", stacked_turned},
    {"tumbling", tumbling},
    {"near", near},
};

typedef struct Result {
    double cost;   // of one pair [ns]
    double points; // per pair
    double spent;  // on all repeats [s]
    bool known;
} Result;

static void measure(const BenchShape* a, const BenchShape* b, const BenchPair* pairs,
                    Result results[CONTENDER_COUNT]) {
    void* self[CONTENDER_COUNT];
    for (int c = 0; c < CONTENDER_COUNT; ++c) {
        self[c] = contenders[c]->create(a, b, pairs, PAIRS);
        results[c] = (Result){.cost = HUGE_VAL, .known = self[c] != NULL};
    }
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int c = 0; c < CONTENDER_COUNT; ++c) {
            if (self[c] == NULL || results[c].spent > ENOUGH) {
                continue;
            }
            double start = cpu_seconds();
            results[c].points = (double)contenders[c]->collide(self[c]) / PAIRS;
            double seconds = cpu_seconds() - start;
            results[c].spent += seconds;
            results[c].cost = fmin(results[c].cost, 1e9 * seconds / PAIRS);
        }
    }
    for (int c = 0; c < CONTENDER_COUNT; ++c) {
        if (self[c] != NULL) {
            contenders[c]->destroy(self[c]);
        }
    }
}

// A contender that finds nothing where others do has no function for the pair.
static void print_result(const char* name, const Result* own, const Result* other) {
    if (other->known && !(own->points > 0.1 && other->points == 0.0)) {
        printf("  %s %.0f ns (%.1f points) %.2fx", name, other->cost, other->points,
               other->cost / own->cost);
    }
}

static void measure_pair(const BenchShape* a, const BenchShape* b) {
    static BenchPair pairs[PAIRS];
    for (size_t p = 0; p < sizeof poses / sizeof poses[0]; ++p) {
        CnRandom random = {1};
        Result results[CONTENDER_COUNT];
        for (int i = 0; i < PAIRS; ++i) {
            pairs[i] = poses[p].make(a, b, &random);
        }
        measure(a, b, pairs, results);
        printf("%-8s %-8s %-8s  %s %6.0f ns (%.1f points)", a->name, b->name, poses[p].name,
               contenders[0]->name, results[0].cost, results[0].points);
        for (int c = 1; c < CONTENDER_COUNT; ++c) {
            print_result(contenders[c]->name, &results[0], &results[c]);
        }
        printf("\n");
        fflush(stdout);
    }
}

static bool wanted(const BenchShape* shape, int argc, char** argv, int argument) {
    return argc <= argument || strcmp(argv[argument], shape->name) == 0;
}

int main(int argc, char** argv) {
    BenchShape shapes[SHAPE_COUNT];
    make_shapes(shapes);
    for (int i = 0; i < SHAPE_COUNT; ++i) {
        for (int j = i == SHAPE_PLANE ? i + 1 : i; j < SHAPE_COUNT; ++j) {
            if (wanted(&shapes[i], argc, argv, 1) && wanted(&shapes[j], argc, argv, 2)) {
                measure_pair(&shapes[i], &shapes[j]);
            }
        }
    }
    free_shapes(shapes);
    return 0;
}
