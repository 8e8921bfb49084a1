// joint_plan.c - what each type of joint is made of: frames, rows kept at zero, axes left free.
#include "constraints/joints/joint_plan.h"

#define TWO_PI 6.283185307179586

// A row of one measure, counting from zero.
static CnJointRow row_of(CnMeasure measure) {
    return (CnJointRow){.terms = {{measure, 1.0, 0.0}}, .term_count = 1};
}

// Makes a row zero at the view.
static void shift_row(CnJointRow* row, const CnJointView* view, double time) {
    row->shift += cn_joint_row_value(row, view, time);
}

// The rotation whose columns are x, z x x and z, from two unit vectors that are square.
static CnQuat rotation_from_axes(CnVec3 x, CnVec3 z) {
    CnVec3 y = cn_vec3_cross(z, x);
    double trace = x.x + y.y + z.z;
    if (trace > 0.0) {
        return cn_quat_normalize(cn_quat(1.0 + trace, y.z - z.y, z.x - x.z, x.y - y.x));
    }
    if (x.x >= y.y && x.x >= z.z) {
        return cn_quat_normalize(cn_quat(y.z - z.y, 1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z));
    }
    if (y.y >= z.z) {
        return cn_quat_normalize(cn_quat(z.x - x.z, x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y));
    }
    return cn_quat_normalize(cn_quat(x.y - y.x, z.x + x.z, y.z + z.y, 1.0 - x.x - y.y + z.z));
}

// z along the axis; x as near to `towards` as can be, or anywhere when that is zero or along z.
static CnQuat rotation_along(CnVec3 z, CnVec3 towards) {
    CnVec3 x = cn_vec3_add_scaled(towards, -cn_vec3_dot(towards, z), z), y;
    if (!(cn_vec3_length(x) > 0.0)) {
        cn_tangent_basis(z, &x, &y);
    }
    return rotation_from_axes(cn_vec3_normalize(x), z);
}

static CnTransform on_body(const CnBodyState* body, CnVec3 point, CnQuat rotation) {
    return (CnTransform){
        cn_quat_unrotate(body->rotation, cn_vec3_sub(point, body->center)),
        cn_quat_multiply(cn_quat_conjugate(body->rotation), rotation),
    };
}

typedef struct Draft {
    const CnJointDef* def;
    const CnBodyState *a, *b; // of the frames
    CnVec3 point_a, point_b;
    CnJointPlan* plan;
} Draft;

static void set_frames(Draft* draft, CnQuat rotation_a, CnQuat rotation_b) {
    CnJointFrames* frames = &draft->plan->frames;
    frames->a = on_body(draft->a, draft->point_a, rotation_a);
    frames->b = on_body(draft->b, draft->point_b, rotation_b);
    frames->home_a = (CnTransform){draft->point_a, rotation_a};
    frames->home_b = (CnTransform){draft->point_b, rotation_b};
}

static void set_common_frame(Draft* draft) {
    CnQuat rotation = rotation_along(draft->def->axis, draft->def->axis_b);
    set_frames(draft, rotation, rotation);
}

static void swap(Draft* draft) {
    const CnBodyState* body = draft->a;
    CnVec3 point = draft->point_a;
    draft->a = draft->b;
    draft->b = body;
    draft->point_a = draft->point_b;
    draft->point_b = point;
    draft->plan->swapped = true;
}

static CnJointView view_of(const Draft* draft) {
    return cn_joint_view(&draft->plan->frames, draft->a, draft->b);
}

static void keep(Draft* draft, CnJointRow row) {
    CnJointPlan* plan = draft->plan;
    int place = plan->lengths + plan->angles;
    if (!cn_measure_is_angle(row.terms[0].measure)) { // before the angles
        for (; place > plan->lengths; --place) {
            plan->kept[place] = plan->kept[place - 1];
        }
        plan->lengths += 1;
    } else {
        plan->angles += 1;
    }
    plan->kept[place] = row;
}

static void keep_as_it_is(Draft* draft, CnJointRow row) {
    CnJointView view = view_of(draft);
    for (int i = 0; i < row.term_count; ++i) { // angles count on from here
        row.terms[i].near = cn_measure_value(row.terms[i].measure, &view, 0.0);
    }
    shift_row(&row, &view, 0.0);
    keep(draft, row);
}

static void leave_free(Draft* draft, CnAxis axis, CnMeasure measure) {
    draft->plan->free[axis] = true;
    draft->plan->axes[axis] = row_of(measure);
}

#define POINT (1u << CN_AXIS_X | 1u << CN_AXIS_Y | 1u << CN_AXIS_Z)
#define LEANS (1u << CN_AXIS_TURN_X | 1u << CN_AXIS_TURN_Y)
#define TURNS (LEANS | 1u << CN_AXIS_TURN_Z)

// The measure of each coordinate of B's frame in A's.
static const CnMeasure coordinates[CN_AXIS_COUNT] = {
    [CN_AXIS_X] = CN_MEASURE_X,
    [CN_AXIS_Y] = CN_MEASURE_Y,
    [CN_AXIS_Z] = CN_MEASURE_Z,
    [CN_AXIS_TURN_X] = CN_MEASURE_SWING_X,
    [CN_AXIS_TURN_Y] = CN_MEASURE_SWING_Y,
    [CN_AXIS_TURN_Z] = CN_MEASURE_TWIST,
};

// Where x or y is the only free turn it is the axis that twists, so that it counts on as that about
// z does: docs/theory/joints.md (16).
static CnMeasure coordinate(CnAxis axis, unsigned locked) {
    static const CnMeasure about_x[3] = {CN_MEASURE_TWIST_X, CN_MEASURE_LEAN_X_Y,
                                         CN_MEASURE_LEAN_X_Z};
    static const CnMeasure about_y[3] = {CN_MEASURE_LEAN_Y_X, CN_MEASURE_TWIST_Y,
                                         CN_MEASURE_LEAN_Y_Z};
    unsigned free_turns = TURNS & ~locked;
    if (axis >= CN_AXIS_TURN_X && free_turns == 1u << CN_AXIS_TURN_X) {
        return about_x[axis - CN_AXIS_TURN_X];
    }
    if (axis >= CN_AXIS_TURN_X && free_turns == 1u << CN_AXIS_TURN_Y) {
        return about_y[axis - CN_AXIS_TURN_X];
    }
    return coordinates[axis];
}

static void plan_axes(Draft* draft, unsigned locked) {
    set_common_frame(draft);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        CnMeasure measure = coordinate((CnAxis)i, locked);
        if ((locked >> i & 1u) != 0) {
            keep(draft, row_of(measure));
        } else {
            leave_free(draft, (CnAxis)i, measure);
        }
    }
}

static void plan_ball(Draft* draft) {
    CnJointPlan* plan = draft->plan;
    plan_axes(draft, POINT);
    double limit = draft->def->swing_limit, limit_y = draft->def->swing_limit_y;
    if (limit > 0.0) {
        plan->has_limit = true;
        plan->limit_row = row_of(CN_MEASURE_CONE);
        plan->limit = limit;
        plan->frames.cone_stretch = limit_y > 0.0 ? limit / limit_y : 1.0;
    }
}

static void plan_hinge(Draft* draft) {
    plan_axes(draft, POINT | LEANS);
}

static void plan_slider(Draft* draft) {
    plan_axes(draft, 1u << CN_AXIS_X | 1u << CN_AXIS_Y | TURNS);
}

static void plan_cylindrical(Draft* draft) {
    plan_axes(draft, 1u << CN_AXIS_X | 1u << CN_AXIS_Y | LEANS);
}

static void plan_planar(Draft* draft) {
    plan_axes(draft, 1u << CN_AXIS_Z | LEANS);
}

static void plan_weld(Draft* draft) {
    plan_axes(draft, POINT | TURNS);
}

static unsigned locked_axes(const CnJointDef* def) {
    unsigned locked = 0;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        locked |= def->axes[i].motion == CN_AXIS_LOCKED ? 1u << i : 0u;
    }
    return locked;
}

static void plan_six_axis(Draft* draft) {
    plan_axes(draft, locked_axes(draft->def));
}

bool cn_joint_leans(const CnJointDef* def, CnAxis axis) {
    unsigned locked = def->type == CN_JOINT_SIX_AXIS ? locked_axes(def) : 0u;
    return (def->type == CN_JOINT_BALL || def->type == CN_JOINT_SIX_AXIS) &&
           (locked >> axis & 1u) == 0 && cn_measure_is_lean(coordinate(axis, locked));
}

// z of A is the one axis of the cross, x of B the other.
static void plan_universal(Draft* draft) {
    const CnJointDef* def = draft->def;
    CnVec3 z = cn_vec3_add_scaled(def->axis, -cn_vec3_dot(def->axis, def->axis_b), def->axis_b);
    set_frames(draft, rotation_along(def->axis, def->axis_b),
               rotation_from_axes(def->axis_b, cn_vec3_normalize(z)));
    for (int i = 0; i < 3; ++i) {
        keep(draft, row_of(coordinates[i]));
    }
    keep(draft, row_of(CN_MEASURE_SQUARE));
    leave_free(draft, CN_AXIS_TURN_Z, CN_MEASURE_CARDAN_Z);
    leave_free(draft, CN_AXIS_TURN_X, CN_MEASURE_CARDAN_X);
}

static void plan_screw(Draft* draft) {
    CnJointRow thread = row_of(CN_MEASURE_Z);
    plan_cylindrical(draft);
    draft->plan->free[CN_AXIS_Z] = false;
    thread.terms[1] = (CnJointTerm){CN_MEASURE_TWIST, -draft->def->pitch / TWO_PI, 0.0};
    thread.term_count = 2;
    keep_as_it_is(draft, thread);
}

static double length_now(const Draft* draft) {
    return cn_vec3_length(cn_vec3_sub(draft->point_b, draft->point_a));
}

static double wanted_length(const Draft* draft) {
    return draft->def->length > 0.0 ? draft->def->length : length_now(draft);
}

// Kept, unless limits, a motor or a spring say what the length may be.
static void plan_distance(Draft* draft) {
    const CnJointAxis* axis = &draft->def->axes[CN_AXIS_Z];
    CnJointRow row = row_of(CN_MEASURE_LENGTH);
    set_common_frame(draft);
    row.shift = wanted_length(draft);
    if (axis->limited || axis->motor != CN_MOTOR_NONE || axis->spring_stiffness > 0.0 ||
        axis->spring_hertz > 0.0) {
        leave_free(draft, CN_AXIS_Z, CN_MEASURE_LENGTH);
    } else {
        keep(draft, row);
    }
}

static void plan_rope(Draft* draft) {
    set_common_frame(draft);
    draft->plan->has_limit = true;
    draft->plan->limit_row = row_of(CN_MEASURE_LENGTH);
    draft->plan->limit = wanted_length(draft);
}

static void keep_sum(Draft* draft, CnMeasure first, CnMeasure second, double factor) {
    CnJointRow row = row_of(first);
    row.terms[1] = (CnJointTerm){second, factor, 0.0};
    row.term_count = 2;
    keep_as_it_is(draft, row);
}

// Wheels with a point each turn from the line between their axes, which whatever carries both
// carries too: from point to point when the axes are parallel, else from axis to axis.
// docs/theory/joints.md (13).
static void keep_carried_gear(Draft* draft) {
    CnVec3 square = cn_vec3_cross(draft->def->axis, draft->def->axis_b);
    bool parallel = cn_vec3_length(square) <= CN_PARALLEL;
    keep_sum(draft, parallel ? CN_MEASURE_POINT_A : CN_MEASURE_AXIS_A,
             parallel ? CN_MEASURE_POINT_B : CN_MEASURE_AXIS_B, draft->def->ratio);
}

static void set_own_frames(Draft* draft) {
    CnVec3 any = {0.0, 0.0, 0.0};
    set_frames(draft, rotation_along(draft->def->axis, any),
               rotation_along(draft->def->axis_b, any));
}

static void plan_gear(Draft* draft) {
    set_own_frames(draft);
    if (draft->def->two_points) {
        keep_carried_gear(draft);
    } else {
        keep_sum(draft, CN_MEASURE_TURN_A, CN_MEASURE_TURN_B, draft->def->ratio);
    }
}

static void plan_rack_and_pinion(Draft* draft) {
    set_own_frames(draft);
    if (draft->def->two_points) { // from the direction of the rack, docs/theory/joints.md (14)
        keep_sum(draft, CN_MEASURE_ALONG_B, CN_MEASURE_AXIS_A, draft->def->ratio);
    } else {
        keep_sum(draft, CN_MEASURE_MOVE_B, CN_MEASURE_TURN_A, -draft->def->ratio);
    }
}

static void plan_pulley(Draft* draft) {
    const CnJointDef* def = draft->def;
    CnJointFrames* frames = &draft->plan->frames;
    set_common_frame(draft);
    frames->home_a.position = def->anchor_a;
    frames->home_b.position = def->anchor_b;
    keep_sum(draft, CN_MEASURE_REACH_A, CN_MEASURE_REACH_B, def->ratio);
    if (def->length > 0.0) {
        draft->plan->kept[0].shift = def->length;
    }
}

static void plan_rigid_link(Draft* draft) {
    if (length_now(draft) > 0.0) {
        CnJointRow row = row_of(CN_MEASURE_LENGTH);
        set_common_frame(draft);
        row.shift = length_now(draft);
        keep(draft, row);
    } else {
        plan_axes(draft, POINT);
        for (int i = 0; i < CN_AXIS_COUNT; ++i) {
            draft->plan->free[i] = false;
        }
    }
}

static void plan_spring(Draft* draft) {
    static const CnMeasure along[] = {
        [CN_DIRECTION_FOLLOW] = CN_MEASURE_LENGTH,
        [CN_DIRECTION_FIXED] = CN_MEASURE_ALONG,
        [CN_DIRECTION_CARRIED_A] = CN_MEASURE_Z,
        [CN_DIRECTION_CARRIED_B] = CN_MEASURE_ALONG_B,
    };
    set_common_frame(draft);
    leave_free(draft, CN_AXIS_Z, along[draft->def->direction]);
    CnJointView view = view_of(draft);
    shift_row(&draft->plan->axes[CN_AXIS_Z], &view, 0.0); // the stroke is 0 now
}

// A point of the def's A seen from the frame that carries the direction: the world, A or B.
static void plan_directions(Draft* draft, int first, int last) {
    const CnJointDef* def = draft->def;
    bool absolute = def->body_b.index == 0 || def->body_a.index == 0;
    bool carried_by_a = !absolute && def->direction != CN_DIRECTION_CARRIED_B;
    if (!carried_by_a && def->body_a.index != 0) {
        swap(draft); // the point that moves is B's
    }
    set_common_frame(draft);
    for (int i = first; i <= last; ++i) {
        bool fixed = !absolute && def->direction == CN_DIRECTION_FIXED && first == last;
        CnJointRow row = row_of(fixed ? CN_MEASURE_ALONG : coordinates[i]);
        row.terms[0].factor = carried_by_a ? -1.0 : 1.0;
        keep_as_it_is(draft, row);
    }
}

static void plan_fix_point(Draft* draft) {
    plan_directions(draft, CN_AXIS_X, CN_AXIS_Z);
}

static void plan_fix_direction(Draft* draft) {
    plan_directions(draft, CN_AXIS_Z, CN_AXIS_Z);
}

static void plan_prescribed(Draft* draft) {
    bool all = draft->def->series3[0].index != 0;
    plan_directions(draft, all ? CN_AXIS_X : CN_AXIS_Z, CN_AXIS_Z);
}

typedef void PlanFunction(Draft* draft);

static PlanFunction* const plans[CN_JOINT_TYPE_COUNT] = {
    [CN_JOINT_BALL] = plan_ball,
    [CN_JOINT_HINGE] = plan_hinge,
    [CN_JOINT_SLIDER] = plan_slider,
    [CN_JOINT_CYLINDRICAL] = plan_cylindrical,
    [CN_JOINT_UNIVERSAL] = plan_universal,
    [CN_JOINT_PLANAR] = plan_planar,
    [CN_JOINT_WELD] = plan_weld,
    [CN_JOINT_SIX_AXIS] = plan_six_axis,
    [CN_JOINT_DISTANCE] = plan_distance,
    [CN_JOINT_ROPE] = plan_rope,
    [CN_JOINT_SCREW] = plan_screw,
    [CN_JOINT_GEAR] = plan_gear,
    [CN_JOINT_RACK_AND_PINION] = plan_rack_and_pinion,
    [CN_JOINT_PULLEY] = plan_pulley,
    [CN_JOINT_FIX_POINT] = plan_fix_point,
    [CN_JOINT_FIX_DIRECTION] = plan_fix_direction,
    [CN_JOINT_SET_DISPLACEMENT] = plan_prescribed,
    [CN_JOINT_SET_VELOCITY] = plan_prescribed,
    [CN_JOINT_SET_ACCELERATION] = plan_prescribed,
    [CN_JOINT_RIGID_LINK] = plan_rigid_link,
    [CN_JOINT_SPRING] = plan_spring,
};

CnJointPlan cn_joint_plan(const CnJointDef* def, const CnBodyState* a, const CnBodyState* b) {
    CnJointPlan plan = {0};
    Draft draft = {
        .def = def,
        .a = a,
        .b = b,
        .point_a = def->point_a,
        .point_b = def->two_points ? def->point_b : def->point_a,
        .plan = &plan,
    };
    plans[def->type](&draft);
    return plan;
}
