// test_joint_kinds.c - the rows of every joint against finite differences, and both ways round.
#include "cairn/random.h"
#include "constraints/joints/joint_types.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

static CnVec3 random_direction(CnRandom* random) {
    CnVec3 v = random_within(random, 1.0);
    return cn_vec3_length(v) > 0.1 ? cn_vec3_normalize(v) : cn_vec3(0.0, 1.0, 0.0);
}

static CnBodyState random_state(CnRandom* random) {
    CnBodyState state;
    state.center = random_within(random, 2.0);
    state.rotation = cn_quat_exp(random_within(random, 2.0));
    state.velocity = random_within(random, 1.0);
    state.angular_velocity = random_within(random, 1.0);
    return state;
}

// A state some way off, but not so far that a lean comes near half a turn.
static CnBodyState moved(CnRandom* random, const CnBodyState* state) {
    CnBodyState next = *state;
    next.center = cn_vec3_add(state->center, random_within(random, 0.3));
    next.rotation = cn_quat_multiply(cn_quat_exp(random_within(random, 0.4)), state->rotation);
    next.velocity = random_within(random, 1.0);
    next.angular_velocity = random_within(random, 1.0);
    return next;
}

static CnJointDef random_def(CnRandom* random, CnJointType type) {
    CnJointDef def = cn_joint_def_default(type);
    def.body_a.index = def.body_b.index = 1; // two bodies; plans do not look further
    def.point_a = random_within(random, 2.0);
    def.point_b = random_within(random, 2.0);
    def.two_points = true;
    def.axis = random_direction(random);
    CnVec3 other = random_direction(random);
    def.axis_b = cn_vec3_normalize(cn_vec3_cross(def.axis, other));
    def.anchor_a = random_within(random, 2.0);
    def.anchor_b = random_within(random, 2.0);
    def.ratio = cn_random_between(random, 0.5, 2.0);
    def.pitch = cn_random_between(random, 0.5, 2.0);
    def.swing_limit = 0.7;
    def.swing_limit_y = 0.4;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        def.axes[i].motion = i % 2 == 0 ? CN_AXIS_LOCKED : CN_AXIS_FREE;
    }
    return def;
}

static double worst_of(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                       const void* data) {
    CnConstraintCheck check;
    CnError error = {0};
    CnStatus status = cn_constraint_check(kind, a, b, 0.3, data, &check, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return fmax(check.jacobian_error, fmax(check.time_rate_error, check.force_error));
}

static double worst_of_axis(const CnJointPlan* plan, const CnJointRow* row, const CnBodyState* a,
                            const CnBodyState* b) {
    CnAxisPart part = {
        .part = {.frames = plan->frames, .row_count = 1},
        .row = *row,
        .axis = {.lower = -9.0,
                 .upper = 0.1,
                 .motor = CN_MOTOR_POSITION,
                 .target = 0.2,
                 .stiffness = 3.0,
                 .spring_stiffness = 2.0,
                 .spring_damping = 0.5},
    };
    double worst = 0.0;
    for (int i = 0; i < CN_AXIS_PART_COUNT; ++i) {
        worst = fmax(worst, worst_of(cn_axis_part_kind((CnAxisPartType)i), a, b, &part));
    }
    return worst;
}

static double check_plan(const CnJointPlan* plan, const CnBodyState* a, const CnBodyState* b) {
    int count = plan->lengths + plan->angles;
    CnKeptPart kept = {.part = {.frames = plan->frames, .row_count = count}};
    double worst = 0.0;
    memcpy(kept.rows, plan->kept, sizeof kept.rows);
    if (count > 0) {
        worst = worst_of(cn_joint_keep_kind(plan->lengths, plan->angles), a, b, &kept);
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        if (plan->free[i]) {
            worst = fmax(worst, worst_of_axis(plan, &plan->axes[i], a, b));
        }
    }
    if (plan->has_limit) {
        worst = fmax(worst, worst_of_axis(plan, &plan->limit_row, a, b));
    }
    return worst;
}

// Differences of fourth order are good to 1e-10 for lengths of metres; angles within a radian of
// their singular places lose two digits.
static void every_row_is_the_derivative_of_its_measure(void) {
    CnRandom random = {7};
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        double worst = 0.0;
        for (int i = 0; i < 100; ++i) {
            CnBodyState a = random_state(&random);
            CnBodyState b = random_state(&random);
            CnJointDef def = random_def(&random, (CnJointType)type);
            if (type == CN_JOINT_GEAR || type == CN_JOINT_RACK_AND_PINION) {
                def.two_points = i % 3 > 0; // seen from the world, or from what carries them
                def.axis_b = type == CN_JOINT_GEAR && i % 3 == 2 ? def.axis : def.axis_b;
            }
            CnJointPlan plan = cn_joint_plan(&def, &a, &b);
            CnBodyState later_a = moved(&random, &a);
            CnBodyState later_b = moved(&random, &b);
            const CnBodyState* first = plan.swapped ? &later_b : &later_a;
            const CnBodyState* second = plan.swapped ? &later_a : &later_b;
            worst = fmax(worst, check_plan(&plan, first, second));
        }
        ck_assert_msg(worst < 1e-8, "%s: %g", cn_joint_type_name((CnJointType)type), worst);
    }
}

// A rigid motion of both bodies together changes no measure, and what a row gives to one body it
// takes from the other: forces cancel, and so do moments about the origin. Measures that are
// grounded hold on to something outside.
static double imbalance(const CnJointRow* row, const CnJointView* view) {
    double worst = 0.0;
    for (int i = 0; i < row->term_count; ++i) {
        const CnMeasure* measure = row->terms[i].measure;
        double ra[6] = {0.0}, rb[6] = {0.0};
        if (measure->is_grounded) {
            continue;
        }
        measure->add_row(measure, view, 1.0, ra, rb);
        CnVec3 fa = cn_vec3(ra[0], ra[1], ra[2]), fb = cn_vec3(rb[0], rb[1], rb[2]);
        CnVec3 ma = cn_vec3_add(cn_vec3(ra[3], ra[4], ra[5]), cn_vec3_cross(view->center_a, fa));
        CnVec3 mb = cn_vec3_add(cn_vec3(rb[3], rb[4], rb[5]), cn_vec3_cross(view->center_b, fb));
        worst = fmax(worst, cn_vec3_length(cn_vec3_add(fa, fb)));
        worst = fmax(worst, cn_vec3_length(cn_vec3_add(ma, mb)) / fmax(cn_vec3_length(fa), 1.0));
    }
    return worst;
}

static double plan_imbalance(const CnJointPlan* plan, const CnJointView* view) {
    double worst = plan->has_limit ? imbalance(&plan->limit_row, view) : 0.0;
    for (int i = 0; i < plan->lengths + plan->angles; ++i) {
        worst = fmax(worst, imbalance(&plan->kept[i], view));
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        worst = plan->free[i] ? fmax(worst, imbalance(&plan->axes[i], view)) : worst;
    }
    return worst;
}

static void rows_act_and_react_equally(void) {
    CnRandom random = {11};
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
        CnBodyState a = random_state(&random);
        CnBodyState b = random_state(&random);
        for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
            CnJointDef def = random_def(&random, (CnJointType)type);
            CnJointPlan plan = cn_joint_plan(&def, &a, &b);
            CnBodyState later_a = moved(&random, &a);
            CnBodyState later_b = moved(&random, &b);
            CnJointView view = cn_joint_view(&plan.frames, plan.swapped ? &later_b : &later_a,
                                             plan.swapped ? &later_a : &later_b);
            worst = fmax(worst, plan_imbalance(&plan, &view));
        }
    }
    CHECK(worst < 1e-13); // sums of products of numbers up to 4
}

// The table is whole, and says what the defaults of a def are.
static void every_type_has_a_line_in_the_table(void) {
    for (int type = 0; type < CN_JOINT_TYPE_COUNT; ++type) {
        const CnJointTypeInfo* info = cn_joint_type_info((CnJointType)type);
        CHECK(info->name != NULL && (info->plan != NULL) == (type != CN_JOINT_MIMIC));
        CHECK_INT(info->needs & ~info->uses, 0);
        CnJointDef def = cn_joint_def_default((CnJointType)type);
        CHECK_INT(def.two_points, (info->needs & CN_USES_POINT_B) != 0);
    }
    CHECK(cn_joint_type_info(CN_JOINT_TYPE_COUNT) == NULL);
    CHECK(cn_joint_type_info((CnJointType)-1) == NULL);
}

static void angles_count_on(void) {
    CnBodyState a = {.rotation = {.w = 1.0}}, b = {.rotation = {.w = 1.0}};
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    CnJointPlan plan = cn_joint_plan(&def, &a, &b);
    double angle = 0.0;
    for (int i = 1; i <= 1000; ++i) {
        b.rotation = cn_quat_exp(cn_vec3(0.0, 0.0, 0.1 * i));
        CnJointView view = cn_joint_view(&plan.frames, &a, &b);
        angle = cn_measure_value(&cn_measure_twist, &view, angle);
    }
    CHECK_NEAR(angle, 100.0, 1e-12);
}

// An angle is the one nearest to where it was, up to half a turn away: by the sum that adds turns.
static void angles_are_those_nearest_to_the_last(void) {
    const double turn = 6.283185307179586;
    for (int i = -31; i <= 31; ++i) {
        for (int turns = -10; turns <= 10; ++turns) {
            double value = 0.1 * i, whole = value + turn * turns;
            for (int k = -31; k <= 31; ++k) {
                double near = whole + 0.1 * k;
                CHECK(cn_measure_count(&cn_measure_twist, value, near) == whole);
                CHECK(cn_measure_count(&cn_measure_along, value, near) == value);
            }
        }
    }
}

TEST_MAIN("constraints/joint_kinds", TEST(angles_are_those_nearest_to_the_last),
          TEST(every_row_is_the_derivative_of_its_measure), TEST(rows_act_and_react_equally),
          TEST(every_type_has_a_line_in_the_table), TEST(angles_count_on))
