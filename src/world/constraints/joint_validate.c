// joint_validate.c - whether the def of a joint makes sense by itself.
#include "constraints/joints/joint_types.h"
#include "constraints/joints/kind.h"
#include "math/refuse.h"
#include "world/constraints/joint.h"

static const double pi = 3.141592653589793;

static CnStatus validate_limits(const CnJointAxis* axis, CnAxis which, bool leans,
                                const char** field, CnError* error) {
    if (!axis->limited) {
        return CN_OK;
    }
    if (isnan(axis->lower) || isnan(axis->upper) || !(axis->lower <= axis->upper)) {
        REFUSE("lower",
               "the limits of axis %s are [%g, %g]; the lower one must not be above the "
               "upper one",
               cn_axis_name(which), axis->lower, axis->upper);
    }
    if (leans && (axis->lower < -pi || axis->upper > pi)) {
        REFUSE("lower", "the limits of axis %s are [%g, %g] rad; a lean is within [-pi, pi]",
               cn_axis_name(which), axis->lower, axis->upper);
    }
    REQUIRE_RANGE(axis->restitution, 0.0, 1.0, "restitution", "");
    return CN_OK;
}

// An axis that leans cannot get where a lean does not reach: it would turn for ever.
static CnStatus validate_lean(const CnJointAxis* axis, CnAxis which, const char** field,
                              CnError* error) {
    if (axis->motor == CN_MOTOR_POSITION && axis->series.index == 0 && fabs(axis->target) > pi) {
        REFUSE("target",
               "the target of axis %s is %g rad; a lean is within [-pi, pi]. turn_z counts on, and "
               "so does the only free turn of a six_axis joint",
               cn_axis_name(which), axis->target);
    }
    bool has_spring = axis->spring_stiffness > 0.0 || axis->spring_hertz > 0.0;
    if (has_spring && fabs(axis->spring_rest) > pi) {
        REFUSE("spring_rest",
               "the spring of axis %s is at rest at %g rad; a lean is within [-pi, pi]",
               cn_axis_name(which), axis->spring_rest);
    }
    return CN_OK;
}

CnStatus cn_validate_joint_axis(const CnJointAxis* axis, CnAxis which, bool leans,
                                const char** field, CnError* error) {
    if (validate_limits(axis, which, leans, field, error) != CN_OK) {
        return CN_INVALID;
    }
    if ((int)axis->motor < CN_MOTOR_NONE || axis->motor >= CN_MOTOR_COUNT) {
        REFUSE("motor", "motor %d does not exist", (int)axis->motor);
    }
    if (!isfinite(axis->target) || !isfinite(axis->spring_rest)) {
        REFUSE("target", "the targets of axis %s are %g and %g; they must be finite numbers",
               cn_axis_name(which), axis->target, axis->spring_rest);
    }
    REQUIRE_NOT_NEGATIVE(axis->stiffness, "stiffness", "");
    REQUIRE_NOT_NEGATIVE(axis->damping, "damping", "");
    REQUIRE_NOT_NEGATIVE(axis->max_force, "max_force", "");
    REQUIRE_NOT_NEGATIVE(axis->spring_stiffness, "spring_stiffness", "");
    REQUIRE_NOT_NEGATIVE(axis->spring_hertz, "spring_hertz", " 1/s");
    REQUIRE_NOT_NEGATIVE(axis->spring_damping, "spring_damping", "");
    REQUIRE_NOT_NEGATIVE(axis->friction, "friction", "");
    if (axis->spring_hertz > 0.0 && axis->spring_stiffness > 0.0) {
        REFUSE("spring_hertz", "axis %s has both spring_stiffness and spring_hertz; give one",
               cn_axis_name(which));
    }
    if (axis->motor == CN_MOTOR_POSITION && !(axis->stiffness > 0.0 || axis->damping > 0.0)) {
        REFUSE("stiffness", "the position motor of axis %s has neither stiffness nor damping",
               cn_axis_name(which));
    }
    return leans ? validate_lean(axis, which, field, error) : CN_OK;
}

static CnStatus validate_geometry(const CnJointDef* def, const CnJointTypeInfo* type,
                                  const char** field, CnError* error) {
    REQUIRE_FINITE_VECTOR(def->point_a, "point");
    REQUIRE_FINITE_VECTOR(def->point_b, "point_b");
    REQUIRE_FINITE_VECTOR(def->axis, "axis");
    REQUIRE_FINITE_VECTOR(def->axis_b, "axis_b");
    REQUIRE_FINITE_VECTOR(def->anchor_a, "anchor_a");
    REQUIRE_FINITE_VECTOR(def->anchor_b, "anchor_b");
    REQUIRE_UNIT_VECTOR(def->axis, "axis");
    if ((type->needs & CN_USES_AXIS_B) != 0) {
        REQUIRE_UNIT_VECTOR(def->axis_b, "axis_b");
    }
    REQUIRE_NOT_NEGATIVE(def->length, "length", " m");
    return CN_OK;
}

static CnStatus validate_numbers(const CnJointDef* def, const CnJointTypeInfo* type,
                                 const char** field, CnError* error) {
    if (!isfinite(def->ratio) || !isfinite(def->pitch)) {
        REFUSE("ratio", "ratio and pitch are %g and %g; they must be finite numbers", def->ratio,
               def->pitch);
    }
    REQUIRE_RANGE(def->swing_limit, 0.0, pi, "swing_limit", " rad");
    REQUIRE_RANGE(def->swing_limit_y, 0.0, pi, "swing_limit_y", " rad");
    REQUIRE_NOT_NEGATIVE(def->strength, "strength", " N");
    REQUIRE_NOT_NEGATIVE(def->strength_torque, "strength_torque", " N m");
    if (!(def->stroke_lower <= 0.0 && def->stroke_upper >= 0.0)) {
        REFUSE("stroke", "the stroke is within [%g, %g] m; that must contain 0, where it is now",
               def->stroke_lower, def->stroke_upper);
    }
    if (def->spring_table.index != 0 && (type->uses & CN_USES_SPRING) == 0) {
        REFUSE("table", "a joint of type %s has no table of forces", type->name);
    }
    return CN_OK;
}

// What yields must be kept.
static CnStatus validate_keeping(const CnJointDef* def, const CnJointPlan* plan, const char** field,
                                 CnError* error) {
    if (cn_joint_type_info(def->type)->plan == NULL) { // the axis of another joint decides
        return cn_keeping_validate(&def->keep, field, error);
    }
    if (def->keep.compliance > 0.0 && plan->lengths == 0) {
        REFUSE("compliance", "a joint of type %s keeps no length that could give way",
               cn_joint_type_name(def->type));
    }
    if (def->keep.compliance_turn > 0.0 && plan->angles == 0) {
        REFUSE("compliance_turn", "a joint of type %s keeps no angle that could give way",
               cn_joint_type_name(def->type));
    }
    return cn_keeping_validate(&def->keep, field, error);
}

static bool acts(const CnJointAxis* axis) {
    return axis->limited || axis->motor != CN_MOTOR_NONE || axis->spring_stiffness > 0.0 ||
           axis->spring_hertz > 0.0 || axis->spring_damping > 0.0 || axis->friction > 0.0;
}

static CnStatus validate_axes(const CnJointDef* def, const char** field, CnError* error) {
    CnJointPlan plan = cn_joint_plan(def, &cn_immovable, &cn_immovable);
    CnStatus status = validate_keeping(def, &plan, field, error);
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        bool leans = plan.free[i] && plan.axes[i].terms[0].measure->leans;
        status = cn_validate_joint_axis(&def->axes[i], (CnAxis)i, leans, field, error);
        if (status == CN_OK && !plan.free[i] && acts(&def->axes[i])) {
            REFUSE("axes",
                   "a joint of type %s has no free axis %s for limits, motors, springs or friction",
                   cn_joint_type_name(def->type), cn_axis_name((CnAxis)i));
        }
    }
    return status;
}

CnStatus cn_validate_joint(const CnJointDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_joint_def_default");
    const CnJointTypeInfo* type = cn_joint_type_info(def->type);
    if (type == NULL) {
        REFUSE("type", "joint type %d does not exist", (int)def->type);
    }
    if ((int)def->direction < 0 || def->direction > CN_DIRECTION_CARRIED_B) {
        REFUSE("direction", "direction %d does not exist", (int)def->direction);
    }
    CnStatus status = validate_geometry(def, type, field, error);
    if (status == CN_OK) {
        status = validate_numbers(def, type, field, error);
    }
    if (status == CN_OK && type->validate != NULL) {
        status = type->validate(def, field, error);
    }
    return status == CN_OK ? validate_axes(def, field, error) : status;
}
