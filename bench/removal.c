// removal.c - what it costs to add and to remove bodies, by how many there are.
//
//     cmake --build --preset release --target bench_removal && build/release/bench/bench_removal
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Cost {
    double add, remove; // for each body [s]
} Cost;

static CnBodyId add(CnWorld* world, int i, bool named) {
    char name[20];
    snprintf(name, sizeof name, "body %d", i);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    def.shapes = &sphere;
    def.shape_count = 1;
    def.name = named ? name : NULL;
    def.position = cn_vec3(2.0 * (i % 300), 2.0 * (i / 300), 0.0);
    return cn_world_add_body(world, &def, NULL);
}

static Cost measure(int count, bool named, CnBodyId* ids) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    double start = cn_timer_now();
    for (int i = 0; i < count; ++i) {
        ids[i] = add(world, i, named);
    }
    double middle = cn_timer_now();
    for (int i = 0; i < count; ++i) {
        cn_world_remove_body(world, ids[i]);
    }
    double end = cn_timer_now();
    cn_world_destroy(world);
    return (Cost){(middle - start) / count, (end - middle) / count};
}

int main(void) {
    const int counts[] = {1000, 3000, 10000, 30000, 100000};
    CnBodyId* ids = malloc(100000 * sizeof *ids);
    if (ids == NULL) {
        return 1;
    }
    printf("%8s %10s %12s %14s\n", "bodies", "", "add [us]", "remove [us]");
    for (int k = 0; k < 10; ++k) {
        Cost cost = measure(counts[k / 2], k % 2 == 1, ids);
        printf("%8d %10s %12.3f %14.3f\n", counts[k / 2], k % 2 == 1 ? "named" : "nameless",
               1e6 * cost.add, 1e6 * cost.remove);
    }
    free(ids);
    return 0;
}
