// scene_joint_fields.c - the keys of joints and their axes, and which type of joint has which.
#include "io/scene/scene_fields.h"

#include <string.h>

static const char* type_name(int i) {
    return cn_joint_type_name((CnJointType)i);
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
#define DEF(member) CN_FIELD_AT(CnSceneJointFields, joint.def.member)

static const CnField joint_fields[] = {
    {"name", CN_FIELD_TEXT, DEF(name)},
    {"type", CN_FIELD_CHOICE, DEF(type), .required = true, .count = CN_JOINT_TYPE_COUNT,
     .choice_name = type_name},
    {"body", CN_FIELD_TEXT, AT(joint.body_b)}, // a is the world
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
    {"swing_limit", CN_FIELD_VALUE, AT(swing_limit)},
    {"swing_limit_y", CN_FIELD_VALUE, AT(swing_limit_y)},
    {"series", CN_FIELD_TEXT, AT(joint.series)},
    {"series3", CN_FIELD_VALUE, AT(series3)},
    {"direction", CN_FIELD_CHOICE, DEF(direction), .count = 4, .choice_name = direction_name},
    {"stroke", CN_FIELD_VALUE, AT(stroke)},
    {"table", CN_FIELD_VALUE, AT(table)},
    {"rest", CN_FIELD_VALUE, AT(rest)},
    {"strength", CN_FIELD_NUMBER, DEF(strength), .unit = "N"},
    {"strength_torque", CN_FIELD_NUMBER, DEF(strength_torque), .unit = "N m"},
    {"collide", CN_FIELD_BOOLEAN, DEF(collide)},
    {"limits", CN_FIELD_VALUE, AT(own.limits)},
    {"restitution", CN_FIELD_NUMBER, AT(own.axis.restitution)},
    {"motor", CN_FIELD_CHOICE, AT(own.axis.motor), .count = 3, .choice_name = motor_name},
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

static const CnField axes_fields[] = {
    {"x", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_X])},
    {"y", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_Y])},
    {"z", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_Z])},
    {"turn_x", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_X])},
    {"turn_y", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_Y])},
    {"turn_z", CN_FIELD_VALUE, AT(CnSceneAxesFields, axes[CN_AXIS_TURN_Z])},
};

static const CnField axis_fields[] = {
    {"motion", CN_FIELD_CHOICE, AT(CnSceneAxisFields, axis.motion), .count = 2,
     .choice_name = motion_name},
    {"limits", CN_FIELD_VALUE, AT(CnSceneAxisFields, limits)},
    {"restitution", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.restitution)},
    {"motor", CN_FIELD_CHOICE, AT(CnSceneAxisFields, axis.motor), .count = 3,
     .choice_name = motor_name},
    {"target", CN_FIELD_VALUE, AT(CnSceneAxisFields, target)},
    {"series", CN_FIELD_TEXT, AT(CnSceneAxisFields, series)},
    {"stiffness", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.stiffness)},
    {"damping", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.damping)},
    {"max_force", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.max_force)},
    {"spring", CN_FIELD_VALUE, AT(CnSceneAxisFields, spring)},
    {"friction", CN_FIELD_NUMBER, AT(CnSceneAxisFields, axis.friction)},
};

static const CnField spring_fields[] = {
    {"stiffness", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_stiffness)},
    {"hertz", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_hertz), .unit = "1/s"},
    {"damping", CN_FIELD_NUMBER, AT(CnSceneSpringFields, axis.spring_damping)},
    {"rest", CN_FIELD_VALUE, AT(CnSceneSpringFields, rest)},
};

static const CnField degrees_fields[] = {
    {"degrees", CN_FIELD_VALUE, AT(CnSceneDegreesFields, degrees), .required = true},
};

const CnFieldTable cn_scene_joint_table = CN_FIELD_TABLE("a joint", joint_fields);
const CnFieldTable cn_scene_axes_table = CN_FIELD_TABLE("axes", axes_fields);
const CnFieldTable cn_scene_axis_table = CN_FIELD_TABLE("an axis", axis_fields);
const CnFieldTable cn_scene_spring_table = CN_FIELD_TABLE("a spring", spring_fields);
const CnFieldTable cn_scene_degrees_table = CN_FIELD_TABLE("an angle", degrees_fields);

#define IF(type) (1u << CN_JOINT_##type)
#define SET (IF(SET_DISPLACEMENT) | IF(SET_VELOCITY) | IF(SET_ACCELERATION))
#define DIRECTED (SET | IF(FIX_DIRECTION))
#define TWO_POINTS (IF(DISTANCE) | IF(ROPE) | IF(PULLEY) | IF(RIGID_LINK) | IF(SPRING))
#define ONE_FREE (IF(HINGE) | IF(SLIDER) | IF(SCREW) | IF(DISTANCE))
#define TWO_AXES (IF(UNIVERSAL) | IF(GEAR) | IF(RACK_AND_PINION))
#define ONE_AXIS (IF(HINGE) | IF(SLIDER) | IF(CYLINDRICAL) | IF(PLANAR) | IF(SCREW) | TWO_AXES)
#define FRAMED (IF(BALL) | IF(PLANAR) | IF(SIX_AXIS) | IF(WELD) | SET)
#define ALL ((1u << CN_JOINT_TYPE_COUNT) - 1u)

const CnSceneJointKey cn_scene_joint_keys[] = {
    {"point", ALL, ALL & ~IF(GEAR), false},
    {"point_b", ALL, TWO_POINTS, false},
    {"axis", ONE_AXIS | FRAMED | DIRECTED | IF(SPRING), ONE_AXIS | IF(FIX_DIRECTION), false},
    {"axis_b", TWO_AXES | FRAMED, TWO_AXES, false},
    {"anchor_a", IF(PULLEY), IF(PULLEY), false},
    {"anchor_b", IF(PULLEY), IF(PULLEY), false},
    {"length", IF(DISTANCE) | IF(ROPE) | IF(PULLEY), 0, false},
    {"ratio", IF(GEAR) | IF(RACK_AND_PINION) | IF(PULLEY), IF(RACK_AND_PINION), false},
    {"pitch", IF(SCREW), IF(SCREW), false},
    {"swing_limit", IF(BALL), 0, false},
    {"swing_limit_y", IF(BALL), 0, false},
    {"series", SET | ONE_FREE, 0, false},
    {"series3", SET, 0, false},
    {"direction", DIRECTED | IF(SPRING), 0, false},
    {"stroke", IF(SPRING), 0, false},
    {"table", IF(SPRING), 0, false},
    {"rest", IF(SPRING), 0, false},
    {"limits", ONE_FREE, 0, true},
    {"restitution", ONE_FREE, 0, true},
    {"motor", ONE_FREE, 0, true},
    {"target", ONE_FREE, 0, true},
    {"stiffness", ONE_FREE | IF(SPRING), 0, true},
    {"damping", ONE_FREE | IF(SPRING), 0, true},
    {"max_force", ONE_FREE, 0, true},
    {"spring", ONE_FREE, 0, true},
    {"friction", ONE_FREE | IF(SPRING), 0, true},
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
    return found == NULL || (found->types >> type & 1u) != 0;
}
