// builtin_scenes.c - the table of built-in scenes, and choosing one by name and size.
#include "builtin_scenes.h"

#include "sketch.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32
#define SHOWN_SIZE 52 // of what a user wrote, in a message
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
    {{"s1", "bench: a pyramid of cubes on a box; size: cubes in the base", 40},
     1,
     200,
     cn_builtin_s1},
    {{"s2", "bench: pyramids of base 10 on a box; size: along each side", 10},
     1,
     50,
     cn_builtin_s2},
    {{"s3", "bench: mixed bodies fall between walls; size: layers of 64", 40},
     1,
     2000,
     cn_builtin_s3},
    {{"s6", "bench: a heavy ball on 30 light links; size: its mass in kg", 1000},
     1,
     1000000,
     cn_builtin_s6},
    {{"s7", "bench: a heavy cube on 29 light ones; size: its mass in kg", 1000},
     1,
     1000000,
     cn_builtin_s7},
    {{"s9", "bench: a cube on a slope, friction 0.5; size: slope in 1/100 degree", 2720},
     0,
     8900,
     cn_builtin_s9},
    {{"s10", "bench: balls fall among fixed ones; size: falling balls", 5000},
     1,
     100000,
     cn_builtin_s10},
    {{"hand", "five fingers on a wrist, all hinges with motors and stops; size: hinges", 20},
     1,
     10000,
     cn_builtin_hand},
    {{"hinges", "a chain of rods on hinges, let go level; size: hinges", 10},
     1,
     100000,
     cn_builtin_hinges},
    {{"chains", "chains of ten links fall to the ground; size: chains along each side", 2},
     1,
     100,
     cn_builtin_chains},
    {{"net", "a square net of balls hangs from its upper edge; size: balls along each side", 6},
     1,
     200,
     cn_builtin_net},
    {{"ragdolls", "dolls of fifteen parts fall into a heap; size: dolls", 2},
     1,
     1000,
     cn_builtin_ragdolls},
};
#define BUILTIN_COUNT ((int)(sizeof builtins / sizeof builtins[0]))

int cn_builtin_scene_count(void) {
    return BUILTIN_COUNT;
}

CnBuiltinScene cn_builtin_scene_at(int index) {
    assert(index >= 0 && index < BUILTIN_COUNT);
    return builtins[index].info;
}

// ---- choosing ----

// Always NULL.
__attribute__((format(printf, 2, 3))) static void* refuse(CnError* error, const char* format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = CN_INVALID;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return NULL;
}

// The text as a message may show it: long ones are cut, control characters become '?'.
static const char* show(const char* text, char shown[SHOWN_SIZE]) {
    snprintf(shown, SHOWN_SIZE, "%s", text);
    for (char* at = shown; *at != 0; ++at) {
        *at = (unsigned char)*at < ' ' || *at == 127 ? '?' : *at;
    }
    return shown;
}

static const Builtin* find_builtin(const char* name, size_t length, CnError* error) {
    const char* names[BUILTIN_COUNT];
    char word[NAME_SIZE], shown[SHOWN_SIZE], list[360] = "";
    size_t used = 0;
    for (int i = 0; i < BUILTIN_COUNT; ++i) {
        names[i] = builtins[i].info.name;
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0) {
            return &builtins[i];
        }
        if (used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s@%s", i > 0 ? ", " : "",
                                     names[i]);
        }
    }
    snprintf(word, sizeof word, "%.*s", length < NAME_SIZE ? (int)length : NAME_SIZE - 1, name);
    show(word, shown);
    const char* nearest = cn_nearest_name(word, names, BUILTIN_COUNT);
    return nearest != NULL
               ? refuse(error, "there is no built-in scene \"@%s\"; did you mean \"@%s\"?", shown,
                        nearest)
               : refuse(error, "there is no built-in scene \"@%s\"; there are %s", shown, list);
}

static bool read_size(const Builtin* builtin, const char* text, int* size, CnError* error) {
    size_t digits = strspn(text, "0123456789");
    char shown[SHOWN_SIZE];
    if (digits == 0 || text[digits] != 0) {
        refuse(error, "size is \"%s\"; it must be a whole number from %d to %d", show(text, shown),
               builtin->smallest, builtin->largest);
        return false;
    }
    long long value = digits <= MAX_DIGITS ? strtoll(text, NULL, 10) : -1;
    if (value < builtin->smallest || value > builtin->largest) {
        refuse(error, "size is %s; @%s takes %d to %d", show(text, shown), builtin->info.name,
               builtin->smallest, builtin->largest);
        return false;
    }
    *size = (int)value;
    return true;
}

CnScene* cn_builtin_scene_make(const char* argument, CnError* error) {
    const char* name = argument + (argument[0] == '@');
    size_t length = strcspn(name, ":");
    const Builtin* builtin = find_builtin(name, length, error);
    if (builtin == NULL) {
        return NULL;
    }
    int size = builtin->info.default_size;
    if (name[length] == ':' && !read_size(builtin, name + length + 1, &size, error)) {
        return NULL;
    }
    CnScene* scene = cn_scene_create(builtin->info.name, error);
    if (scene == NULL) {
        return NULL;
    }
    CnSketch sketch = {.scene = scene, .error = error};
    builtin->draw(&sketch, size);
    if (sketch.failed) {
        cn_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

CnScene* cn_open_scene(const char* argument, CnError* error) {
    if (argument[0] != '@') {
        return cn_scene_open(argument, error);
    }
    CnError reason = {0};
    char shown[SHOWN_SIZE];
    CnScene* scene = cn_builtin_scene_make(argument, &reason);
    if (scene == NULL) {
        refuse(error, "%s: %.*s", show(argument, shown), (int)sizeof reason.message - SHOWN_SIZE,
               reason.message);
        if (error != NULL) {
            error->status = reason.status;
        }
    }
    return scene;
}
