// joint_types.c - the table of joint types: one line for each.
#include "constraints/joints/joint_types.h"

#include "base/guard.h"
#include "constraints/joints/kind.h"

#define POINT CN_USES_POINT
#define POINTS (CN_USES_POINT | CN_USES_POINT_B)
#define AXIS CN_USES_AXIS
#define TWO_AXES (CN_USES_AXIS | CN_USES_AXIS_B)
#define ONE_FREE (AXIS | CN_USES_ONE_AXIS)
#define FRAME (TWO_AXES | CN_USES_AXES) // several free axes of a frame that is free to choose
#define LINE (CN_USES_LINE | CN_USES_LENGTH)
#define SPRING (AXIS | CN_USES_LINE | CN_USES_DIRECTION | CN_USES_SPRING)
#define MOTION (TWO_AXES | CN_USES_SERIES | CN_USES_DIRECTION)

// Every type may have point_b.
#define TYPE(type_name, used, needed, ...)                                                         \
    { .name = (type_name), .uses = POINTS | (used), .needs = (needed), __VA_ARGS__ }

#define Z .main_axis = CN_AXIS_Z
#define TURN_Z .main_axis = CN_AXIS_TURN_Z
#define FIXED .direction = CN_DIRECTION_FIXED

static const CnJointTypeInfo types[CN_JOINT_TYPE_COUNT] = {
    [CN_JOINT_BALL] = TYPE("ball", FRAME | CN_USES_SWING_LIMITS, POINT, .plan = cn_plan_ball),
    [CN_JOINT_HINGE] = TYPE("hinge", ONE_FREE, POINT | AXIS, TURN_Z, .plan = cn_plan_hinge),
    [CN_JOINT_SLIDER] = TYPE("slider", ONE_FREE, POINT | AXIS, Z, .plan = cn_plan_slider),
    [CN_JOINT_CYLINDRICAL] =
        TYPE("cylindrical", AXIS | CN_USES_AXES, POINT | AXIS, .plan = cn_plan_cylindrical),
    [CN_JOINT_UNIVERSAL] = TYPE("universal", FRAME, POINT | TWO_AXES, .plan = cn_plan_universal,
                                .validate = cn_validate_universal),
    [CN_JOINT_PLANAR] = TYPE("planar", FRAME, POINT | AXIS, .plan = cn_plan_planar),
    [CN_JOINT_WELD] = TYPE("weld", TWO_AXES, POINT, .plan = cn_plan_weld),
    [CN_JOINT_SIX_AXIS] =
        TYPE("six_axis", FRAME | CN_USES_AXIS_MOTION, POINT, .plan = cn_plan_six_axis),
    [CN_JOINT_DISTANCE] =
        TYPE("distance", LINE | CN_USES_ONE_AXIS, POINTS, Z, .plan = cn_plan_distance),
    [CN_JOINT_ROPE] = TYPE("rope", LINE, POINTS, .plan = cn_plan_rope),
    [CN_JOINT_SCREW] = TYPE("screw", ONE_FREE | CN_USES_PITCH, POINT | AXIS | CN_USES_PITCH, TURN_Z,
                            .plan = cn_plan_screw),
    [CN_JOINT_GEAR] = TYPE("gear", TWO_AXES | CN_USES_RATIO, TWO_AXES, .plan = cn_plan_gear,
                           .validate = cn_validate_gear),
    [CN_JOINT_RACK_AND_PINION] =
        TYPE("rack_and_pinion", TWO_AXES | CN_USES_RATIO, POINT | TWO_AXES | CN_USES_RATIO,
             .plan = cn_plan_rack_and_pinion, .validate = cn_validate_rack_and_pinion),
    [CN_JOINT_MIMIC] = {.name = "mimic",
                        .uses = CN_USES_JOINTS | CN_USES_JOINT_AXES | CN_USES_RATIO,
                        .needs = CN_USES_JOINTS,
                        .validate = cn_validate_mimic},
    [CN_JOINT_PULLEY] =
        TYPE("pulley", CN_USES_ANCHORS | CN_USES_LENGTH | CN_USES_RATIO, POINTS | CN_USES_ANCHORS,
             .plan = cn_plan_pulley, .validate = cn_validate_pulley),
    [CN_JOINT_FIX_POINT] = TYPE("fix_point", 0, POINT, FIXED, .plan = cn_plan_fix_point,
                                .validate = cn_validate_fixed),
    [CN_JOINT_FIX_DIRECTION] = TYPE("fix_direction", AXIS | CN_USES_DIRECTION, POINT | AXIS, FIXED,
                                    .plan = cn_plan_fix_direction, .validate = cn_validate_fixed),
    [CN_JOINT_SET_DISPLACEMENT] =
        TYPE("set_displacement", MOTION, POINT, FIXED, .course = CN_COURSE_DISPLACEMENT,
             .plan = cn_plan_prescribed, .validate = cn_validate_prescribed),
    [CN_JOINT_SET_VELOCITY] =
        TYPE("set_velocity", MOTION, POINT, FIXED, .course = CN_COURSE_VELOCITY,
             .plan = cn_plan_prescribed, .validate = cn_validate_prescribed),
    [CN_JOINT_SET_ACCELERATION] = TYPE("set_acceleration", MOTION | CN_USES_FROM_REST, POINT, FIXED,
                                       .course = CN_COURSE_ACCELERATION, .plan = cn_plan_prescribed,
                                       .validate = cn_validate_prescribed),
    [CN_JOINT_RIGID_LINK] = TYPE("rigid_link", 0, POINTS, .plan = cn_plan_rigid_link),
    [CN_JOINT_SPRING] =
        TYPE("spring", SPRING, POINTS, Z, .plan = cn_plan_spring, .validate = cn_validate_spring),
};

const CnJointTypeInfo* cn_joint_type_info(CnJointType type) {
    return (int)type >= 0 && type < CN_JOINT_TYPE_COUNT ? &types[type] : NULL;
}

const char* cn_joint_type_name(CnJointType type) {
    const CnJointTypeInfo* info = cn_joint_type_info(type);
    return info != NULL ? info->name : "unknown";
}

const char* cn_axis_name(CnAxis axis) {
    static const char* const names[CN_AXIS_COUNT] = {
        [CN_AXIS_X] = "x",           [CN_AXIS_Y] = "y",           [CN_AXIS_Z] = "z",
        [CN_AXIS_TURN_X] = "turn_x", [CN_AXIS_TURN_Y] = "turn_y", [CN_AXIS_TURN_Z] = "turn_z",
    };
    return (int)axis >= 0 && axis < CN_AXIS_COUNT ? names[axis] : "unknown";
}

CnJointDef cn_joint_def_default(CnJointType type) {
    const CnJointTypeInfo* info = cn_joint_type_info(type);
    return (CnJointDef){
        .type = type,
        .axis = {0.0, 0.0, 1.0},
        .two_points = info != NULL && (info->needs & CN_USES_POINT_B) != 0,
        .direction = info != NULL ? info->direction : CN_DIRECTION_FOLLOW,
        .ratio = 1.0,
        .collide = type == CN_JOINT_MIMIC, // it has nothing to say about it
        .keep = cn_keeping_default(),
        .enabled = true,
        .guard = CN_DEF_GUARD,
    };
}

CnJointPlan cn_joint_plan(const CnJointDef* def, const CnBodyState* a, const CnBodyState* b) {
    CnJointPlan plan = {0};
    CnJointDraft draft = {
        .def = def,
        .a = a,
        .b = b,
        .point_a = def->point_a,
        .point_b = def->two_points ? def->point_b : def->point_a,
        .plan = &plan,
    };
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        plan.settings[i] = def->axes[i];
    }
    if (types[def->type].plan != NULL) {
        types[def->type].plan(&draft);
    }
    return plan;
}
