// scene_check_joints.c - warnings about joints and series of a scene that can run.
#include "io/scene/scene_checker.h"

#include "base/error.h"
#include "io/text/text.h"
#include "world/constraints/joint.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Joints whose sides start farther apart than this, or limits that are violated by more at the
// start, are probably mistakes: numbers in files have six digits or more.
#define APART 1e-6 // [m or rad]

// With fewer steps per period a spring is stable, but its oscillation is damped out.
#define STEPS_TO_A_SWING 10.0

int cn_scene_line_of(const CnSceneChecker* checker, const char* path) {
    return checker->top != NULL ? cn_json_follow(checker->top, path)->line : 0;
}

// ---- redundancy ----

static const CnJoint* joint_at(const CnSceneChecker* checker, int place) {
    return cn_pool_get(&checker->world->joints, CN_POOL_ID(CN_SCENE_ID(CnJointId, place)));
}

static int find_joint(const CnSceneChecker* checker, CnConstraintId id) {
    int index = checker->scene->joints.count - 1;
    while (index >= 0 && memcmp(&joint_at(checker, index)->kept, &id, sizeof id) != 0) {
        --index;
    }
    return index;
}

static void warn_redundant(const CnSceneChecker* checker, CnConstraintId id) {
    const CnScene* scene = checker->scene;
    char path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE];
    int constraint = CN_SCENE_PLACE(id, scene->constraints.count);
    int joint = constraint < 0 ? find_joint(checker, id) : -1;
    const char* name = constraint >= 0 ? scene->constraints.data[constraint].name
                       : joint >= 0    ? scene->joints.data[joint].name
                                       : NULL;
    if (constraint >= 0) {
        snprintf(path, sizeof path, "constraints[%d]", constraint);
    } else {
        snprintf(path, sizeof path, "joints[%d]", joint);
    }
    cn_report_warning(checker->errors, cn_scene_line_of(checker, path), path,
                      "\"%s\" is redundant: other constraints already imply some of its rows",
                      name != NULL ? cn_text_show(name, shown) : path);
}

void cn_scene_check_redundancy(const CnSceneChecker* checker) {
    int total = checker->scene->constraints.count + checker->scene->joints.count;
    CnConstraintId* redundant = CN_ARENA_NEW(checker->arena, CnConstraintId, total);
    int count =
        redundant == NULL ? -1 : cn_world_redundant_constraints(checker->world, redundant, total);
    if (count < 0) {
        cn_report_no_memory(checker->errors);
    }
    CN_ASSERT(count <= total); // only what a joint keeps can be implied
    for (int i = 0; i < count; ++i) {
        warn_redundant(checker, redundant[i]);
    }
}

// ---- joints ----

typedef struct JointPlace {
    const CnSceneChecker* checker;
    const CnJoint* joint;
    const CnJointState* state;
    const char* path;  // "joints[2]"
    const char* shown; // the joint's name, or its path
    int line;
} JointPlace;

static void warn_apart(const JointPlace* place) {
    const CnJointState* state = place->state;
    if (state->error > APART) {
        cn_report_warning(place->checker->errors, place->line, place->path,
                          "the two sides of \"%s\" are %g m from where they belong at the start",
                          place->shown, state->error);
    }
    if (state->angle_error > APART) {
        cn_report_warning(
            place->checker->errors, place->line, place->path,
            "the two sides of \"%s\" are turned by %g rad from where they belong at the start",
            place->shown, state->angle_error);
    }
}

// Upper limits of ropes; cones start in the middle.
static void warn_limit(const JointPlace* place) {
    const CnWorld* world = place->checker->world;
    CnJointPart* part = cn_joint_part_at(world, place->joint->limit);
    if (part == NULL) {
        return;
    }
    CnJointView view = cn_joint_view_now(world, place->joint);
    double length = cn_joint_row_value(cn_joint_part_rows(part), &view);
    double limit = ((const CnAxisPart*)(void*)part)->axis.upper;
    if (length > limit + APART) {
        cn_report_warning(place->checker->errors, place->line, place->path,
                          "\"%s\" allows at most %g but starts at %g", place->shown, limit, length);
    }
}

static void warn_axis_limits(const JointPlace* place, CnAxis which, const CnJointAxis* axis) {
    double at = place->state->position[which];
    if (axis->limited && (at < axis->lower - APART || at > axis->upper + APART)) {
        cn_report_warning(place->checker->errors, place->line, place->path,
                          "axis %s of \"%s\" starts at %g, outside its limits [%g, %g]",
                          cn_axis_name(which), place->shown, at, axis->lower, axis->upper);
    }
}

static void warn_motor(const JointPlace* place, CnAxis which, const CnJointAxis* axis) {
    if (axis->motor == CN_MOTOR_POSITION && axis->stiffness == 0.0) {
        cn_report_warning(place->checker->errors, place->line, place->path,
                          "the position motor of axis %s of \"%s\" has no stiffness: it only damps "
                          "and never reaches its target",
                          cn_axis_name(which), place->shown);
    }
}

// omega^2 = k J M^-1 J^T, with the masses of the two bodies alone.
static void warn_stiff(const JointPlace* place, CnAxis which, const char* what, double stiffness,
                       double response) {
    double dt = place->checker->scene->settings.dt / place->checker->scene->settings.step.substeps;
    double steps = 2.0 * CN_PI / (sqrt(stiffness * response) * dt);
    if (steps < STEPS_TO_A_SWING) {
        cn_report_warning(place->checker->errors, place->line, place->path,
                          "the %s of axis %s of \"%s\" is stiff: its period is %.2g steps of %g s, "
                          "and periods below %g steps are damped out",
                          what, cn_axis_name(which), place->shown, steps, dt, STEPS_TO_A_SWING);
    }
}

// The largest slope of the force in a spring's table; 0: there is no table.
static double steepest(const CnScene* scene, const CnJointDef* joint) {
    int place = CN_SCENE_PLACE(joint->spring_table, scene->series.count);
    double slope = 0.0;
    if (place < 0) {
        return slope;
    }
    const CnSeriesDef* table = &scene->series.data[place];
    for (int i = 1; i < table->count; ++i) {
        slope = fmax(slope, fabs((table->values[i] - table->values[i - 1]) /
                                 (table->times[i] - table->times[i - 1])));
    }
    return slope;
}

static void check_axes(const JointPlace* place, const CnJointDef* def) {
    for (int i = 0; i < place->joint->axis_count; ++i) {
        const CnJointFreeAxis* free_axis = &place->joint->axes[i];
        const CnJointAxis* axis = &free_axis->settings;
        CnAxis which = free_axis->axis;
        double hertz = 2.0 * CN_PI * axis->spring_hertz;
        warn_axis_limits(place, which, axis);
        warn_motor(place, which, axis);
        double response =
            cn_joint_row_response(place->checker->world, place->joint, &free_axis->row);
        double spring = axis->spring_stiffness;
        if (response > 0.0) {
            spring += hertz * hertz / response;
        }
        spring += which == CN_AXIS_Z ? steepest(place->checker->scene, def) : 0.0;
        warn_stiff(place, which, "spring", spring, response);
        if (axis->motor == CN_MOTOR_POSITION) {
            warn_stiff(place, which, "motor", axis->stiffness, response);
        }
    }
}

void cn_scene_check_joints(const CnSceneChecker* checker) {
    for (int i = 0; i < checker->scene->joints.count; ++i) {
        const CnJointDef* def = &checker->scene->joints.data[i];
        CnJointState state;
        char path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE];
        snprintf(path, sizeof path, "joints[%d]", i);
        CnStatus status = cn_joint_read(checker->world, CN_SCENE_ID(CnJointId, i), &state);
        CN_ASSERT(status == CN_OK);
        (void)status;
        JointPlace place = {
            .checker = checker,
            .joint = joint_at(checker, i),
            .state = &state,
            .path = path,
            .shown = def->name != NULL ? cn_text_show(def->name, shown) : path,
            .line = cn_scene_line_of(checker, path),
        };
        warn_apart(&place);
        warn_limit(&place);
        check_axes(&place, def);
    }
}

// ---- series ----

static bool joint_uses(const CnJointDef* joint, uint32_t series) {
    bool used = joint->series.index == series || joint->spring_table.index == series;
    for (int i = 0; i < 3; ++i) {
        used = used || joint->series3[i].index == series;
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        used = used || joint->axes[i].series.index == series;
    }
    return used;
}

void cn_scene_check_series(const CnSceneChecker* checker) {
    const CnScene* scene = checker->scene;
    for (int i = 0; i < scene->series.count; ++i) {
        uint32_t id = (uint32_t)i + 1;
        bool used = scene->series.data[i].name == NULL; // no file holds it unless something does
        for (int k = 0; k < scene->forces.count && !used; ++k) {
            used = scene->forces.data[k].series.index == id;
        }
        for (int k = 0; k < scene->joints.count && !used; ++k) {
            used = joint_uses(&scene->joints.data[k], id);
        }
        if (!used) {
            char path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE];
            cn_text_show(scene->series.data[i].name, shown);
            snprintf(path, sizeof path, "series.%s", shown);
            cn_report_warning(checker->errors, cn_scene_line_of(checker, path), path,
                              "nothing uses the series \"%s\"", shown);
        }
    }
}
