// test_joint_forms.c - joints of trees in closed form: rows, twists, impulses, stops.
#include "world/trees/tree_store.h"

#include "math/simd.h"
#include "support/trees.h"

#include <math.h>
#include <string.h>

// The bodies of all links off their joints, by up to a few hundredths [m and rad].
static CnBodyState* shake(CnWorld* world) {
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    for (int i = 0; i < world->trees->link_count; ++i) {
        CnBodyState* state = &states[world->trees->links[i].body];
        CnVec3 turn = cn_vec3(0.02 * (i % 5), -0.01 * (i % 3), 0.015 * (i % 4));
        state->rotation = cn_quat_multiply(cn_quat_exp(turn), state->rotation);
        state->center = cn_vec3_add(state->center, cn_vec3(0.01 * (i % 2), 0.02, -0.01 * (i % 3)));
    }
    return states;
}

static void check_rows(const CnWorld* world, const CnTreeLink* link, const CnBodyState* states) {
    double rows[CN_MAX_ROWS][6];
    CnBoundConstraint bound;
    CnConstraintReading reading;
    CHECK(link->form != CN_FORM_OTHER);
    cn_world_bind_constraint(world, link->slot, states, world->time, &bound);
    cn_kind_read(bound.constraint->kind, bound.a, bound.b, world->time, bound.constraint->data,
                 CN_READ_VALUES | CN_READ_JACOBIANS, &reading);
    cn_tree_rows(link, rows);
    for (int k = 0; k < link->row_count; ++k) {
        const double* own = link->sign > 0.0 ? reading.jacobian_b[k] : reading.jacobian_a[k];
        CHECK_NEAR(link->value[k], reading.value[k], 1e-15);
        for (int j = 0; j < 6; ++j) {
            // Arms of A end at B's point in both; entries are of order one.
            CHECK_NEAR(rows[k][j], own[j], 1e-15);
        }
    }
}

// The rows that links hand out are those of the constraint, as its function table has them; a
// slider's twist counts on from its last value.
static void rows_are_those_of_the_constraint(void) {
    static const char* const scenes[] = {"@robot:3", "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        for (int k = 0; k < world->trees->link_count; ++k) {
            check_rows(world, &world->trees->links[k], NULL);
        }
        CnBodyState* states = shake(world);
        for (int k = 0; k < world->trees->link_count; ++k) {
            CnTreeLink* link = &world->trees->links[k];
            const CnUserConstraint* part = cn_pool_at(&world->constraints, link->slot);
            if (link->form == CN_FORM_SLIDER) {
                cn_joint_part_rows(part->data)[4].terms[0].near = 6.0;
            }
        }
        CHECK(cn_tree_read_joints(world, &world->trees->trees[0], states, world->time));
        for (int k = 0; k < world->trees->link_count; ++k) {
            const CnTreeLink* link = &world->trees->links[k];
            check_rows(world, link, states);
            CHECK(link->form != CN_FORM_SLIDER || fabs(link->value[4] - 6.0) < 1.0);
        }
        cn_world_destroy(world);
    }
}

// Joints of one form, read side by side, have the bits of each read alone, whichever body is the
// child; what leans or turns far is left to that.
static void check_lanes(const CnWorld* world, CnFrameForm form, const CnBodyState* states) {
    CnTreeLink found[6], all[CN_TREE_LANES];
    CnTreeReading readings[CN_TREE_LANES];
    const CnJointFrames* frames[CN_TREE_LANES];
    int count = 0;
    for (int i = 0; i < world->trees->link_count; ++i) {
        if (world->trees->links[i].form == form) {
            CHECK(count < 6);
            found[count++] = world->trees->links[i];
        }
    }
    CHECK_INT(count, 6);
    for (int i = 0; i < 2 * count * CN_TREE_LANES; ++i) {
        int size = 1 + i % CN_TREE_LANES;
        for (int k = 0; k < size; ++k) {
            const CnTreeLink* link = &found[(i / CN_TREE_LANES + k) % count];
            const CnUserConstraint* part = cn_pool_at(&world->constraints, link->slot);
            all[k] = *link;
            all[k].sign = i % 3 == 0 ? -1.0 : 1.0;
            frames[k] = &((const CnJointPart*)part->data)->frames;
            readings[k] = (CnTreeReading){.link = &all[k], .frames = &frames[k]->a};
        }
        for (int wide = 0; wide < 2; ++wide) {
            unsigned left = (wide ? CN_WIDEST(cn_tree_read) : &cn_tree_read_128)(size, readings, 0,
                                                                                 states, NULL);
            for (int k = 0; k < size; ++k) {
                CnTreeLink alone = all[k];
                size_t turns = form == CN_FORM_SLIDER ? sizeof(CnVec3[3]) : sizeof(CnVec3);
                cn_tree_read_link(&alone, frames[k], states);
                bool is_far = form == CN_FORM_SLIDER &&
                              fmax(fabs(alone.value[2]), fabs(alone.value[3])) > CN_SMALL_LEAN;
                CHECK(!is_far || (left >> k & 1u) != 0);
                if ((left >> k & 1u) != 0) {
                    CHECK(form == CN_FORM_SLIDER);
                    continue;
                }
                CHECK(memcmp(alone.axes, all[k].axes, sizeof alone.axes) == 0);
                CHECK(memcmp(alone.value, all[k].value,
                             (size_t)(form == CN_FORM_SLIDER ? 6 : 4) * sizeof(double)) == 0);
                CHECK(memcmp(&alone.arm, &all[k].arm, sizeof(CnVec3[2])) == 0); // and other_arm
                CHECK(memcmp(alone.turn, all[k].turn, turns) == 0);             // and axis
                CHECK(form == CN_FORM_SLIDER ||
                      (memcmp(&alone.axis, &all[k].axis, sizeof(CnVec3)) == 0 &&
                       memcmp(alone.dual, all[k].dual, sizeof(CnVec3)) == 0));
            }
        }
    }
}

// Of hinges their axes alone are asked for: these have the bits of cn_tree_axes() for what is read
// in full, and nothing goes to links unless balls are read with them.
static void check_axes_alone(const CnWorld* world, const CnBodyState* states, int first, int count,
                             bool wide) {
    CnTreeLink links[CN_TREE_LANES];
    CnTreeReading readings[CN_TREE_LANES] = {{0}};
    double axes[CN_TREE_LANES][6], closing[CN_TREE_LANES][6], worst = 0.0;
    bool are_hinges = true;
    for (int k = 0; k < count; ++k) {
        CnTreeLink* link = &links[k];
        *link = world->trees->links[(first + k) % world->trees->link_count];
        memset(link->axes, 0, sizeof link->axes);
        bool is_hinge = link->form == CN_FORM_HINGE;
        CHECK(cn_tree_is_point(link));
        readings[k] = (CnTreeReading){link, link->frames, closing[k], NULL, NULL};
        readings[k].axis = is_hinge ? axes[k] : NULL;
        are_hinges = are_hinges && is_hinge;
    }
    unsigned what = CN_TREE_READ_CLOSING | CN_TREE_READ_AXES | CN_TREE_READ_WORST;
    unsigned left =
        (wide ? CN_WIDEST(cn_tree_read) : &cn_tree_read_128)(count, readings, what, states, &worst);
    for (int k = 0; k < count; ++k) {
        double axis[CN_LINKAGE_AXES][6], wanted[CN_MAX_ROWS], twist[6];
        CnTreeLink alone = links[k];
        bool is_regular;
        CHECK(!are_hinges || cn_vec3_dot(links[k].axes[0], links[k].axes[0]) == 0.0);
        cn_tree_read_alone(world, &alone, states);
        cn_tree_axes(&alone, axis, &is_regular);
        for (int i = 0; i < alone.row_count; ++i) {
            wanted[i] = -alone.value[i];
        }
        cn_tree_twist(&alone, wanted, twist);
        bool is_left = (left >> k & 1u) != 0;
        CHECK(is_left || readings[k].axis == NULL || memcmp(axes[k], axis[0], sizeof *axis) == 0);
        CHECK(is_left || memcmp(closing[k], twist, sizeof twist) == 0);
        CHECK(is_left || worst >= fabs(alone.value[0]));
    }
}

static void hinges_are_read_for_their_axes_alone(void) {
    static const char* const scenes[] = {"@robot:3", "@net:8"}; // some of the balls on the world
    for (int s = 0; s < 2; ++s) {
        CnWorld* world = trees_open_moving(scenes[s]);
        const CnBodyState* states = shake(world);
        for (int i = 0; i < 4 * world->trees->link_count; ++i) {
            check_axes_alone(world, states, i, 1 + i % CN_TREE_LANES, i % 8 < 4);
        }
        cn_world_destroy(world);
    }
}

static void legs_are_read_alike_in_lanes(void) {
    CnWorld* world = trees_open_moving("@stewart");
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    for (int i = 0; i < 2; ++i) { // near, and off their joints
        check_lanes(world, CN_FORM_UNIVERSAL, states);
        check_lanes(world, CN_FORM_SLIDER, states);
        states = shake(world);
    }
    cn_world_destroy(world);
}

// Coordinate and rows of the axis of a slider, from what was read of it, to the bits of the drive's
// own functions.
static void drives_of_sliders_need_no_reading(void) {
    CnWorld* world = trees_open_moving("@stewart");
    CnBodyState* states = shake(world);
    int count = 0;
    CHECK(cn_tree_read_joints(world, &world->trees->trees[0], states, world->time));
    for (int i = 0; i < world->trees->drive_count; ++i) {
        const CnTreeDrive* drive = &world->trees->drives[i];
        CnTreeAxis axis = {.part_row = NULL};
        CnBoundConstraint bound;
        cn_world_bind_constraint(world, drive->slot, states, world->time, &bound);
        const CnJointPart* part = bound.constraint->data;
        const CnJointRow* row = cn_joint_part_rows(bound.constraint->data);
        CnJointView view = cn_joint_view(&part->frames, bound.a, bound.b);
        double row_a[6] = {0.0}, row_b[6] = {0.0};
        CHECK(drive->is_on_axis && world->trees->links[drive->link].form == CN_FORM_SLIDER);
        cn_joint_row_jacobian(row, &view, row_a, row_b);
        cn_tree_look_at_axis(world, drive, states, true, &axis);
        CHECK_NEAR(axis.coordinate, cn_joint_row_value(row, &view), 0.0);
        CHECK(memcmp(axis.row_a, row_a, sizeof row_a) == 0);
        CHECK(memcmp(axis.row_b, row_b, sizeof row_b) == 0);
        ++count;
    }
    CHECK_INT(count, 12); // motors and limits of six legs
    cn_world_destroy(world);
}

// J S = 0, J c = wanted and J^T p = wrench, entries of order one: round-off of sums of six, or of
// twelve where duals are those of three vectors.
static void check_closed_form(CnTreeLink* link, double tolerance) {
    double rows[CN_MAX_ROWS][6], axis[6][6], twist[6], wrench[6] = {0.0}, p[CN_MAX_ROWS];
    const double wanted[CN_MAX_ROWS] = {0.3, -0.7, 0.2, 0.9, -0.4, 0.0};
    bool is_regular;
    int axes = cn_tree_axes(link, axis, &is_regular);
    CHECK(is_regular);
    CHECK_INT(axes, 6 - link->row_count);
    cn_tree_rows(link, rows);
    cn_tree_twist(link, wanted, twist);
    for (int k = 0; k < link->row_count; ++k) {
        for (int a = 0; a < axes; ++a) {
            CHECK_NEAR(cn_dot6(rows[k], axis[a]), 0.0, tolerance);
        }
        CHECK_NEAR(cn_dot6(rows[k], twist), wanted[k], tolerance);
        for (int j = 0; j < 6; ++j) {
            wrench[j] += wanted[k] * rows[k][j];
        }
    }
    cn_tree_impulses(link, wrench, p);
    double rate[CN_MAX_ROWS];
    cn_tree_rates(link, twist, rate);
    for (int k = 0; k < link->row_count; ++k) {
        CHECK_NEAR(p[k], wanted[k], tolerance);
        CHECK_NEAR(rate[k], wanted[k], tolerance);
    }
}

// Of each joint with either of its bodies as the child.
static void closed_forms_solve_the_rows(void) {
    static const char* const scenes[] = {"@robot:3", "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        for (int k = 0; k < world->trees->link_count; ++k) {
            check_closed_form(&world->trees->links[k], i == 0 ? 1e-15 : 2e-15);
        }
        CnBodyState* states = shake(world);
        for (int k = 0; k < 2 * world->trees->link_count; ++k) {
            CnTreeLink link = world->trees->links[k / 2];
            const CnUserConstraint* part = cn_pool_at(&world->constraints, link.slot);
            link.sign = k % 2 == 0 ? 1.0 : -1.0;
            cn_tree_read_link(&link, &((const CnJointPart*)part->data)->frames, states);
            check_closed_form(&link, 2e-15);
        }
        cn_world_destroy(world);
    }
}

// The same with a stop that acts: about the axis, leaning from it, in closed form; and one that
// moves the point as well, which is left to an elimination.
static void check_stopped(CnTreeLink* link, double along, bool is_closed) {
    const double wanted[CN_MAX_ROWS] = {0.3, -0.7, 0.2, 0.9, -0.4, 0.6};
    CnVec3 turn = cn_vec3_add_scaled(link->axis, 0.1, link->turn[0]);
    const double stop[1][6] = {{along, 0.0, 0.0, turn.x, turn.y, turn.z}};
    double rows[CN_MAX_ROWS][6], axis[6][6], twist[6], wrench[6] = {0.0}, p[CN_MAX_ROWS];
    bool is_regular;
    CHECK_INT(cn_tree_hold(link, 1, stop, axis, &is_regular), 0);
    CHECK(is_regular && link->rows->is_stopped == is_closed);
    cn_tree_rows(link, rows);
    memcpy(rows[5], stop[0], sizeof rows[5]);
    cn_tree_twist(link, wanted, twist);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(cn_dot6(rows[k], twist), wanted[k], 1e-14);
        for (int j = 0; j < 6; ++j) {
            wrench[j] += wanted[k] * rows[k][j];
        }
    }
    cn_tree_impulses(link, wrench, p);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(p[k], wanted[k], 1e-14);
    }
}

static void hinges_are_stopped_in_closed_form(void) {
    CnWorld* world = trees_open_moving("@robot:3");
    int hinges = 0;
    for (int i = 0; i < world->trees->link_count; ++i) {
        CnTreeLink* link = &world->trees->links[i];
        if (link->form == CN_FORM_HINGE) {
            check_stopped(link, 0.0, true);
            check_stopped(link, 0.2, false);
            ++hinges;
        }
    }
    CHECK(hinges > 0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/trees/joint_forms", TEST(rows_are_those_of_the_constraint),
          TEST(legs_are_read_alike_in_lanes), TEST(hinges_are_read_for_their_axes_alone),
          TEST(closed_forms_solve_the_rows), TEST(drives_of_sliders_need_no_reading),
          TEST(hinges_are_stopped_in_closed_form))
