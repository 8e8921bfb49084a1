// joint_def.c - names and defaults of joints.
#include "base/guard.h"
#include "cairn/joint.h"

const char* cn_joint_type_name(CnJointType type) {
    static const char* const names[CN_JOINT_TYPE_COUNT] = {
        [CN_JOINT_BALL] = "ball",
        [CN_JOINT_HINGE] = "hinge",
        [CN_JOINT_SLIDER] = "slider",
        [CN_JOINT_CYLINDRICAL] = "cylindrical",
        [CN_JOINT_UNIVERSAL] = "universal",
        [CN_JOINT_PLANAR] = "planar",
        [CN_JOINT_WELD] = "weld",
        [CN_JOINT_SIX_AXIS] = "six_axis",
        [CN_JOINT_DISTANCE] = "distance",
        [CN_JOINT_ROPE] = "rope",
        [CN_JOINT_SCREW] = "screw",
        [CN_JOINT_GEAR] = "gear",
        [CN_JOINT_RACK_AND_PINION] = "rack_and_pinion",
        [CN_JOINT_PULLEY] = "pulley",
        [CN_JOINT_FIX_POINT] = "fix_point",
        [CN_JOINT_FIX_DIRECTION] = "fix_direction",
        [CN_JOINT_SET_DISPLACEMENT] = "set_displacement",
        [CN_JOINT_SET_VELOCITY] = "set_velocity",
        [CN_JOINT_SET_ACCELERATION] = "set_acceleration",
        [CN_JOINT_RIGID_LINK] = "rigid_link",
        [CN_JOINT_SPRING] = "spring",
    };
    return (int)type >= 0 && type < CN_JOINT_TYPE_COUNT ? names[type] : "unknown";
}

const char* cn_axis_name(CnAxis axis) {
    static const char* const names[CN_AXIS_COUNT] = {
        [CN_AXIS_X] = "x",           [CN_AXIS_Y] = "y",           [CN_AXIS_Z] = "z",
        [CN_AXIS_TURN_X] = "turn_x", [CN_AXIS_TURN_Y] = "turn_y", [CN_AXIS_TURN_Z] = "turn_z",
    };
    return (int)axis >= 0 && axis < CN_AXIS_COUNT ? names[axis] : "unknown";
}

CnJointDef cn_joint_def_default(CnJointType type) {
    return (CnJointDef){
        .type = type,
        .axis = {0.0, 0.0, 1.0},
        .two_points = type == CN_JOINT_DISTANCE || type == CN_JOINT_ROPE ||
                      type == CN_JOINT_PULLEY || type == CN_JOINT_RIGID_LINK ||
                      type == CN_JOINT_SPRING,
        .direction = type >= CN_JOINT_FIX_POINT && type <= CN_JOINT_SET_ACCELERATION
                         ? CN_DIRECTION_FIXED
                         : CN_DIRECTION_FOLLOW,
        .ratio = 1.0,
        .guard = CN_DEF_GUARD,
    };
}
