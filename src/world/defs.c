// defs.c - default settings, and the words scenes and the command line use for them.
#include "base/guard.h"
#include "cairn/event.h"

static const char* const scheme_names[] = {
    [CN_SCHEME_MOREAU] = "moreau",       [CN_SCHEME_ACCELERATION] = "acceleration",
    [CN_SCHEME_IMPLICIT] = "implicit",   [CN_SCHEME_QUASI_STATIC] = "quasi_static",
    [CN_SCHEME_SOFT_STEP] = "soft_step",
};

static const char* const rotation_names[] = {
    [CN_ROTATION_EXACT] = "exact",
    [CN_ROTATION_RIG_POS] = "rig_pos",
    [CN_ROTATION_RIG_NEG] = "rig_neg",
    [CN_ROTATION_RIG_IMP] = "rig_imp",
    [CN_ROTATION_SEMI_IMPLICIT] = "semi_implicit",
};

static const char* const integrator_names[] = {
    [CN_INTEGRATOR_SEMI_IMPLICIT_EULER] = "semi_implicit_euler",
    [CN_INTEGRATOR_RK4] = "rk4",
};

static const char* const stabilisation_names[] = {
    [CN_STABILISATION_NONE] = "none",
    [CN_STABILISATION_BAUMGARTE] = "baumgarte",
    [CN_STABILISATION_SPLIT_IMPULSE] = "split_impulse",
    [CN_STABILISATION_PROJECTION] = "projection",
};

static const char* const warm_start_names[] = {
    [CN_WARM_START_OFF] = "off",
    [CN_WARM_START_FULL] = "full",
    [CN_WARM_START_SCALED] = "scaled",
};

static const char* const implicit_method_names[] = {
    [CN_IMPLICIT_SOLVER] = "solver",
    [CN_IMPLICIT_FISCHER_BURMEISTER] = "fischer_burmeister",
};

static const char* const preset_names[] = {
    [CN_PRESET_EXACT] = "exact",
    [CN_PRESET_REAL_TIME] = "real_time",
};

static const char* const work_names[] = {
    [CN_WORK_LOADS] = "loads",
    [CN_WORK_CONTACT] = "contact",
    [CN_WORK_FRICTION] = "friction",
    [CN_WORK_CONSTRAINT] = "constraint",
    [CN_WORK_DRIVE] = "drive",
    [CN_WORK_INTEGRATION] = "integration",
    [CN_WORK_STABILISATION] = "stabilisation",
};

static const char* const channel_names[] = {
    [CN_CHANNEL_NORMAL] = "normal",
    [CN_CHANNEL_TANGENT_1] = "tangent_1",
    [CN_CHANNEL_TANGENT_2] = "tangent_2",
    [CN_CHANNEL_TORSION] = "torsion",
    [CN_CHANNEL_ROLLING_1] = "rolling_1",
    [CN_CHANNEL_ROLLING_2] = "rolling_2",
    [CN_CHANNEL_JOINT_X] = "joint_x",
    [CN_CHANNEL_JOINT_Y] = "joint_y",
    [CN_CHANNEL_JOINT_Z] = "joint_z",
    [CN_CHANNEL_JOINT_TURN_X] = "joint_turn_x",
    [CN_CHANNEL_JOINT_TURN_Y] = "joint_turn_y",
    [CN_CHANNEL_JOINT_TURN_Z] = "joint_turn_z",
    [CN_CHANNEL_TRANSMISSION] = "transmission",
    [CN_CHANNEL_LIMIT] = "limit",
    [CN_CHANNEL_MOTOR] = "motor",
    [CN_CHANNEL_SPRING] = "spring",
    [CN_CHANNEL_JOINT_FRICTION] = "joint_friction",
    [CN_CHANNEL_CONSTRAINT] = "constraint",
};

static const char* const event_names[] = {
    [CN_EVENT_CONTACT_BEGIN] = "contact_begin",
    [CN_EVENT_CONTACT_END] = "contact_end",
    [CN_EVENT_CONTACT_HIT] = "contact_hit",
    [CN_EVENT_SENSOR_BEGIN] = "sensor_begin",
    [CN_EVENT_SENSOR_END] = "sensor_end",
    [CN_EVENT_JOINT_BROKE] = "joint_broke",
    [CN_EVENT_SLEEP] = "sleep",
    [CN_EVENT_WAKE] = "wake",
};

static const char* const stage_names[] = {
    [CN_STAGE_BEGIN] = "begin",   [CN_STAGE_PAIRS] = "pairs",     [CN_STAGE_CONTACTS] = "contacts",
    [CN_STAGE_ROWS] = "rows",     [CN_STAGE_ISLANDS] = "islands", [CN_STAGE_SOLVE] = "solve",
    [CN_STAGE_MOVE] = "move",     [CN_STAGE_CORRECT] = "correct", [CN_STAGE_GRADE] = "grade",
    [CN_STAGE_FINISH] = "finish",
};

// "unknown" for a value that the table does not have.
static const char* name_in(const char* const* names, int count, int value) {
    return value >= 0 && value < count ? names[value] : "unknown";
}

const char* cn_scheme_name(CnScheme scheme) {
    return name_in(scheme_names, CN_SCHEME_COUNT, (int)scheme);
}

const char* cn_rotation_update_name(CnRotationUpdate update) {
    return name_in(rotation_names, CN_ROTATION_COUNT, (int)update);
}

const char* cn_integrator_name(CnIntegrator integrator) {
    return name_in(integrator_names, CN_INTEGRATOR_COUNT, (int)integrator);
}

const char* cn_stabilisation_name(CnStabilisation stabilisation) {
    return name_in(stabilisation_names, CN_STABILISATION_COUNT, (int)stabilisation);
}

const char* cn_warm_start_name(CnWarmStart warm_start) {
    return name_in(warm_start_names, CN_WARM_START_COUNT, (int)warm_start);
}

const char* cn_implicit_method_name(CnImplicitMethod method) {
    return name_in(implicit_method_names, CN_IMPLICIT_COUNT, (int)method);
}

const char* cn_work_name(CnWork work) {
    return name_in(work_names, CN_WORK_COUNT, (int)work);
}

const char* cn_channel_name(CnChannel channel) {
    return name_in(channel_names, CN_CHANNEL_COUNT, (int)channel);
}

const char* cn_event_type_name(CnEventType type) {
    return name_in(event_names, CN_EVENT_TYPE_COUNT, (int)type);
}

const char* cn_stage_name(CnStage stage) {
    return name_in(stage_names, CN_STAGE_COUNT, (int)stage);
}

CnMaterialDef cn_material_def_default(void) {
    return (CnMaterialDef){
        .friction = 0.5, .restitution = 0.0, .density = 1000.0, .guard = CN_DEF_GUARD};
}

CnShapeDef cn_shape_def_default(CnShapeType type) {
    return (CnShapeDef){
        .type = type,
        .rotation = {1.0, 0.0, 0.0, 0.0},
        .radius = 0.5,
        .length = 1.0,
        .size = {1.0, 1.0, 1.0},
        .normal = {0.0, 0.0, 1.0},
        .category = 1,
        .mask = UINT32_MAX,
        .guard = CN_DEF_GUARD,
    };
}

CnBodyDef cn_body_def_default(void) {
    return (CnBodyDef){
        .rotation = {1.0, 0.0, 0.0, 0.0},
        .gravity_scale = 1.0,
        .enabled = true,
        .motion = {.axes = {1.0, 0.0, 0.0, 0.0}, .axis = {0.0, 0.0, 1.0}},
        .guard = CN_DEF_GUARD,
    };
}

CnForceDef cn_force_def_default(void) {
    return (CnForceDef){.guard = CN_DEF_GUARD};
}

CnContactDef cn_contact_def_default(void) {
    return (CnContactDef){.normal = {0.0, 0.0, 1.0}, .guard = CN_DEF_GUARD};
}

CnWorldDef cn_world_def_default(void) {
    return (CnWorldDef){
        .gravity = {0.0, 0.0, -9.81},
        .step =
            {
                .scheme = CN_SCHEME_MOREAU,
                .substeps = 1,
                .theta = 0.5,
                .rotation = CN_ROTATION_EXACT,
                .integrator = CN_INTEGRATOR_RK4,
                .stabilisation = CN_STABILISATION_PROJECTION,
                .error_reduction = 0.2,
                .slop = 1e-4,
                .max_correction = 0.2,
                .restitution_threshold = 1e-3,
                .contact_margin = 1e-3,
                .recycling_distance = 1e-12,
                .max_impacts = 32,
                .warm_start = CN_WARM_START_FULL,
                .warm_start_factor = 1.0,
                .hit_speed = 1.0,
                .speed_limit = 1e5,
                .sleep_speed = 0.05,
                .sleep_time = 0.5,
                .grade_every = 1,
                .soft =
                    {
                        .substeps = 4,
                        .contact_hertz = 30.0,
                        .contact_damping_ratio = 10.0,
                        .push_speed = 3.0,
                        .joint_hertz = 70.0,
                        .joint_damping_ratio = 1.0,
                        .recycling_share = 0.05,
                        .tree_mass_ratio = 100.0,
                    },
            },
        .solver = cn_solver_def_default(),
        .guard = CN_DEF_GUARD,
    };
}

const char* cn_preset_name(CnPreset preset) {
    return name_in(preset_names, CN_PRESET_COUNT, (int)preset);
}

void cn_step_def_use_preset(CnStepDef* step, CnPreset preset) {
    bool is_real_time = preset == CN_PRESET_REAL_TIME;
    step->scheme = is_real_time ? CN_SCHEME_SOFT_STEP : CN_SCHEME_MOREAU;
    step->contact_margin = is_real_time ? 5e-3 : 1e-3;
    step->restitution_threshold = is_real_time ? 0.5 : 1e-3;
    step->sleep = is_real_time;
    step->grade_every = is_real_time ? 0 : 1;
}

CnWorldDef cn_world_def_real_time(void) {
    CnWorldDef def = cn_world_def_default();
    cn_step_def_use_preset(&def.step, CN_PRESET_REAL_TIME);
    return def;
}
