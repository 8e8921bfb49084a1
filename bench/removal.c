// removal.c - what it costs to add and to remove bodies, by how many there are.
//
//     bench_removal
//
// First all bodies of a world one by one, then one body in a world that steps: adding it, removing
// it, and what the next step costs more than the one before. All of it should not grow with the
// world. A step over many bodies leaves nothing of the world in the caches, nor of the code that
// adds and removes bodies, so that then one body costs as many cache misses as it touches lines.
// Worlds of any size in the same state of the caches can be compared: bodies in a row find what
// they touch in them, and one after a walk over other memory finds nothing.
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>

#define LARGEST 100000
#define ROUNDS 21   // of one body added and removed; medians are printed
#define COLUMNS 300 // of the grid that bodies are in

typedef struct Cost {
    double add, remove; // for each body [s]
} Cost;

// Balls of radius 0.5 m, 2 m apart.
static CnBodyId add(CnWorld* world, int i, double height, CnBodyType type, bool named) {
    char name[20];
    snprintf(name, sizeof name, "body %d", i);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.5;
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.name = named ? name : NULL;
    def.position = cn_vec3(2.0 * (i % COLUMNS), 2.0 * (i / COLUMNS), height);
    return cn_world_add_body(world, &def, NULL);
}

static Cost measure_all(int count, bool named, CnBodyId* ids) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    double start = cn_timer_now();
    for (int i = 0; i < count; ++i) {
        ids[i] = add(world, i, 0.0, CN_BODY_DYNAMIC, named);
    }
    double middle = cn_timer_now();
    for (int i = 0; i < count; ++i) {
        cn_world_remove_body(world, ids[i]);
    }
    double end = cn_timer_now();
    cn_world_destroy(world);
    return (Cost){(middle - start) / count, (end - middle) / count};
}

static double timed_step(CnWorld* world) {
    double start = cn_timer_now();
    cn_world_step(world, 1.0 / 60.0, NULL, NULL);
    return cn_timer_now() - start;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values) {
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

// The body added is 0.1 mm above one in the middle: they are a pair with an open contact. There is
// no gravity, so that nothing moves.
static void measure_one(int count, CnBodyType type) {
    double adding[ROUNDS], removing[ROUNDS], plain[ROUNDS], with_new[ROUNDS], without[ROUNDS];
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = cn_world_create(&def, NULL);
    for (int i = 0; i < count; ++i) {
        add(world, i, 0.0, type, false);
    }
    timed_step(world);
    for (int k = 0; k < ROUNDS; ++k) {
        timed_step(world);
        plain[k] = timed_step(world);
        double start = cn_timer_now();
        CnBodyId body = add(world, count / 2, 1.0001, CN_BODY_DYNAMIC, false);
        adding[k] = cn_timer_now() - start;
        with_new[k] = timed_step(world) - plain[k];
        timed_step(world);
        start = cn_timer_now();
        cn_world_remove_body(world, body);
        removing[k] = cn_timer_now() - start;
        without[k] = timed_step(world) - plain[k];
    }
    cn_world_destroy(world);
    printf("%8d %10s %12.2f %14.2f %14.1f %18.1f %18.1f\n", count,
           type == CN_BODY_STATIC ? "static" : "dynamic", 1e6 * median(adding),
           1e6 * median(removing), 1e6 * median(plain), 1e6 * median(with_new),
           1e6 * median(without));
}

// Bodies in a row, each above another of the world; the first ones, which find the caches cold, do
// not count.
#define ROW 256
#define COLD 64

static double mean_of_warm(const double* times) {
    double sum = 0.0;
    for (int i = COLD; i < ROW; ++i) {
        sum += times[i];
    }
    return sum / (ROW - COLD);
}

static void measure_row(int count) {
    double adding[ROUNDS], removing[ROUNDS];
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = cn_world_create(&def, NULL);
    for (int i = 0; i < count; ++i) {
        add(world, i, 0.0, CN_BODY_DYNAMIC, false);
    }
    for (int k = 0; k < ROUNDS; ++k) {
        double added[ROW], removed[ROW];
        CnBodyId ids[ROW];
        timed_step(world);
        for (int i = 0; i < ROW; ++i) {
            double start = cn_timer_now();
            ids[i] = add(world, (count / 2 + i) % count, 1.0001, CN_BODY_DYNAMIC, false);
            added[i] = cn_timer_now() - start;
        }
        for (int i = 0; i < ROW; ++i) {
            double start = cn_timer_now();
            cn_world_remove_body(world, ids[ROW - 1 - i]);
            removed[i] = cn_timer_now() - start;
        }
        adding[k] = mean_of_warm(added);
        removing[k] = mean_of_warm(removed);
    }
    cn_world_destroy(world);
    printf("%8d %12.2f %14.2f\n", count, 1e6 * median(adding), 1e6 * median(removing));
}

// More than a step over LARGEST bodies walks over [byte].
#define OTHER_MEMORY ((size_t)256 << 20)

static void empty_caches(volatile char* other) {
    for (size_t i = 0; i < OTHER_MEMORY; i += 64) {
        other[i] += 1;
    }
}

static void measure_cold(int count, volatile char* other) {
    double adding[ROUNDS], removing[ROUNDS];
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    for (int i = 0; i < count; ++i) {
        add(world, i, 0.0, CN_BODY_DYNAMIC, false);
    }
    timed_step(world);
    for (int k = 0; k < ROUNDS; ++k) {
        empty_caches(other);
        double start = cn_timer_now();
        CnBodyId body = add(world, count / 2, 1.0001, CN_BODY_DYNAMIC, false);
        adding[k] = cn_timer_now() - start;
        empty_caches(other);
        start = cn_timer_now();
        cn_world_remove_body(world, body);
        removing[k] = cn_timer_now() - start;
    }
    cn_world_destroy(world);
    printf("%8d %12.2f %14.2f\n", count, 1e6 * median(adding), 1e6 * median(removing));
}

int main(void) {
    const int counts[] = {1000, 3000, 10000, 30000, LARGEST};
    CnBodyId* ids = malloc(LARGEST * sizeof *ids);
    char* other = calloc(OTHER_MEMORY, 1);
    if (ids == NULL || other == NULL) {
        return 1;
    }
    printf("all bodies, one after the other\n");
    printf("%8s %10s %12s %14s\n", "bodies", "", "add [us]", "remove [us]");
    for (int k = 0; k < 10; ++k) {
        Cost cost = measure_all(counts[k / 2], k % 2 == 1, ids);
        printf("%8d %10s %12.3f %14.3f\n", counts[k / 2], k % 2 == 1 ? "named" : "nameless",
               1e6 * cost.add, 1e6 * cost.remove);
    }
    free(ids);
    printf("one body; steps: after adding and after removing, more than the one before\n");
    printf("%8s %10s %12s %14s %14s %18s %18s\n", "bodies", "others", "add [us]", "remove [us]",
           "step [us]", "after adding [us]", "after removing [us]");
    for (int k = 0; k < 10; k += 2) {
        measure_one(counts[k / 2], CN_BODY_STATIC);
        measure_one(counts[k / 2], CN_BODY_DYNAMIC);
    }
    printf("%d bodies in a row between two steps, others dynamic; each but the first %d\n", ROW,
           COLD);
    printf("%8s %12s %14s\n", "bodies", "add [us]", "remove [us]");
    for (int k = 0; k < 5; ++k) {
        measure_row(counts[k]);
    }
    printf("one body, others dynamic; the caches have nothing of the world and of the program\n");
    printf("%8s %12s %14s\n", "bodies", "add [us]", "remove [us]");
    for (int k = 0; k < 5; k += 2) {
        measure_cold(counts[k], other);
    }
    free(other);
    return 0;
}
