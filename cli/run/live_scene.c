// live_scene.c - a scene with its world and its workers, opened and closed together.
#include "run/live_scene.h"

#include "builtin/builtin_scenes.h"
#include "cairn/state.h"
#include "terminal/choices.h"

#include <string.h>

SceneOverrides scene_overrides_none(void) {
    SceneOverrides overrides = {.solver = -1,
                                .scheme = -1,
                                .stabilisation = -1,
                                .duration = -1.0,
                                .speed_limit = -1.0,
                                .warm_start_factor = -1.0,
                                .theta = -1.0,
                                .grade_every = -1,
                                .threads = 1};
    return overrides;
}

// Whether --set names this value.
static bool is_set(const SceneOverrides* overrides, const char* path) {
    size_t length = strlen(path);
    for (int i = 0; i < overrides->changes.count; ++i) {
        const char* word = overrides->changes.words[i];
        if (strncmp(word, path, length) == 0 && word[length] == '=') {
            return true;
        }
    }
    return false;
}

// The preset goes before what the scene says, and what --set says before the preset.
static void use_real_time(const SceneOverrides* overrides, CnSceneSettings* settings) {
    CnSceneSettings said = *settings;
    cn_step_def_use_preset(&settings->step, CN_PRESET_REAL_TIME);
    if (!is_set(overrides, "step.dt")) {
        settings->dt = 1.0 / 60.0;
    }
    if (is_set(overrides, "step.scheme")) {
        settings->step.scheme = said.step.scheme;
    }
    if (is_set(overrides, "step.contact_margin")) {
        settings->step.contact_margin = said.step.contact_margin;
    }
    if (is_set(overrides, "step.restitution_threshold")) {
        settings->step.restitution_threshold = said.step.restitution_threshold;
    }
    if (is_set(overrides, "step.sleep")) {
        settings->step.sleep = said.step.sleep;
    }
    if (is_set(overrides, "step.grade_every")) {
        settings->step.grade_every = said.step.grade_every;
    }
}

static void apply(const SceneOverrides* overrides, CnSceneSettings* settings) {
    if (overrides->real_time) {
        use_real_time(overrides, settings);
    }
    if (overrides->solver >= 0) {
        settings->solver.name = choice_solver(overrides->solver);
    }
    if (overrides->scheme >= 0) {
        settings->step.scheme = (CnScheme)overrides->scheme;
    }
    if (overrides->stabilisation >= 0) {
        settings->step.stabilisation = (CnStabilisation)overrides->stabilisation;
    }
    if (overrides->dt > 0.0) {
        settings->dt = overrides->dt;
    }
    if (overrides->substeps > 0) {
        settings->step.substeps = overrides->substeps;
    }
    if (overrides->theta >= 0.0) {
        settings->step.theta = overrides->theta;
    }
    if (overrides->duration >= 0.0) {
        settings->duration = overrides->duration;
    }
    if (overrides->speed_limit >= 0.0) {
        settings->step.speed_limit = overrides->speed_limit;
    }
    if (overrides->warm_start_factor >= 0.0) {
        settings->step.warm_start_factor = overrides->warm_start_factor;
    }
    if (overrides->grade_every >= 0) {
        settings->step.grade_every = overrides->grade_every;
    }
    settings->step.attribution = settings->step.attribution || overrides->attribution;
    if (overrides->tolerance > 0.0) {
        settings->solver.tolerance = overrides->tolerance;
    }
    if (overrides->max_iterations > 0) {
        settings->solver.max_iterations = overrides->max_iterations;
    }
    if (overrides->work_budget > 0.0) {
        settings->solver.work_budget = overrides->work_budget;
    }
    if (overrides->deadline > 0.0) {
        settings->solver.deadline = overrides->deadline;
    }
    if (overrides->change_tolerance > 0.0) {
        settings->solver.change_tolerance = overrides->change_tolerance;
    }
    if (overrides->impulse_limit > 0.0) {
        settings->solver.impulse_limit = overrides->impulse_limit;
    }
}

// "FILE: what " goes before a sentence that tells what is wrong with a scene.
static void name_source(const char* argument, const char* what, CnError* error) {
    CnError reason = *error;
    int used = snprintf(error->message, sizeof error->message, "%s: %s",
                        strcmp(argument, "-") == 0 ? "standard input" : argument, what);
    size_t place = (size_t)used < sizeof error->message ? (size_t)used : sizeof error->message - 1;
    snprintf(error->message + place, sizeof error->message - place, "%s", reason.message);
}

// The solver of scene and options does not support what one of these keys asks for, which the
// sentence names: reported like any other wrong value of a scene.
static void blame_solver(const char* argument, CnError* error) {
    static const char* const keys[] = {"change_tolerance", "impulse_limit"};
    const char* key = "friction";
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        key = strstr(error->message, keys[i]) != NULL ? keys[i] : key;
    }
    char what[64];
    snprintf(what, sizeof what, "solver.%s: ", key);
    error->status = CN_INVALID;
    name_source(argument, what, error);
}

CnScene* scene_open_changed(const char* argument, const char* const* changes, int count,
                            CnError* error) {
    if (count == 0) {
        return cn_open_scene(argument, error);
    }
    if (argument[0] != '@') {
        return cn_scene_open_changed(argument, changes, count, error);
    }
    CnScene* scene = cn_open_scene(argument, error);
    CnScene* changed = scene != NULL ? cn_scene_change(scene, changes, count, error) : NULL;
    cn_scene_destroy(scene);
    return changed;
}

bool live_scene_build(LiveScene* live, CnScene* scene, const char* label,
                      const SceneOverrides* overrides, Console* console, CnError* error) {
    *live = (LiveScene){.scene = scene};
    if (scene == NULL) {
        return false;
    }
    CnSceneSettings settings = cn_scene_settings(live->scene);
    apply(overrides, &settings);
    if (cn_scene_set_settings(live->scene, &settings, error) != CN_OK) {
        return false;
    }
    live->settings = cn_scene_settings(live->scene);

    CnWorldDef hooks = cn_world_def_default();
    hooks.log = console_log(console);
    hooks.allocator = overrides->allocator;
    if (overrides->threads > 1) {
        live->pool = cn_task_pool_create(overrides->threads, error);
        if (live->pool == NULL) {
            return false;
        }
        hooks.tasks = cn_task_pool_tasks(live->pool);
    }
    live->world = cn_scene_build(live->scene, &hooks, error);
    if (live->world == NULL && error->status == CN_UNSUPPORTED) {
        blame_solver(label, error);
    } else if (live->world == NULL && error->status == CN_INVALID) {
        name_source(label, "", error);
    }
    return live->world != NULL;
}

bool live_scene_open(LiveScene* live, const char* argument, const SceneOverrides* overrides,
                     Console* console, CnError* error) {
    const TextList* changes = &overrides->changes;
    CnScene* scene = scene_open_changed(argument, changes->words, changes->count, error);
    return live_scene_build(live, scene, argument, overrides, console, error);
}

bool live_scene_load_state(LiveScene* live, const char* path, const SceneOverrides* overrides,
                           CnError* error) {
    if (cn_world_load_state(live->world, path, error) != CN_OK) {
        return false;
    }
    CnSceneSettings settings = live->settings;
    CnWorldDef saved = cn_world_read(live->world);
    settings.step = saved.step;
    settings.solver = saved.solver;
    apply(overrides, &settings);
    bool has_step = overrides->real_time || overrides->scheme >= 0 ||
                    overrides->stabilisation >= 0 || overrides->speed_limit >= 0.0 ||
                    overrides->warm_start_factor >= 0.0 || overrides->attribution ||
                    overrides->grade_every >= 0 || overrides->substeps > 0 ||
                    overrides->theta >= 0.0;
    bool has_solver = overrides->solver >= 0 || overrides->tolerance > 0.0 ||
                      overrides->max_iterations > 0 || overrides->work_budget > 0.0 ||
                      overrides->deadline > 0.0 || overrides->change_tolerance > 0.0 ||
                      overrides->impulse_limit > 0.0;
    if ((has_step && cn_world_set_step(live->world, &settings.step, error) != CN_OK) ||
        (has_solver && cn_world_set_solver(live->world, &settings.solver, error) != CN_OK)) {
        return false;
    }
    live->settings = settings;
    live->settings.solver.name = cn_world_read(live->world).solver.name;
    return true;
}

void live_scene_close(LiveScene* live) {
    cn_world_destroy(live->world);
    cn_task_pool_destroy(live->pool);
    cn_scene_destroy(live->scene);
}
