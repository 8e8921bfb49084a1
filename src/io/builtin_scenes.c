// builtin_scenes.c - scenes made by a function of one size; one table.
#include "io/builtin_scenes.h"

#include "base/error.h"
#include "io/text.h"
#include "math/random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32
#define MAX_DIGITS 10 // of a size; more would not fit an int

typedef struct Builtin {
    CnBuiltinScene info;
    int smallest, largest;
    CnStatus (*make)(CnScene* scene, int size, CnError* error);
} Builtin;

// ---- parts ----

static CnStatus set_duration(CnScene* scene, double duration, CnError* error) {
    CnSceneSettings settings = cn_scene_settings(scene);
    settings.duration = duration;
    return cn_scene_set_settings(scene, &settings, error);
}

static CnStatus add_material(CnScene* scene, const char* name, double friction, double restitution,
                             CnError* error) {
    CnMaterialDef def = cn_material_def_default();
    def.name = name;
    def.friction = friction;
    def.restitution = restitution;
    return cn_scene_add_material(scene, &def, error);
}

static CnStatus add_floor(CnScene* scene, const char* material, CnError* error) {
    CnSceneShape plane = {.def = cn_shape_def_default(CN_SHAPE_PLANE)};
    CnSceneBody floor = {.def = cn_body_def_default(), material, &plane, 1};
    floor.def.name = "floor";
    floor.def.type = CN_BODY_STATIC;
    return cn_scene_add_body(scene, &floor, error);
}

static CnStatus add_ball(CnScene* scene, const char* name, CnVec3 position, double radius,
                         const char* material, CnError* error) {
    CnSceneShape sphere = {.def = cn_shape_def_default(CN_SHAPE_SPHERE)};
    CnSceneBody ball = {.def = cn_body_def_default(), material, &sphere, 1};
    sphere.def.radius = radius;
    ball.def.name = name;
    ball.def.position = position;
    return cn_scene_add_body(scene, &ball, error);
}

// A box without a shape: given mass, the inertia of a solid box, contacts by hand.
typedef struct Box {
    const char* name;
    double mass;     // [kg]
    CnVec3 half;     // half edges [m]
    CnVec3 position; // [m]
    CnQuat rotation;
} Box;

static CnStatus add_box(CnScene* scene, const Box* box, CnError* error) {
    CnSceneBody body = {.def = cn_body_def_default()};
    CnVec3 h = box->half;
    body.def.name = box->name;
    body.def.position = box->position;
    body.def.rotation = box->rotation;
    body.def.has_mass = true;
    body.def.mass = box->mass;
    body.def.inertia[0] = box->mass / 3.0 * (h.y * h.y + h.z * h.z); // m/12 (2 h)^2 = m/3 h^2
    body.def.inertia[1] = box->mass / 3.0 * (h.x * h.x + h.z * h.z);
    body.def.inertia[2] = box->mass / 3.0 * (h.x * h.x + h.y * h.y);
    return cn_scene_add_body(scene, &body, error);
}

// The four lower corners of a box touch what is below it.
static CnStatus add_corner_contacts(CnScene* scene, const char* below, const Box* box,
                                    const char* material, CnError* error) {
    CnTransform pose = {box->position, box->rotation};
    for (int corner = 0; corner < 4; ++corner) {
        CnVec3 local = cn_vec3(corner & 1 ? box->half.x : -box->half.x,
                               corner & 2 ? box->half.y : -box->half.y, -box->half.z);
        CnSceneContact contact = {cn_contact_def_default(), below, box->name, material, material};
        contact.def.point = cn_transform_point(pose, local);
        contact.def.normal = cn_quat_rotate(box->rotation, cn_vec3(0.0, 0.0, 1.0));
        CnStatus status = cn_scene_add_contact(scene, &contact, error);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

// ---- scenes ----

// Cubes of 1 m, each mass_ratio times as heavy as the one below it.
static CnStatus make_pile(CnScene* scene, int size, double mass_ratio, CnError* error) {
    CnStatus status = add_material(scene, "cube", 0.6, 0.0, error);
    char names[2][NAME_SIZE] = {"world", ""};
    double mass = 1.0; // [kg]
    for (int i = 0; i < size && status == CN_OK; ++i) {
        char *below = names[i % 2], *name = names[(i + 1) % 2];
        snprintf(name, NAME_SIZE, "cube %d", i);
        Box box = {name, mass, cn_vec3(0.5, 0.5, 0.5), cn_vec3(0.0, 0.0, i + 0.5),
                   cn_quat_identity()};
        status = add_box(scene, &box, error);
        if (status == CN_OK) {
            status = add_corner_contacts(scene, below, &box, "cube", error);
        }
        mass *= mass_ratio;
    }
    return status;
}

static CnStatus make_stack(CnScene* scene, int size, CnError* error) {
    return make_pile(scene, size, 1.0, error);
}

static CnStatus make_heavy_stack(CnScene* scene, int size, CnError* error) {
    return make_pile(scene, size, 10.0, error);
}

// A cubic grid above the floor; the jitter keeps columns from balancing on their tips.
static CnStatus make_spheres(CnScene* scene, int size, CnError* error) {
    const double radius = 0.5, spacing = 1.2, jitter = 0.05; // [m]
    CnRandom random = {1};
    int side = 1;
    while (side * side * side < size) {
        ++side;
    }
    CnStatus status = add_material(scene, "stone", 0.5, 0.0, error);
    if (status == CN_OK) {
        status = add_floor(scene, "stone", error);
    }
    for (int i = 0; i < size && status == CN_OK; ++i) {
        char name[NAME_SIZE];
        int x = i % side, y = i / side % side, z = i / (side * side);
        CnVec3 place = cn_vec3(x, y, z);
        CnVec3 shift;
        shift.x = cn_random_between(&random, -jitter, jitter);
        shift.y = cn_random_between(&random, -jitter, jitter);
        shift.z = radius + jitter + cn_random_between(&random, -jitter, jitter);
        snprintf(name, sizeof name, "ball %d", i);
        status = add_ball(scene, name, cn_vec3_add_scaled(shift, spacing, place), radius, "stone",
                          error);
    }
    return status == CN_OK ? set_duration(scene, 2.0, error) : status;
}

// Balls in a horizontal line, each tied to the one before and the first to the world's origin.
static CnStatus make_chain(CnScene* scene, int size, CnError* error) {
    const double radius = 0.1, link = 0.5; // [m]
    CnStatus status = CN_OK;
    char names[2][NAME_SIZE] = {"", ""};
    for (int i = 0; i < size && status == CN_OK; ++i) {
        char *before = names[i % 2], *name = names[(i + 1) % 2], link_name[NAME_SIZE];
        CnVec3 here = cn_vec3(link * (i + 1), 0.0, 0.0);
        snprintf(name, NAME_SIZE, "ball %d", i);
        snprintf(link_name, sizeof link_name, "link %d", i);
        status = add_ball(scene, name, here, radius, NULL, error);
        CnSceneConstraint constraint = {
            .name = link_name,
            .kind = i == 0 ? "anchor_distance" : "distance",
            .body_a = name,
            .body_b = i == 0 ? NULL : before,
            .point_a = here,
            .point_b = cn_vec3(link * i, 0.0, 0.0),
            .length = link,
        };
        if (status == CN_OK) {
            status = cn_scene_add_constraint(scene, &constraint, error);
        }
    }
    return status == CN_OK ? set_duration(scene, 2.0, error) : status;
}

// A block on a slope that falls towards +x; friction 0.5 holds it up to atan 0.5 = 26.57 degrees.
static CnStatus make_incline(CnScene* scene, int size, CnError* error) {
    const CnVec3 half = {0.5, 0.5, 0.2}; // flat enough to slide before it topples [m]
    double angle = size / 100.0 * (CN_PI / 180.0);
    CnQuat tilt = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), angle);
    Box box = {"block", 1.0, half, cn_quat_rotate(tilt, cn_vec3(0.0, 0.0, half.z)), tilt};
    CnStatus status = add_material(scene, "wood", 0.5, 0.0, error);
    if (status == CN_OK) {
        status = add_box(scene, &box, error);
    }
    return status == CN_OK ? add_corner_contacts(scene, "world", &box, "wood", error) : status;
}

static CnStatus make_bounce(CnScene* scene, int size, CnError* error) {
    const double radius = 0.5, height = 1.0; // [m]
    CnStatus status = add_material(scene, "rubber", 0.5, size / 100.0, error);
    if (status == CN_OK) {
        status = add_floor(scene, "rubber", error);
    }
    if (status == CN_OK) {
        status =
            add_ball(scene, "ball", cn_vec3(0.0, 0.0, radius + height), radius, "rubber", error);
    }
    return status == CN_OK ? set_duration(scene, 3.0, error) : status;
}

static const Builtin builtins[] = {
    {{"stack", "a tower of cubes, 4 contacts each; size: cubes", 5}, 1, 10000, make_stack},
    {{"heavy_stack", "each cube 10 times as heavy as the one below; size: cubes", 5},
     1,
     10,
     make_heavy_stack},
    {{"spheres", "balls dropped on a plane from a loose grid; size: balls", 64},
     1,
     100000,
     make_spheres},
    {{"chain", "balls on rods, released sideways; size: balls", 10}, 1, 10000, make_chain},
    {{"incline", "a block on a slope, friction 0.5; size: slope in 1/100 degree", 2000},
     0,
     8900,
     make_incline},
    {{"bounce", "a ball dropped from 1 m; size: restitution in 1/100", 80}, 0, 100, make_bounce},
};
#define BUILTIN_COUNT ((int)(sizeof builtins / sizeof builtins[0]))

int cn_builtin_scene_count(void) {
    return BUILTIN_COUNT;
}

CnBuiltinScene cn_builtin_scene_at(int index) {
    CN_ASSERT(index >= 0 && index < BUILTIN_COUNT);
    return builtins[index].info;
}

// ---- choosing ----

static const Builtin* find_builtin(const char* name, size_t length, CnComplaints* complaints) {
    const char* names[BUILTIN_COUNT];
    char word[NAME_SIZE], shown[CN_SHOWN_SIZE], list[120] = "";
    size_t used = 0;
    for (int i = 0; i < BUILTIN_COUNT; ++i) {
        names[i] = builtins[i].info.name;
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0) {
            return &builtins[i];
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s@%s", i > 0 ? ", " : "", names[i]);
    }
    snprintf(word, sizeof word, "%.*s", length < NAME_SIZE ? (int)length : NAME_SIZE - 1, name);
    cn_text_show(word, shown);
    const char* nearest = cn_nearest_name(word, names, BUILTIN_COUNT);
    if (nearest != NULL) {
        cn_complain(complaints, CN_INVALID, 0, "",
                    "there is no built-in scene \"@%s\"; did you mean \"@%s\"?", shown, nearest);
    } else {
        cn_complain(complaints, CN_INVALID, 0, "",
                    "there is no built-in scene \"@%s\"; there are %s", shown, list);
    }
    return NULL;
}

static bool read_size(const Builtin* builtin, const char* text, int* size,
                      CnComplaints* complaints) {
    size_t digits = strspn(text, "0123456789");
    char shown[CN_SHOWN_SIZE];
    if (digits == 0 || text[digits] != 0) {
        return cn_complain(complaints, CN_INVALID, 0, "",
                           "size is \"%s\"; it must be a whole number from %d to %d",
                           cn_text_show(text, shown), builtin->smallest, builtin->largest);
    }
    long long value = digits <= MAX_DIGITS ? strtoll(text, NULL, 10) : -1;
    if (value < builtin->smallest || value > builtin->largest) {
        return cn_complain(complaints, CN_INVALID, 0, "", "size is %s; @%s takes %d to %d",
                           cn_text_show(text, shown), builtin->info.name, builtin->smallest,
                           builtin->largest);
    }
    *size = (int)value;
    return true;
}

CnScene* cn_builtin_scene_make(const char* argument, CnComplaints* complaints) {
    size_t length = strcspn(argument, ":");
    const Builtin* builtin = find_builtin(argument, length, complaints);
    if (builtin == NULL) {
        return NULL;
    }
    CnError error;
    int size = builtin->info.default_size;
    if (argument[length] == ':' && !read_size(builtin, argument + length + 1, &size, complaints)) {
        return NULL;
    }
    CnScene* scene = cn_scene_create(builtin->info.name, &error);
    if (scene == NULL || builtin->make(scene, size, &error) != CN_OK) {
        cn_complain(complaints, error.status, 0, "", "%s", error.message);
        cn_scene_destroy(scene);
        return NULL;
    }
    return scene;
}
