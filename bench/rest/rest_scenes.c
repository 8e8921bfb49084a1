// rest_scenes.c - pyramids of cubes at rest, and balls that fall among fixed ones.
#include "rest_scenes.h"

#include <stdint.h>
#include <stdlib.h>

static RestScene make_scene(int capacity, double friction) {
    RestScene scene = {.friction = friction, .bodies = calloc((size_t)capacity, sizeof(RestBody))};
    if (scene.bodies == NULL) {
        abort();
    }
    return scene;
}

static void add(RestScene* scene, RestBody body) {
    scene->bodies[scene->count++] = body;
}

// Top at z = 0.
static void add_ground(RestScene* scene, double half) {
    add(scene, (RestBody){REST_BOX, true, {half, half, 1.0}, 0.0, {0.0, 0.0, -1.0}});
}

// Cubes of edge 1 m and 1 kg, 1.25 m apart, along x.
static void add_pyramid(RestScene* scene, int base, double x, double y) {
    for (int i = 0; i < base; ++i) {
        for (int j = 0; j < base - i; ++j) {
            double along = x + 1.25 * (j - 0.5 * (base - 1 - i));
            add(scene, (RestBody){REST_BOX, false, {0.5, 0.5, 0.5}, 1.0, {along, y, 0.5 + i}});
        }
    }
}

static RestScene one_pyramid(void) {
    RestScene scene = make_scene(1 + 820, 0.6);
    add_ground(&scene, 100.0);
    add_pyramid(&scene, 40, 0.0, 0.0);
    return scene;
}

static RestScene hundred_pyramids(void) {
    RestScene scene = make_scene(1 + 5500, 0.6);
    add_ground(&scene, 100.0);
    for (int i = 0; i < 10; ++i) {
        for (int j = 0; j < 10; ++j) {
            add_pyramid(&scene, 10, 15.0 * (i - 4.5), 4.0 * (j - 4.5));
        }
    }
    return scene;
}

static double between(uint32_t* s, double low, double high) {
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return low + (high - low) * (*s >> 8) / 16777216.0; // 24 bits
}

// One fixed and one falling ball in each cell of a grid, so that no two overlap at the start: the
// falling ball is up to 1 m beside the cell's centre in x and in y, and falls 2 to 20 m.
static RestScene falling_balls(void) {
    const int cells = 5000, columns = 71; // 71 x 71 cells of 3 m: 213 m wide
    RestScene scene = make_scene(1 + 2 * cells, 0.5);
    uint32_t seed = 12345;
    add_ground(&scene, 150.0);
    for (int i = 0; i < cells; ++i) {
        double x = 3.0 * (i % columns - 35), y = 3.0 * (i / columns - 35);
        double fall_x = x + between(&seed, -1.0, 1.0), fall_y = y + between(&seed, -1.0, 1.0);
        double height = between(&seed, 2.0, 20.0);
        add(&scene, (RestBody){REST_BALL, true, {0.5}, 0.0, {x, y, 0.5}});
        add(&scene, (RestBody){REST_BALL, false, {0.5}, 1.0, {fall_x, fall_y, 0.5 + height}});
    }
    return scene;
}

const RestCase rest_cases[REST_CASES] = {
    {"S1", "a pyramid of 820 cubes", one_pyramid, 300, false, 1.0 / 0.45, 1.6, 0.0},
    {"S2", "100 pyramids of 55 cubes", hundred_pyramids, 300, false, 2.3, 1.6, 25e6},
    {"S10", "5000 balls falling among 5000 fixed", falling_balls, 120, true, 2.0, 0.0, 0.0},
};
