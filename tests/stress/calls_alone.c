// calls_alone.c - calls that need no world: names, series files, built-in scenes, general masses.
#include "builtin/builtin_scenes.h"
#include "calls.h"

#include "checks.h"
#include <math.h>
#include <stdio.h>

// ---- names ----

// Wraps a function of an enum as one of an int.
#define DEFINE_NAME(function, Type)                                                                \
    static const char* name_by_##function(int value) {                                             \
        return function((Type)value);                                                              \
    }
DEFINE_NAME(cn_status_name, CnStatus)
DEFINE_NAME(cn_work_name, CnWork)
DEFINE_NAME(cn_stage_name, CnStage)
DEFINE_NAME(cn_event_type_name, CnEventType)
DEFINE_NAME(cn_joint_type_name, CnJointType)
DEFINE_NAME(cn_axis_name, CnAxis)
DEFINE_NAME(cn_law_name, CnLaw)
DEFINE_NAME(cn_friction_model_name, CnFrictionModel)
DEFINE_NAME(cn_error_measure_name, CnErrorMeasure)
DEFINE_NAME(cn_scheme_name, CnScheme)
DEFINE_NAME(cn_rotation_update_name, CnRotationUpdate)
DEFINE_NAME(cn_integrator_name, CnIntegrator)
DEFINE_NAME(cn_stabilisation_name, CnStabilisation)
DEFINE_NAME(cn_warm_start_name, CnWarmStart)
DEFINE_NAME(cn_implicit_method_name, CnImplicitMethod)
DEFINE_NAME(cn_channel_name, CnChannel)
DEFINE_NAME(cn_warning_kind_name, CnWarningKind)
DEFINE_NAME(cn_preset_name, CnPreset)

typedef struct NameList {
    const char* (*name)(int value);
    int count;
} NameList;

static const NameList lists[] = {
    {name_by_cn_status_name, CN_UNSUPPORTED + 1},
    {name_by_cn_work_name, CN_WORK_COUNT},
    {name_by_cn_stage_name, CN_STAGE_COUNT},
    {name_by_cn_event_type_name, CN_EVENT_TYPE_COUNT},
    {name_by_cn_joint_type_name, CN_JOINT_TYPE_COUNT},
    {name_by_cn_axis_name, CN_AXIS_COUNT},
    {name_by_cn_law_name, CN_LAW_COUNT},
    {name_by_cn_friction_model_name, CN_FRICTION_COUNT},
    {name_by_cn_error_measure_name, CN_ERROR_COUNT},
    {name_by_cn_scheme_name, CN_SCHEME_COUNT},
    {name_by_cn_rotation_update_name, CN_ROTATION_COUNT},
    {name_by_cn_integrator_name, CN_INTEGRATOR_COUNT},
    {name_by_cn_stabilisation_name, CN_STABILISATION_COUNT},
    {name_by_cn_warm_start_name, CN_WARM_START_COUNT},
    {name_by_cn_implicit_method_name, CN_IMPLICIT_COUNT},
    {name_by_cn_channel_name, CN_CHANNEL_COUNT},
    {name_by_cn_warning_kind_name, CN_WARNING_KIND_COUNT},
    {name_by_cn_preset_name, CN_PRESET_COUNT},
};

// The nearest of a list of names to any of them is that one itself.
CallResult call_names(Session* session) {
    enum { MOST = 40 };
    const char* names[MOST];
    const NameList* list =
        &lists[dice_below(&session->dice, (int)(sizeof lists / sizeof lists[0]))];
    for (int i = 0; i < list->count; ++i) {
        names[i] = list->name(i);
    }
    const char* name = names[dice_below(&session->dice, list->count)];
    const char* nearest = cn_nearest_name(name, names, list->count);
    if (nearest == NULL || strcmp(name, nearest) != 0 || cn_version()[0] == 0) {
        session_find(session, "the name nearest to %s is %s", name, nearest);
    }
    CnAllocator source = cn_allocator_default();
    void* block = source.allocate(100, 64, source.context);
    if ((uintptr_t)block % 64 != 0) {
        session_find(session, "the default allocator gives %p", block);
    }
    source.release(block, source.context);
    CnWorldDef def = cn_world_def_default(), real_time = cn_world_def_real_time();
    cn_step_def_use_preset(&def.step, CN_PRESET_REAL_TIME);
    if (def.step.scheme != real_time.step.scheme || def.step.substeps != real_time.step.substeps) {
        session_find(session, "the real-time preset has two meanings");
    }
    return CALL_READ;
}

// ---- series from a file ----

CallResult call_series_file(Session* session) {
    CnError error = {0};
    char path[300];
    session_path("series.txt", path, sizeof path);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return CALL_READ;
    }
    for (int i = 0; i < 4; ++i) {
        double time = dice_number(&session->dice, i, i + 0.9);
        double value = dice_number(&session->dice, -1.0, 1.0);
        fprintf(file, "%.17g %.17g\n", time, value);
    }
    fclose(file);
    CnSeriesDef def = {0};
    CnStatus status = cn_series_load(path, &def, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK && (def.count != 4 || !isfinite(def.values[3]))) {
        session_find(session, "%d samples of 4", def.count);
    }
    cn_series_free(&def);
    remove(path);
    return CALL_READ;
}

// ---- built-in scenes ----

CallResult call_builtin_scene(Session* session) {
    CnError error = {0};
    char argument[64];
    CnBuiltinScene builtin =
        cn_builtin_scene_at(dice_below(&session->dice, cn_builtin_scene_count()));
    snprintf(argument, sizeof argument, "@%s:%d", builtin.name, dice_below(&session->dice, 4));
    CnScene* scene = cn_open_scene(argument, &error);
    check_refusal(session, scene == NULL, &error);
    CnWorld* world = scene == NULL ? NULL : cn_scene_build(scene, NULL, &error);
    if (world != NULL && cn_world_step(world, cn_scene_settings(scene).dt, NULL, &error) != CN_OK) {
        session_find(session, "%s: %s", argument, error.message);
    }
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    return CALL_READ;
}

// ---- general masses ----

enum { COORDINATES = 4 };

// M = diag(m), J = identity: a row for each coordinate, each a block of its own.
typedef struct MassesData {
    int start[COORDINATES + 1], column[COORDINATES];
    double mass[COORDINATES], ones[COORDINATES];
    CnBlock blocks[COORDINATES];
} MassesData;

static CnMasses* create_masses(Session* session, MassesData* data, CnError* error) {
    for (int i = 0; i < COORDINATES; ++i) {
        data->start[i] = data->column[i] = i;
        data->mass[i] = dice_number(&session->dice, 0.5, 5.0);
        data->ones[i] = 1.0;
        data->blocks[i] = (CnBlock){
            .law = CN_LAW_EQUALITY, .first_row = i, .row_count = 1, .body_a = -1, .body_b = -1};
    }
    data->start[COORDINATES] = COORDINATES;
    CnMassesDef def = {COORDINATES,
                       {data->start, data->column, data->mass},
                       {data->start, data->column, data->ones},
                       data->blocks,
                       COORDINATES};
    return cn_masses_create(&def, error);
}

CallResult call_masses(Session* session) {
    CnError error = {0};
    MassesData data;
    CnMasses* masses = create_masses(session, &data, &error);
    check_refusal(session, masses == NULL, &error);
    if (masses == NULL) {
        return CALL_READ;
    }
    double x[COORDINATES];
    cn_masses_solve(masses, data.mass, x); // M x = m: all ones
    for (int i = 0; i < COORDINATES; ++i) {
        if (!(fabs(x[i] - 1.0) <= 1e-12) || cn_masses_coordinate_count(masses) != COORDINATES) {
            session_find(session, "M^-1 m is %g, not 1", x[i]);
        }
    }
    cn_masses_destroy(masses);
    return CALL_READ;
}
