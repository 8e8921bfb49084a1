// builtin_scenes.c - scenes made by a function of one size; one table.
#include "io/builtin/builtin_scenes.h"

#include "base/error.h"
#include "io/builtin/builtin_parts.h"
#include "io/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32
#define MAX_DIGITS 10 // of a size; more would not fit an int

typedef struct Builtin {
    CnBuiltinScene info;
    int smallest, largest;
    CnBuiltinFunction* draw;
} Builtin;

static const Builtin builtins[] = {
    {{"stack", "a tower of cubes; size: cubes", 5}, 1, 10000, cn_builtin_stack},
    {{"heavy_stack", "each cube 10 times as heavy as the one below; size: cubes", 5},
     1,
     10,
     cn_builtin_heavy_stack},
    {{"spheres", "balls dropped on a plane from a loose grid; size: balls", 64},
     1,
     100000,
     cn_builtin_spheres},
    {{"chain", "balls on rods, released sideways; size: balls", 10}, 1, 10000, cn_builtin_chain},
    {{"ground_chain", "a chain on the ground, its first link thrown away; size: links", 20},
     1,
     10000,
     cn_builtin_ground_chain},
    {{"incline", "a block on a slope, friction 0.5; size: slope in 1/100 degree", 2000},
     0,
     8900,
     cn_builtin_incline},
    {{"bounce", "a ball dropped from 1 m; size: restitution in 1/100", 80},
     0,
     100,
     cn_builtin_bounce},
    {{"pyramid", "a wall of cubes with gaps, one fewer in each row; size: cubes in the base", 10},
     1,
     200,
     cn_builtin_pyramid},
    {{"pyramids", "pyramids of base 10 in a square; size: along each side", 2},
     1,
     50,
     cn_builtin_pyramids},
    {{"wall", "bricks in running bond, ten to a course; size: courses", 6},
     1,
     1000,
     cn_builtin_wall},
    {{"arch", "27 voussoirs on a half circle; size: thickness over radius in 1/10000", 1200},
     500,
     3000,
     cn_builtin_arch},
    {{"cardhouse", "cards that lean on each other; size: storeys", 2}, 1, 20, cn_builtin_cardhouse},
    {{"kapla", "a tower of planks, two to a storey; size: storeys", 10}, 1, 2000, cn_builtin_kapla},
    {{"pile", "balls, boxes and capsules fall into a container; size: layers of 64", 2},
     1,
     1000,
     cn_builtin_pile},
    {{"hulls", "rocks dropped on a plane from a loose grid; size: rocks", 27},
     1,
     100000,
     cn_builtin_hulls},
    {{"rain", "all shapes come down one after the other; size: bodies", 30},
     1,
     100000,
     cn_builtin_rain},
    {{"robot", "limbs of six hinges with motors and stops on a pinned trunk; size: limbs", 5},
     1,
     1000,
     cn_builtin_robot},
    {{"grasp", "a hand on an arm holds a drum; size: fingers of six hinges with motors", 4},
     2,
     1000,
     cn_builtin_grasp},
    {{"stewart", "platforms on six driven legs, one above the other; size: platforms", 1},
     1,
     100,
     cn_builtin_stewart},
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
    char word[NAME_SIZE], shown[CN_SHOWN_SIZE], list[240] = "";
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
    if (scene != NULL) {
        CnSketch sketch = {.scene = scene, .error = &error};
        builtin->draw(&sketch, size);
        if (sketch.status == CN_OK) {
            return scene;
        }
    }
    cn_complain(complaints, error.status, 0, "", "%s", error.message);
    cn_scene_destroy(scene);
    return NULL;
}
