// scene_check.c - all that is wrong in a scene, and what looks wrong though it can run.
#include "io/mesh/mesh_file.h"
#include "io/scene/scene_checker.h"
#include "io/scene/scene_loader.h"
#include "io/text/file.h"
#include "io/text/json_parser.h"
#include "io/text/text.h"
#include "solvers/solve/solver.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

// Some solvers slow down with the ratio of the masses that meet; from here on it shows.
#define MASS_RATIO_WORTH_TELLING 100.0

// Two bodies that meet; none is the world.
typedef struct BodyPair {
    CnBodyId a, b;
    double gap; // [m]
} BodyPair;

static double mass_of(const CnSceneChecker* checker, CnBodyId body) {
    CnMassProperties mass = {0};
    if (body.index != 0) {
        cn_body_mass_properties(checker->world, body, &mass);
    }
    return mass.mass; // 0: cannot be moved
}

// ---- overlaps ----

static uint64_t pair_key(CnBodyId a, CnBodyId b) {
    uint32_t low = a.index < b.index ? a.index : b.index;
    return (uint64_t)low << 32u | (a.index < b.index ? b.index : a.index);
}

static void path_of_body(CnBodyId body, char path[CN_JSON_PATH_SIZE]) {
    snprintf(path, CN_JSON_PATH_SIZE, "bodies[%d]", (int)body.index - 1);
}

// One entry per pair of bodies: the deepest. Returns how many; -1: no memory.
static int deepest_per_pair(CnSceneChecker* checker, BodyPair* meetings, int count) {
    CnMap pairs;
    int kept = 0;
    bool ok = true;
    cn_map_init(&pairs, &checker->arena->allocator);
    for (int i = 0; i < count && ok; ++i) {
        uint64_t key = pair_key(meetings[i].a, meetings[i].b);
        int known = cn_map_get(&pairs, key);
        if (known < 0) {
            ok = cn_map_set(&pairs, key, kept);
            meetings[kept++] = meetings[i];
        } else if (meetings[i].gap < meetings[known].gap) {
            meetings[known] = meetings[i];
        }
    }
    cn_map_destroy(&pairs);
    return ok ? kept : -1;
}

// What stabilisation leaves alone anyway is not worth a warning.
static void warn_overlap(const CnSceneChecker* checker, const BodyPair* meeting) {
    char a[CN_SHOWN_SIZE], b[CN_SHOWN_SIZE], path[CN_JSON_PATH_SIZE];
    if (meeting->gap >= -checker->scene->settings.step.slop) {
        return;
    }
    path_of_body(meeting->b.index != 0 ? meeting->b : meeting->a, path);
    cn_report_warning(checker->errors, cn_scene_line_of(checker, path), path,
                      "\"%s\" and \"%s\" overlap by %g m at the start",
                      cn_scene_show_body(checker->scene, meeting->a, a),
                      cn_scene_show_body(checker->scene, meeting->b, b), -meeting->gap);
}

// ---- mass ratios ----

static void warn_mass_ratio(CnSceneChecker* checker, CnBodyId a, CnBodyId b, const char* path) {
    char a_shown[CN_SHOWN_SIZE], b_shown[CN_SHOWN_SIZE];
    double mass_a = mass_of(checker, a), mass_b = mass_of(checker, b);
    if (!(mass_a > 0.0) || !(mass_b > 0.0)) {
        return;
    }
    double ratio = mass_a > mass_b ? mass_a / mass_b : mass_b / mass_a;
    const CnSolver* solver = cn_solver_find(checker->scene->settings.solver.name);
    if (!solver->info.slow_at_mass_ratios || ratio < MASS_RATIO_WORTH_TELLING ||
        cn_map_get(&checker->told, pair_key(a, b)) >= 0) {
        return;
    }
    if (!cn_map_set(&checker->told, pair_key(a, b), 0)) {
        cn_report_no_memory(checker->errors);
        return;
    }
    cn_report_warning(
        checker->errors, cn_scene_line_of(checker, path), path,
        "\"%s\" (%g kg) and \"%s\" (%g kg) meet with a mass ratio of %.3g; solver %s will be "
        "slow or inaccurate (\"auto\" is not)",
        cn_scene_show_body(checker->scene, a, a_shown), mass_a,
        cn_scene_show_body(checker->scene, b, b_shown), mass_b, ratio, solver->info.name);
}

// ---- contacts and constraints ----

static void check_contacts(CnSceneChecker* checker) {
    int count = cn_world_find_contacts(checker->world, NULL, 0);
    CnContactPoint* points = CN_ARENA_NEW(checker->arena, CnContactPoint, count < 0 ? 0 : count);
    BodyPair* meetings = CN_ARENA_NEW(checker->arena, BodyPair, count < 0 ? 0 : count);
    if (count < 0 || points == NULL || meetings == NULL ||
        cn_world_find_contacts(checker->world, points, count) < 0) {
        cn_report_no_memory(checker->errors);
        return;
    }
    for (int i = 0; i < count; ++i) {
        meetings[i] = (BodyPair){points[i].body_a, points[i].body_b, points[i].gap};
    }
    int pair_count = deepest_per_pair(checker, meetings, count);
    if (pair_count < 0) {
        cn_report_no_memory(checker->errors);
    }
    for (int i = 0; i < pair_count; ++i) {
        char path[CN_JSON_PATH_SIZE];
        path_of_body(meetings[i].b, path);
        warn_overlap(checker, &meetings[i]);
        warn_mass_ratio(checker, meetings[i].a, meetings[i].b, path);
    }
}

static void check_constraint_masses(CnSceneChecker* checker) {
    const CnScene* scene = checker->scene;
    char path[CN_JSON_PATH_SIZE];
    for (int i = 0; i < scene->constraints.count; ++i) {
        const CnPointConstraint* constraint = &scene->constraints.data[i];
        snprintf(path, sizeof path, "constraints[%d]", i);
        warn_mass_ratio(checker, constraint->body_a, constraint->body_b, path);
    }
    for (int i = 0; i < scene->joints.count; ++i) {
        const CnJointDef* joint = &scene->joints.data[i];
        snprintf(path, sizeof path, "joints[%d]", i);
        warn_mass_ratio(checker, joint->body_a, joint->body_b, path);
    }
}

// ---- meshes ----

// A body that comes through a hole, or meets a triangle from behind, is inside of nothing.
static void check_mesh(const CnSceneChecker* checker, const CnShapeDef* def, const char* path) {
    const CnAllocator* allocator = &checker->arena->allocator;
    CnTriangleSoup soup;
    CnError error;
    double volume;
    CnStatus status = cn_mesh_weld(def->points, def->point_count, def->triangles,
                                   def->triangle_count, allocator, &soup, &error);
    if (status == CN_OK) {
        status = cn_mesh_volume(&soup, allocator, &volume, &error);
        cn_mesh_free(&soup, allocator);
    }
    if (status == CN_NO_MEMORY) {
        cn_report_no_memory(checker->errors);
    } else if (status != CN_OK) {
        cn_report_warning(checker->errors, cn_scene_line_of(checker, path), path, "%s",
                          error.message);
    }
}

static void check_meshes(const CnSceneChecker* checker) {
    const CnScene* scene = checker->scene;
    for (int i = 0; i < scene->bodies.count; ++i) {
        const CnBodyDef* body = &scene->bodies.data[i];
        for (int k = 0; k < body->shape_count; ++k) {
            if (body->shapes[k].type == CN_SHAPE_MESH) {
                char path[CN_JSON_PATH_SIZE];
                snprintf(path, sizeof path, "bodies[%d].shapes[%d]", i, k);
                check_mesh(checker, &body->shapes[k], path);
            }
        }
    }
}

// What the loader leaves open because settings may still be changed: a scene that is run as it is
// needs a solver that has its friction.
static bool check_solver(const CnSceneChecker* checker) {
    const char* member = "";
    char path[CN_JSON_PATH_SIZE];
    CnError error;
    if (cn_validate_solver(&checker->scene->settings.solver, &member, &error) == CN_OK) {
        return true;
    }
    snprintf(path, sizeof path, "solver.%s", member);
    return cn_report_error(checker->errors, error.status, cn_scene_line_of(checker, path), path,
                           "%s", error.message);
}

// Builds the scene's world and warns of overlaps, mass ratios, redundant constraints, joints that
// look wrong and meshes without an inside. top, the file's tree, gives the lines; NULL: there is no
// file.
static void check_world(const CnScene* scene, const CnJson* top, CnArena* arena,
                        CnErrorList* errors) {
    CnError error;
    CnSceneChecker checker = {.scene = scene, .top = top, .arena = arena, .errors = errors};
    if (!check_solver(&checker)) {
        return;
    }
    checker.world = cn_scene_build(scene, NULL, &error);
    if (checker.world == NULL) {
        cn_report_error(errors, error.status, 0, "", "%s", error.message);
        return;
    }
    cn_map_init(&checker.told, &arena->allocator);
    check_contacts(&checker);
    check_constraint_masses(&checker);
    cn_scene_check_redundancy(&checker);
    cn_scene_check_joints(&checker);
    cn_scene_check_series(&checker);
    check_meshes(&checker);
    cn_map_destroy(&checker.told);
    cn_world_destroy(checker.world);
}

int cn_scene_check(const char* path, CnSceneProblem* problems, int capacity, CnScene** scene_out,
                   CnError* error) {
    CnArena arena;
    CnErrorList errors;
    const CnJson* top;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, cn_file_label(path), problems, capacity);
    CnScene* scene = cn_scene_load_file(path, &arena, &errors, &top);
    if (scene != NULL) {
        check_world(scene, top, &arena, &errors);
    }
    if (errors.error_count > 0 || scene_out == NULL) {
        cn_scene_destroy(scene);
        scene = NULL;
    }
    if (scene_out != NULL) {
        *scene_out = scene;
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return errors.count;
}

int cn_scene_find_problems(const CnScene* scene, CnSceneProblem* problems, int capacity,
                           CnError* error) {
    CnArena arena;
    CnErrorList errors;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, scene->name, problems, capacity);
    check_world(scene, NULL, &arena, &errors);
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return errors.count;
}
