// state.c - what it costs to clone, save and restore a world, by how many bodies it has.
//
//     bench_state [BODIES]
//
// Balls lie on the ground, one contact each. Medians of a few rounds, CPU time of the process with
// that of the kernel; the restored world makes a step of the same bits. The file is one of
// TMPDIR or /tmp: waiting for a disk is not measured.
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5
#define COLUMNS 300 // of the grid that bodies are in
#define STEP (1.0 / 60.0)

// Balls of radius 0.5 m, 2 m apart.
static CnWorld* make_world(int count) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.5;
    CnBodyDef ground = cn_body_def_default(), ball = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ball.shapes = &sphere;
    ground.shape_count = ball.shape_count = 1;
    cn_world_add_body(world, &ground, NULL);
    for (int i = 0; i < count; ++i) {
        ball.position = cn_vec3(2.0 * (i % COLUMNS), 2.0 * (i / COLUMNS), 0.5);
        cn_world_add_body(world, &ball, NULL);
    }
    return world;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values) {
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

static bool measure(int count) {
    CnWorld *world = make_world(count), *fresh = make_world(count);
    double clone[ROUNDS], save[ROUNDS], load[ROUNDS], file[ROUNDS];
    size_t size = 0;
    bool ok = cn_world_step(world, STEP, NULL, NULL) == CN_OK &&
              cn_world_step(world, STEP, NULL, NULL) == CN_OK;
    char path[300];
    const char* folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/cairn_bench_%ld.state",
             folder == NULL || folder[0] == '\0' ? "/tmp" : folder, (long)getpid());
    for (int i = 0; ok && i < ROUNDS; ++i) {
        void* bytes;
        double start = now();
        CnWorld* other = cn_world_clone(world, NULL, NULL);
        clone[i] = now() - start;
        cn_world_destroy(other);
        start = now();
        ok = other != NULL && cn_world_save_state_memory(world, &bytes, &size, NULL) == CN_OK;
        save[i] = now() - start;
        start = now();
        ok = ok && cn_world_load_state_memory(fresh, bytes, size, NULL) == CN_OK;
        load[i] = now() - start;
        cn_world_release_state(world, bytes);
        start = now();
        ok = ok && cn_world_save_state(world, path, NULL) == CN_OK &&
             cn_world_load_state(fresh, path, NULL) == CN_OK;
        file[i] = now() - start;
    }
    remove(path);
    ok = ok && cn_world_step(world, STEP, NULL, NULL) == CN_OK &&
         cn_world_step(fresh, STEP, NULL, NULL) == CN_OK &&
         cn_world_hash(world) == cn_world_hash(fresh);
    if (ok) {
        double saved = median(save), loaded = median(load);
        printf("%8d %10.1f %10.1f %10.1f %14.1f %10.1f %10.1f\n", count, 1e3 * median(clone),
               1e3 * saved, 1e3 * loaded, 1e3 * (saved + loaded), 1e3 * median(file),
               1e-6 * (double)size);
    } else {
        printf("%8d: the restored world is not the same\n", count);
    }
    cn_world_destroy(world);
    cn_world_destroy(fresh);
    return ok;
}

int main(int argc, char** argv) {
    int most = argc > 1 ? atoi(argv[1]) : 100000;
    bool ok = true;
    printf("  bodies clone [ms]  save [ms]  load [ms] save+load [ms] file [ms]  size [MB]\n");
    for (int count = 1000; ok && count <= most; count *= 10) {
        ok = measure(count);
    }
    return ok ? 0 : 1;
}
