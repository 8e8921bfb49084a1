// scene_joint_fields.c - the keys of joints and their axes, and which type of joint has which.
#include "io/scene/scene_fields.h"

#include "constraints/joints/joint_types.h"
#include <string.h>

static const char* type_name(int i) {
    return cn_joint_type_name((CnJointType)i);
}

static const char* axis_name(int i) {
    return cn_axis_name((CnAxis)i);
}

static const char* direction_name(int i) {
    static const char* const names[] = {
        [CN_DIRECTION_FOLLOW] = "follow",
        [CN_DIRECTION_FIXED] = "fixed",
        [CN_DIRECTION_CARRIED_A] = "carried_a",
        [CN_DIRECTION_CARRIED_B] = "carried_b",
    };
    return names[i];
}

static const char* motor_name(int i) {
    static const char* const names[] = {
        [CN_MOTOR_NONE] = "none",
        [CN_MOTOR_VELOCITY] = "velocity",
        [CN_MOTOR_POSITION] = "position",
        [CN_MOTOR_FORCE] = "force",
    };
    return names[i];
}

static const char* motion_name(int i) {
    static const char* const names[] = {
        [CN_AXIS_FREE] = "free",
        [CN_AXIS_LOCKED] = "locked",
    };
    return names[i];
}

#define AT(member) CN_FIELD_AT(CnSceneJointFields, member)
#define DEF(member) CN_FIELD_AT(CnSceneJointFields, def.member)

static const CnJsonField joint_fields[] = {
    {"name", CN_FIELD_TEXT, DEF(name)},
    {"type", CN_FIELD_CHOICE, DEF(type), .required = true, .count = CN_JOINT_TYPE_COUNT,
     .choice_name = type_name},
    {"body", CN_FIELD_TEXT, AT(body)}, // a is the world
    {"bodies", CN_FIELD_VALUE, AT(bodies)},
    {"point", CN_FIELD_NUMBERS, DEF(point_a), .count = 3, .unit = "m"},
    {"point_b", CN_FIELD_NUMBERS, DEF(point_b), .count = 3, .unit = "m"},
    {"axis", CN_FIELD_NUMBERS, DEF(axis), .count = 3},
    {"axis_b", CN_FIELD_NUMBERS, DEF(axis_b), .count = 3},
    {"anchor_a", CN_FIELD_NUMBERS, DEF(anchor_a), .count = 3, .unit = "m"},
    {"anchor_b", CN_FIELD_NUMBERS, DEF(anchor_b), .count = 3, .unit = "m"},
    {"length", CN_FIELD_NUMBER, DEF(length), .unit = "m"},
    {"ratio", CN_FIELD_NUMBER, DEF(ratio)},
    {"pitch", CN_FIELD_NUMBER, DEF(pitch), .unit = "m"},
    {"leader", CN_FIELD_TEXT, AT(leader)},
    {"leader_axis", CN_FIELD_CHOICE, DEF(leader_axis), .count = CN_AXIS_COUNT,
     .choice_name = axis_name},
    {"follower", CN_FIELD_TEXT, AT(follower)},
    {"follower_axis", CN_FIELD_CHOICE, DEF(follower_axis), .count = CN_AXIS_COUNT,
     .choice_name = axis_name},
    {"offset", CN_FIELD_VALUE, AT(offset)},
    {"swing_limit", CN_FIELD_VALUE, AT(swing_limit)},
    {"swing_limit_y", CN_FIELD_VALUE, AT(swing_limit_y)},
    {"series", CN_FIELD_TEXT, AT(series)},
    {"series3", CN_FIELD_VALUE, AT(series3)},
    {"from_rest", CN_FIELD_BOOLEAN, DEF(from_rest)},
    {"direction", CN_FIELD_CHOICE, DEF(direction), .count = 4, .choice_name = direction_name},
    {"stroke", CN_FIELD_VALUE, AT(stroke)},
    {"table", CN_FIELD_VALUE, AT(table)},
    {"rest", CN_FIELD_VALUE, AT(rest)},
    {"strength", CN_FIELD_NUMBER, DEF(strength), .unit = "N"},
    {"strength_torque", CN_FIELD_NUMBER, DEF(strength_torque), .unit = "N m"},
    {"compliance", CN_FIELD_NUMBER, DEF(keep.compliance), .unit = "m/N"},
    {"compliance_turn", CN_FIELD_NUMBER, DEF(keep.compliance_turn), .unit = "rad/(N m)"},
    {"alpha", CN_FIELD_NUMBER, DEF(keep.alpha), .unit = "1/s^2"},
    {"beta", CN_FIELD_NUMBER, DEF(keep.beta), .unit = "1/s"},
    {"collide", CN_FIELD_BOOLEAN, DEF(collide)},
    {"enabled", CN_FIELD_BOOLEAN, DEF(enabled)},
    {"limits", CN_FIELD_VALUE, AT(own.limits)},
    {"restitution", CN_FIELD_NUMBER, AT(own.axis.restitution)},
    {"motor", CN_FIELD_CHOICE, AT(own.axis.motor), .count = CN_MOTOR_COUNT,
     .choice_name = motor_name},
    {"target", CN_FIELD_VALUE, AT(own.target)},
    {"stiffness", CN_FIELD_NUMBER, AT(own.axis.stiffness)},
    {"damping", CN_FIELD_NUMBER, AT(own.axis.damping)},
    {"max_force", CN_FIELD_NUMBER, AT(own.axis.max_force)},
    {"spring", CN_FIELD_VALUE, AT(own.spring)},
    {"friction", CN_FIELD_NUMBER, AT(own.axis.friction)},
    {"axes", CN_FIELD_VALUE, AT(axes)},
};

#undef AT
#define AT CN_FIELD_AT

static const CnJsonField axes_fields[] = {
    {"x", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_X])},
    {"y", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_Y])},
    {"z", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_Z])},
    {"turn_x", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_X])},
    {"turn_y", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_Y])},
    {"turn_z", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_Z])},
};

static const CnJsonField axis_fields[] = {
    {"motion", CN_FIELD_CHOICE, AT(CnSceneAxisFields, axis.motion), .count = 2,
     .choice_name = motion_name},
    {"limits", CN_FIELD_VALUE, AT(CnSceneAxisFields, limits)},
    {"restitution", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.restitution)},
    {"motor", CN_FIELD_CHOICE, AT(CnSceneAxisFields, axis.motor), .count = CN_MOTOR_COUNT,
     .choice_name = motor_name},
    {"target", CN_FIELD_VALUE, AT(CnSceneAxisFields, target)},
    {"series", CN_FIELD_TEXT, AT(CnSceneAxisFields, series)},
    {"stiffness", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.stiffness)},
    {"damping", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.damping)},
    {"max_force", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.max_force)},
    {"spring", CN_FIELD_VALUE, AT(CnSceneAxisFields, spring)},
    {"friction", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.friction)},
};

static const CnJsonField spring_fields[] = {
    {"stiffness", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_stiffness)},
    {"hertz", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_hertz), .unit = "1/s"},
    {"damping", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_damping)},
    {"rest", CN_FIELD_VALUE, AT(CnSceneSpringFields, rest)},
};

static const CnJsonField degrees_fields[] = {
    {"degrees", CN_FIELD_VALUE, AT(CnSceneDegreesFields, degrees), .required = true},
};

const CnFieldTable cn_scene_joint_table = CN_FIELD_TABLE("a joint", joint_fields);
const CnFieldTable cn_scene_axes_table = CN_FIELD_TABLE("axes", axes_fields);
const CnFieldTable cn_scene_axis_table = CN_FIELD_TABLE("an axis", axis_fields);
const CnFieldTable cn_scene_spring_table = CN_FIELD_TABLE("a spring", spring_fields);
const CnFieldTable cn_scene_degrees_table = CN_FIELD_TABLE("an angle", degrees_fields);

const CnSceneJointKey cn_scene_joint_keys[] = {
    {"point", CN_USES_POINT, false},
    {"point_b", CN_USES_POINT_B, false},
    {"axis", CN_USES_AXIS, false},
    {"axis_b", CN_USES_AXIS_B, false},
    {"anchor_a", CN_USES_ANCHORS, false},
    {"anchor_b", CN_USES_ANCHORS, false},
    {"length", CN_USES_LENGTH, false},
    {"ratio", CN_USES_RATIO, false},
    {"pitch", CN_USES_PITCH, false},
    {"leader", CN_USES_JOINTS, false},
    {"leader_axis", CN_USES_JOINT_AXES, false},
    {"follower", CN_USES_JOINTS, false},
    {"follower_axis", CN_USES_JOINT_AXES, false},
    {"offset", CN_USES_JOINT_AXES, false},
    {"swing_limit", CN_USES_SWING_LIMITS, false},
    {"swing_limit_y", CN_USES_SWING_LIMITS, false},
    {"series", CN_USES_SERIES | CN_USES_ONE_AXIS, false},
    {"series3", CN_USES_SERIES, false},
    {"from_rest", CN_USES_FROM_REST, false},
    {"direction", CN_USES_DIRECTION, false},
    {"stroke", CN_USES_SPRING, false},
    {"table", CN_USES_SPRING, false},
    {"rest", CN_USES_SPRING, false},
    {"limits", CN_USES_ONE_AXIS, true},
    {"restitution", CN_USES_ONE_AXIS, true},
    {"motor", CN_USES_ONE_AXIS, true},
    {"target", CN_USES_ONE_AXIS, true},
    {"stiffness", CN_USES_ONE_AXIS | CN_USES_SPRING, true},
    {"damping", CN_USES_ONE_AXIS | CN_USES_SPRING, true},
    {"max_force", CN_USES_ONE_AXIS, true},
    {"spring", CN_USES_ONE_AXIS, true},
    {"friction", CN_USES_ONE_AXIS | CN_USES_SPRING, true},
};
const int cn_scene_joint_key_count =
    (int)(sizeof cn_scene_joint_keys / sizeof cn_scene_joint_keys[0]);

const CnSceneJointKey* cn_scene_joint_key_find(const char* key) {
    for (int i = 0; i < cn_scene_joint_key_count; ++i) {
        if (strcmp(cn_scene_joint_keys[i].key, key) == 0) {
            return &cn_scene_joint_keys[i];
        }
    }
    return NULL;
}

bool cn_scene_joint_has_key(CnJointType type, const char* key) {
    const CnSceneJointKey* found = cn_scene_joint_key_find(key);
    return found == NULL || (found->uses & cn_joint_type_info(type)->uses) != 0;
}
