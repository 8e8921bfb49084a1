// clouds.c - point sets whose convex hulls are degenerate in different ways.
#include "support/shapes/clouds.h"
#include <float.h>

static double between(CnRandom* random, double low, double high) {
    return cn_random_between(random, low, high);
}

static CnVec3 in_cube(CnRandom* random) {
    double x = between(random, -1.0, 1.0), y = between(random, -1.0, 1.0);
    return cn_vec3(x, y, between(random, -1.0, 1.0));
}

static CnVec3 in_ball(CnRandom* random) {
    CnVec3 p;
    do {
        p = in_cube(random);
    } while (cn_vec3_dot(p, p) > 1.0 || cn_vec3_dot(p, p) < 1e-3);
    return p;
}

static CnVec3 on_sphere(CnRandom* random) {
    return cn_vec3_normalize(in_ball(random));
}

static int pick(CnRandom* random, int count) {
    return (int)(cn_random_next(random) % (uint64_t)count);
}

static CnVec3 on_cube(CnRandom* random) {
    CnVec3 p = in_cube(random);
    double side = pick(random, 2) ? 1.0 : -1.0;
    double* axis[3] = {&p.x, &p.y, &p.z};
    *axis[pick(random, 3)] = side;
    return p;
}

// On corners, edges and faces of a cube and inside it, many times the same.
static CnVec3 on_grid(CnRandom* random) {
    double x = pick(random, 8), y = pick(random, 8);
    return cn_vec3(x, y, pick(random, 8));
}

static CnVec3 nearly_flat(CnRandom* random) {
    CnVec3 p = in_cube(random);
    return cn_vec3(p.x, p.y, 1e-9 * p.z);
}

static CnVec3 nearly_straight(CnRandom* random) {
    CnVec3 p = in_cube(random);
    return cn_vec3(p.x, 1e-9 * p.y, 1e-9 * p.z);
}

// Two rings of twelve: a prism whose ends have many corners.
static CnVec3 on_prism(CnRandom* random) {
    double angle = pick(random, 12) * CN_PI / 6.0;
    return cn_vec3(cn_cos(angle), cn_sin(angle), pick(random, 2));
}

const Cloud clouds[] = {
    {"ball", in_ball, 1.0, {0.0, 0.0, 0.0}, false, 1000},
    {"sphere", on_sphere, 1.0, {0.0, 0.0, 0.0}, false, 500},
    {"cube", in_cube, 1.0, {0.0, 0.0, 0.0}, false, 2000},
    {"cube surface", on_cube, 1.0, {0.0, 0.0, 0.0}, false, 800},
    {"turned cube surface", on_cube, 1.0, {0.0, 0.0, 0.0}, true, 800},
    {"grid", on_grid, 1.0, {0.0, 0.0, 0.0}, false, 1500},
    {"turned grid", on_grid, 0.1, {0.0, 0.0, 0.0}, true, 1500},
    {"turned grid far away", on_grid, 1.0, {1e6, -1e6, 3e5}, true, 1500},
    {"millimetres", in_ball, 1e-3, {0.0, 0.0, 0.0}, false, 500},
    {"kilometres", in_ball, 1e3, {0.0, 0.0, 0.0}, false, 500},
    {"far away", in_ball, 1.0, {1e6, 1e6, -1e6}, false, 500},
    {"nearly flat", nearly_flat, 1.0, {0.0, 0.0, 0.0}, false, 500},
    {"nearly flat, turned", nearly_flat, 1.0, {0.0, 0.0, 0.0}, true, 500},
    {"nearly straight", nearly_straight, 1.0, {0.0, 0.0, 0.0}, true, 500},
    {"prism", on_prism, 1.0, {0.0, 0.0, 0.0}, false, 300},
    {"turned prism", on_prism, 1.0, {0.0, 0.0, 0.0}, true, 300},
    {"four or a few more", in_ball, 1.0, {0.0, 0.0, 0.0}, false, 6},
};
const int cloud_count = (int)(sizeof clouds / sizeof clouds[0]);

void cloud_points(const Cloud* cloud, uint64_t seed, CnVec3* points) {
    CnRandom random = {seed};
    CnQuat turn = cn_quat_from_axis_angle(cn_vec3(0.3, -0.5, 0.8), 1.1);
    for (int i = 0; i < cloud->count; ++i) {
        CnVec3 p = cn_vec3_scale(cloud->scale, cloud->draw(&random));
        points[i] = cn_vec3_add(cloud->turned ? cn_quat_rotate(turn, p) : p, cloud->move);
    }
}

double largest_coordinate(const CnVec3* points, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest =
            fmax(largest, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
    }
    return largest;
}

double hull_tolerance(const CnVec3* points, int count) {
    return (2.0 * (32.0 + 2.0) + 8.0) * DBL_EPSILON * largest_coordinate(points, count);
}
