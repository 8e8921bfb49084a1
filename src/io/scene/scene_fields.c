// scene_fields.c - one table for each object of a scene file but shapes and joints.
//
// docs/scene.md and scenes/scene.schema.json describe the same keys;
// tests/unit/io/test_scene_schema.c holds all three against each other.
#include "io/scene/scene_fields.h"

static const char* preset_name(int i) {
    return cn_preset_name((CnPreset)i);
}

static const char* scheme_name(int i) {
    return cn_scheme_name((CnScheme)i);
}

static const char* rotation_name(int i) {
    return cn_rotation_update_name((CnRotationUpdate)i);
}

static const char* integrator_name(int i) {
    return cn_integrator_name((CnIntegrator)i);
}

static const char* stabilisation_name(int i) {
    return cn_stabilisation_name((CnStabilisation)i);
}

static const char* implicit_method_name(int i) {
    return cn_implicit_method_name((CnImplicitMethod)i);
}

static const char* warm_start_name(int i) {
    return cn_warm_start_name((CnWarmStart)i);
}

static const char* friction_name(int i) {
    return cn_friction_model_name((CnFrictionModel)i);
}

static const char* preconditioner_name(int i) {
    static const char* const names[] = {
        [CN_PRECONDITIONER_NONE] = "none",
        [CN_PRECONDITIONER_DIAGONAL] = "diagonal",
    };
    return names[i];
}

const char* cn_scene_body_type_name(int i) {
    static const char* const names[] = {
        [CN_BODY_DYNAMIC] = "dynamic",
        [CN_BODY_STATIC] = "static",
        [CN_BODY_KINEMATIC] = "kinematic",
    };
    return names[i];
}

static const char* force_frame_name(int i) {
    static const char* const names[] = {
        [CN_FORCE_SPATIAL] = "spatial",
        [CN_FORCE_CARRIED] = "carried",
    };
    return names[i];
}

#define AT CN_FIELD_AT

static const CnJsonField file_fields[] = {
    {"cairn", CN_FIELD_INTEGER, AT(CnSceneFileFields, version), .required = true},
    {"name", CN_FIELD_TEXT, AT(CnSceneFileFields, name)},
    {"gravity", CN_FIELD_NUMBERS, AT(CnSceneFileFields, settings.gravity), .count = 3,
     .unit = "m/s^2"},
    {"duration", CN_FIELD_NUMBER, AT(CnSceneFileFields, settings.duration), .unit = "s"},
    {"start_time", CN_FIELD_NUMBER, AT(CnSceneFileFields, settings.start_time), .unit = "s"},
    {"preset", CN_FIELD_CHOICE, AT(CnSceneFileFields, preset), .count = CN_PRESET_COUNT,
     .choice_name = preset_name},
    {"step", CN_FIELD_VALUE, AT(CnSceneFileFields, step)},
    {"solver", CN_FIELD_VALUE, AT(CnSceneFileFields, solver)},
    {"include", CN_FIELD_VALUE, AT(CnSceneFileFields, include)},
    {"materials", CN_FIELD_VALUE, AT(CnSceneFileFields, materials)},
    {"material_pairs", CN_FIELD_VALUE, AT(CnSceneFileFields, material_pairs)},
    {"series", CN_FIELD_VALUE, AT(CnSceneFileFields, series)},
    {"bodies", CN_FIELD_VALUE, AT(CnSceneFileFields, things.bodies)},
    {"repeat", CN_FIELD_VALUE, AT(CnSceneFileFields, things.repeat)},
    {"contacts", CN_FIELD_VALUE, AT(CnSceneFileFields, things.contacts)},
    {"constraints", CN_FIELD_VALUE, AT(CnSceneFileFields, things.constraints)},
    {"joints", CN_FIELD_VALUE, AT(CnSceneFileFields, things.joints)},
    {"forces", CN_FIELD_VALUE, AT(CnSceneFileFields, things.forces)},
    {"collide", CN_FIELD_VALUE, AT(CnSceneFileFields, things.collide)},
};

static const CnJsonField repeat_fields[] = {
    {"count", CN_FIELD_INTEGER, AT(CnSceneRepeatFields, count), .required = true},
    {"position", CN_FIELD_NUMBERS, AT(CnSceneRepeatFields, position), .count = 3, .unit = "m"},
    {"rotation", CN_FIELD_VALUE, AT(CnSceneRepeatFields, rotation)},
    {"bodies", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.bodies), .required = true},
    {"repeat", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.repeat)},
    {"contacts", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.contacts)},
    {"constraints", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.constraints)},
    {"joints", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.joints)},
    {"forces", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.forces)},
    {"collide", CN_FIELD_VALUE, AT(CnSceneRepeatFields, things.collide)},
};

static const CnJsonField include_fields[] = {
    {"file", CN_FIELD_VALUE, AT(CnSceneIncludeFields, file), .required = true},
    {"prefix", CN_FIELD_TEXT, AT(CnSceneIncludeFields, placement.prefix)},
    {"position", CN_FIELD_NUMBERS, AT(CnSceneIncludeFields, placement.pose.position), .count = 3,
     .unit = "m"},
    {"rotation", CN_FIELD_VALUE, AT(CnSceneIncludeFields, rotation)},
};

static const CnJsonField step_fields[] = {
    {"scheme", CN_FIELD_CHOICE, AT(CnSceneSettings, step.scheme), .count = CN_SCHEME_COUNT,
     .choice_name = scheme_name},
    {"dt", CN_FIELD_NUMBER, AT(CnSceneSettings, dt), .unit = "s"},
    {"substeps", CN_FIELD_INTEGER, AT(CnSceneSettings, step.substeps)},
    {"theta", CN_FIELD_NUMBER, AT(CnSceneSettings, step.theta)},
    {"rotation", CN_FIELD_CHOICE, AT(CnSceneSettings, step.rotation), .count = CN_ROTATION_COUNT,
     .choice_name = rotation_name},
    {"integrator", CN_FIELD_CHOICE, AT(CnSceneSettings, step.integrator),
     .count = CN_INTEGRATOR_COUNT, .choice_name = integrator_name},
    {"stabilisation", CN_FIELD_CHOICE, AT(CnSceneSettings, step.stabilisation),
     .count = CN_STABILISATION_COUNT, .choice_name = stabilisation_name},
    {"error_reduction", CN_FIELD_NUMBER, AT(CnSceneSettings, step.error_reduction)},
    {"slop", CN_FIELD_NUMBER, AT(CnSceneSettings, step.slop), .unit = "m"},
    {"max_correction", CN_FIELD_NUMBER, AT(CnSceneSettings, step.max_correction), .unit = "m"},
    {"friction_bias", CN_FIELD_NUMBER, AT(CnSceneSettings, step.friction_bias)},
    {"restitution_threshold", CN_FIELD_NUMBER, AT(CnSceneSettings, step.restitution_threshold),
     .unit = "m/s"},
    {"contact_margin", CN_FIELD_NUMBER, AT(CnSceneSettings, step.contact_margin), .unit = "m"},
    {"recycling_distance", CN_FIELD_NUMBER, AT(CnSceneSettings, step.recycling_distance),
     .unit = "m"},
    {"max_impacts", CN_FIELD_INTEGER, AT(CnSceneSettings, step.max_impacts)},
    {"implicit_method", CN_FIELD_CHOICE, AT(CnSceneSettings, step.implicit_method),
     .count = CN_IMPLICIT_COUNT, .choice_name = implicit_method_name},
    {"warm_start", CN_FIELD_CHOICE, AT(CnSceneSettings, step.warm_start),
     .count = CN_WARM_START_COUNT, .choice_name = warm_start_name},
    {"warm_start_factor", CN_FIELD_NUMBER, AT(CnSceneSettings, step.warm_start_factor)},
    {"hit_speed", CN_FIELD_NUMBER, AT(CnSceneSettings, step.hit_speed), .unit = "m/s"},
    {"speed_limit", CN_FIELD_NUMBER, AT(CnSceneSettings, step.speed_limit), .unit = "m/s"},
    {"sleep", CN_FIELD_BOOLEAN, AT(CnSceneSettings, step.sleep)},
    {"sleep_speed", CN_FIELD_NUMBER, AT(CnSceneSettings, step.sleep_speed), .unit = "m/s"},
    {"sleep_time", CN_FIELD_NUMBER, AT(CnSceneSettings, step.sleep_time), .unit = "s"},
    {"attribution", CN_FIELD_BOOLEAN, AT(CnSceneSettings, step.attribution)},
    {"soft_substeps", CN_FIELD_INTEGER, AT(CnSceneSettings, step.soft.substeps)},
    {"contact_hertz", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.contact_hertz), .unit = "Hz"},
    {"contact_damping_ratio", CN_FIELD_NUMBER,
     AT(CnSceneSettings, step.soft.contact_damping_ratio)},
    {"push_speed", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.push_speed), .unit = "m/s"},
    {"joint_hertz", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.joint_hertz), .unit = "Hz"},
    {"joint_damping_ratio", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.joint_damping_ratio)},
    {"recycling_share", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.recycling_share)},
    {"tree_mass_ratio", CN_FIELD_NUMBER, AT(CnSceneSettings, step.soft.tree_mass_ratio)},
    {"friction_per_point", CN_FIELD_BOOLEAN, AT(CnSceneSettings, step.soft.friction_per_point)},
    {"grade_every", CN_FIELD_INTEGER, AT(CnSceneSettings, step.grade_every)},
};

static const CnJsonField solver_fields[] = {
    {"name", CN_FIELD_TEXT, AT(CnSceneSettings, solver.name)},
    {"tolerance", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.tolerance), .unit = "m/s"},
    {"max_iterations", CN_FIELD_INTEGER, AT(CnSceneSettings, solver.max_iterations)},
    {"warm_start", CN_FIELD_BOOLEAN, AT(CnSceneSettings, solver.warm_start)},
    {"friction", CN_FIELD_CHOICE, AT(CnSceneSettings, solver.friction), .count = CN_FRICTION_COUNT,
     .choice_name = friction_name},
    {"pyramid_sides", CN_FIELD_INTEGER, AT(CnSceneSettings, solver.pyramid_sides)},
    {"preconditioner", CN_FIELD_CHOICE, AT(CnSceneSettings, solver.preconditioner), .count = 2,
     .choice_name = preconditioner_name},
    {"regularisation", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.regularisation)},
    {"over_relaxation", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.over_relaxation)},
    {"shuffle", CN_FIELD_INTEGER, AT(CnSceneSettings, solver.shuffle)},
    {"freeze_after", CN_FIELD_INTEGER, AT(CnSceneSettings, solver.freeze_after)},
    {"work_budget", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.work_budget)},
    {"deadline", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.deadline), .unit = "s"},
    {"change_tolerance", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.change_tolerance)},
    {"impulse_limit", CN_FIELD_NUMBER, AT(CnSceneSettings, solver.impulse_limit)},
    {"minimum_norm", CN_FIELD_BOOLEAN, AT(CnSceneSettings, solver.minimum_norm)},
};

static const CnJsonField material_fields[] = {
    {"friction", CN_FIELD_NUMBER, AT(CnMaterialDef, friction)},
    {"static_friction", CN_FIELD_NUMBER, AT(CnMaterialDef, static_friction)},
    {"restitution", CN_FIELD_NUMBER, AT(CnMaterialDef, restitution)},
    {"density", CN_FIELD_NUMBER, AT(CnMaterialDef, density), .unit = "kg/m^3"},
    {"torsion", CN_FIELD_NUMBER, AT(CnMaterialDef, torsion), .unit = "m"},
    {"rolling", CN_FIELD_NUMBER, AT(CnMaterialDef, rolling), .unit = "m"},
    {"grain", CN_FIELD_NUMBERS, AT(CnMaterialDef, grain), .count = 3},
    {"surface_velocity", CN_FIELD_NUMBERS, AT(CnMaterialDef, surface_velocity), .count = 3,
     .unit = "m/s"},
    {"friction_across", CN_FIELD_NUMBER, AT(CnMaterialDef, friction_across)},
};

static const CnJsonField pair_fields[] = {
    {"materials", CN_FIELD_VALUE, AT(CnScenePairFields, materials), .required = true},
    {"friction", CN_FIELD_NUMBER, AT(CnScenePairFields, pair.friction)},
    {"static_friction", CN_FIELD_NUMBER, AT(CnScenePairFields, pair.static_friction)},
    {"restitution", CN_FIELD_NUMBER, AT(CnScenePairFields, pair.restitution)},
};

static const CnJsonField series_fields[] = {
    {"times", CN_FIELD_VALUE, AT(CnSceneSeriesFields, times)},
    {"values", CN_FIELD_VALUE, AT(CnSceneSeriesFields, values)},
    {"file", CN_FIELD_VALUE, AT(CnSceneSeriesFields, file)},
    {"sine", CN_FIELD_VALUE, AT(CnSceneSeriesFields, sine)},
    {"ramp", CN_FIELD_VALUE, AT(CnSceneSeriesFields, ramp)},
    {"pulse", CN_FIELD_VALUE, AT(CnSceneSeriesFields, pulse)},
};

static const CnJsonField sine_fields[] = {
    {"amplitude", CN_FIELD_NUMBER, AT(CnSeriesDef, sine.amplitude), .required = true},
    {"frequency", CN_FIELD_NUMBER, AT(CnSeriesDef, sine.frequency), .required = true,
     .unit = "1/s"},
    {"phase", CN_FIELD_NUMBER, AT(CnSeriesDef, sine.phase), .unit = "rad"},
    {"offset", CN_FIELD_NUMBER, AT(CnSeriesDef, sine.offset)},
};

static const CnJsonField ramp_fields[] = {
    {"from", CN_FIELD_NUMBER, AT(CnSeriesDef, ramp.from)},
    {"to", CN_FIELD_NUMBER, AT(CnSeriesDef, ramp.to), .required = true},
    {"start", CN_FIELD_NUMBER, AT(CnSeriesDef, ramp.start), .unit = "s"},
    {"end", CN_FIELD_NUMBER, AT(CnSeriesDef, ramp.end), .required = true, .unit = "s"},
};

static const CnJsonField pulse_fields[] = {
    {"low", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.low)},
    {"high", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.high), .required = true},
    {"start", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.start), .unit = "s"},
    {"width", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.width), .required = true, .unit = "s"},
    {"rise", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.rise), .unit = "s"},
    {"period", CN_FIELD_NUMBER, AT(CnSeriesDef, pulse.period), .unit = "s"},
};

static const CnJsonField body_fields[] = {
    {"name", CN_FIELD_TEXT, AT(CnSceneBodyFields, def.name)},
    {"type", CN_FIELD_CHOICE, AT(CnSceneBodyFields, def.type), .count = 3,
     .choice_name = cn_scene_body_type_name},
    {"position", CN_FIELD_NUMBERS, AT(CnSceneBodyFields, def.position), .count = 3, .unit = "m"},
    {"rotation", CN_FIELD_VALUE, AT(CnSceneBodyFields, rotation)},
    {"velocity", CN_FIELD_NUMBERS, AT(CnSceneBodyFields, def.velocity), .count = 3, .unit = "m/s"},
    {"angular_velocity", CN_FIELD_NUMBERS, AT(CnSceneBodyFields, def.angular_velocity), .count = 3,
     .unit = "rad/s"},
    {"shapes", CN_FIELD_VALUE, AT(CnSceneBodyFields, shapes)},
    {"material", CN_FIELD_TEXT, AT(CnSceneBodyFields, material)},
    {"mass", CN_FIELD_VALUE, AT(CnSceneBodyFields, mass)},
    {"inertia", CN_FIELD_VALUE, AT(CnSceneBodyFields, inertia)},
    {"center", CN_FIELD_VALUE, AT(CnSceneBodyFields, center)},
    {"fast", CN_FIELD_BOOLEAN, AT(CnSceneBodyFields, def.fast)},
    {"exact", CN_FIELD_BOOLEAN, AT(CnSceneBodyFields, def.exact)},
    {"gravity_scale", CN_FIELD_NUMBER, AT(CnSceneBodyFields, def.gravity_scale)},
    {"linear_damping", CN_FIELD_NUMBER, AT(CnSceneBodyFields, def.linear_damping), .unit = "1/s"},
    {"angular_damping", CN_FIELD_NUMBER, AT(CnSceneBodyFields, def.angular_damping), .unit = "1/s"},
    {"enabled", CN_FIELD_BOOLEAN, AT(CnSceneBodyFields, def.enabled)},
    {"motion", CN_FIELD_VALUE, AT(CnSceneBodyFields, motion)},
    {"start", CN_FIELD_VALUE, AT(CnSceneBodyFields, start)},
};

static const CnJsonField start_fields[] = {
    {"center", CN_FIELD_NUMBERS, AT(CnSceneStartFields, start.state.center), .required = true,
     .count = 3, .unit = "m"},
    {"rotation", CN_FIELD_VALUE, AT(CnSceneStartFields, rotation), .required = true},
    {"velocity", CN_FIELD_NUMBERS, AT(CnSceneStartFields, start.state.velocity), .count = 3,
     .unit = "m/s"},
    {"angular_velocity", CN_FIELD_NUMBERS, AT(CnSceneStartFields, start.state.angular_velocity),
     .count = 3, .unit = "rad/s"},
};

static const CnJsonField motion_fields[] = {
    {"position", CN_FIELD_VALUE, AT(CnSceneMotionFields, position)},
    {"axes", CN_FIELD_VALUE, AT(CnSceneMotionFields, axes)},
    {"axis", CN_FIELD_NUMBERS, AT(CnSceneMotionFields, axis), .count = 3},
    {"angle", CN_FIELD_TEXT, AT(CnSceneMotionFields, angle)},
};

static const CnJsonField rotation_fields[] = {
    {"axis", CN_FIELD_NUMBERS, AT(CnSceneRotationFields, axis), .required = true, .count = 3},
    {"degrees", CN_FIELD_NUMBER, AT(CnSceneRotationFields, degrees), .unit = "degrees"},
    {"radians", CN_FIELD_NUMBER, AT(CnSceneRotationFields, radians), .unit = "rad"},
};

static const CnJsonField contact_fields[] = {
    {"name", CN_FIELD_TEXT, AT(CnSceneContactFields, def.name)},
    {"bodies", CN_FIELD_VALUE, AT(CnSceneContactFields, bodies), .required = true},
    {"point", CN_FIELD_NUMBERS, AT(CnSceneContactFields, def.point), .required = true, .count = 3,
     .unit = "m"},
    {"normal", CN_FIELD_NUMBERS, AT(CnSceneContactFields, def.normal), .required = true,
     .count = 3},
    {"gap", CN_FIELD_NUMBER, AT(CnSceneContactFields, def.gap), .unit = "m"},
    {"material", CN_FIELD_TEXT, AT(CnSceneContactFields, material)},
    {"materials", CN_FIELD_VALUE, AT(CnSceneContactFields, materials)},
};

static const CnJsonField constraint_fields[] = {
    {"name", CN_FIELD_TEXT, AT(CnSceneConstraintFields, constraint.name)},
    {"kind", CN_FIELD_TEXT, AT(CnSceneConstraintFields, kind), .required = true},
    {"body", CN_FIELD_TEXT, AT(CnSceneConstraintFields, body)},
    {"bodies", CN_FIELD_VALUE, AT(CnSceneConstraintFields, bodies)},
    {"point_a", CN_FIELD_NUMBERS, AT(CnSceneConstraintFields, constraint.point_a), .count = 3,
     .unit = "m"},
    {"point_b", CN_FIELD_NUMBERS, AT(CnSceneConstraintFields, constraint.point_b), .count = 3,
     .unit = "m"},
    {"length", CN_FIELD_NUMBER, AT(CnSceneConstraintFields, constraint.length), .unit = "m"},
    {"collide", CN_FIELD_BOOLEAN, AT(CnSceneConstraintFields, constraint.collide)},
    {"compliance", CN_FIELD_NUMBER, AT(CnSceneConstraintFields, constraint.keep.compliance),
     .unit = "m/N"},
    {"alpha", CN_FIELD_NUMBER, AT(CnSceneConstraintFields, constraint.keep.alpha), .unit = "1/s^2"},
    {"beta", CN_FIELD_NUMBER, AT(CnSceneConstraintFields, constraint.keep.beta), .unit = "1/s"},
};

static const CnJsonField force_fields[] = {
    {"body", CN_FIELD_TEXT, AT(CnSceneForceFields, body), .required = true},
    {"point", CN_FIELD_NUMBERS, AT(CnSceneForceFields, def.point), .count = 3, .unit = "m"},
    {"force", CN_FIELD_NUMBERS, AT(CnSceneForceFields, def.force), .count = 3, .unit = "N"},
    {"torque", CN_FIELD_NUMBERS, AT(CnSceneForceFields, def.torque), .count = 3, .unit = "N m"},
    {"frame", CN_FIELD_CHOICE, AT(CnSceneForceFields, def.frame), .count = 2,
     .choice_name = force_frame_name},
    {"series", CN_FIELD_TEXT, AT(CnSceneForceFields, series)},
    {"drag", CN_FIELD_NUMBER, AT(CnSceneForceFields, def.drag), .unit = "N s/m"},
};

static const CnJsonField collide_fields[] = {
    {"exclude", CN_FIELD_VALUE, AT(CnSceneCollideFields, exclude)},
};

const CnFieldTable cn_scene_file_table = CN_FIELD_TABLE("a scene", file_fields);
const CnFieldTable cn_scene_repeat_table = CN_FIELD_TABLE("a repeated group", repeat_fields);
const CnFieldTable cn_scene_include_table = CN_FIELD_TABLE("an include", include_fields);
const CnFieldTable cn_scene_step_table = CN_FIELD_TABLE("step", step_fields);
const CnFieldTable cn_scene_solver_table = CN_FIELD_TABLE("solver", solver_fields);
const CnFieldTable cn_scene_material_table = CN_FIELD_TABLE("a material", material_fields);
const CnFieldTable cn_scene_pair_table = CN_FIELD_TABLE("a material pair", pair_fields);
const CnFieldTable cn_scene_series_table = CN_FIELD_TABLE("a series", series_fields);
const CnFieldTable cn_scene_sine_table = CN_FIELD_TABLE("a sine", sine_fields);
const CnFieldTable cn_scene_ramp_table = CN_FIELD_TABLE("a ramp", ramp_fields);
const CnFieldTable cn_scene_pulse_table = CN_FIELD_TABLE("a pulse", pulse_fields);
const CnFieldTable cn_scene_body_table = CN_FIELD_TABLE("a body", body_fields);
const CnFieldTable cn_scene_start_table = CN_FIELD_TABLE("a start", start_fields);
const CnFieldTable cn_scene_motion_table = CN_FIELD_TABLE("a motion", motion_fields);
const CnFieldTable cn_scene_rotation_table = CN_FIELD_TABLE("a rotation", rotation_fields);
const CnFieldTable cn_scene_contact_table = CN_FIELD_TABLE("a contact", contact_fields);
const CnFieldTable cn_scene_constraint_table = CN_FIELD_TABLE("a constraint", constraint_fields);
const CnFieldTable cn_scene_force_table = CN_FIELD_TABLE("a force", force_fields);
const CnFieldTable cn_scene_collide_table = CN_FIELD_TABLE("collide", collide_fields);
