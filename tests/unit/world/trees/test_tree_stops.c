// test_tree_stops.c - stops of trees have no rows until they are met.
#include "support/run.h"
#include "world/trees/tree_store.h"

#include <string.h>

#define DT 1e-3

// Warm start as without a policy; but the steps of each row are counted then, so that all stops
// have rows in every step.
static double same_factor(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    (void)world, (void)data;
    return row->factor;
}

static CnWorld* open_with_all_stops(const char* scene) {
    CnWorld* world = run_open(scene);
    world->def.warm_start_hook.policy = same_factor;
    return world;
}

static void step(CnWorld* world) {
    CnStepReport report;
    CHECK_INT(cn_world_step(world, DT, &report, NULL), CN_OK);
    CHECK_INT(report.not_converged, 0);
}

// A row that gives nothing moves nothing: the states are those of steps in which all stops have
// rows, to the bit, while stops come into reach, act and are left again.
static void stops_out_of_reach_change_no_bit(void) {
    CnWorld *world = run_open("@robot"), *all = open_with_all_stops("@robot");
    int most = 0, fewest = 30;
    for (int i = 0; i < 600; ++i) { // from step 300 on some are met
        step(world);
        step(all);
        CHECK(cn_world_hash(world) == cn_world_hash(all));
        CHECK_INT(all->trees->left_out_count, 0);
        int left_out = world->trees->left_out_count;
        most = left_out > most ? left_out : most;
        fewest = left_out < fewest ? left_out : fewest;
    }
    CHECK_INT(most, 30);
    CHECK(fewest < 20);
    cn_world_destroy(world);
    cn_world_destroy(all);
}

static void kick(CnWorld* world) {
    CnBodyId tip = cn_world_find_body(world, "limb 0 part 5");
    CHECK_INT(cn_body_apply_angular_impulse(world, tip, cn_vec3(10.0, 10.0, 10.0), NULL), CN_OK);
}

// The last part of a limb has 4e-3 kg m^2 about its joint: an impulse of 10 N m s would take it by
// 2 rad in a step of 1 ms, beyond the stops at 0.5 rad. It is found after the solve, and the step
// is solved again with all stops.
static void a_stop_that_is_met_from_afar_acts_in_the_same_step(void) {
    CnWorld *world = run_open("@robot"), *all = open_with_all_stops("@robot");
    for (int i = 0; i < 40; ++i) {
        if (i == 20) {
            kick(world);
            kick(all);
        }
        step(world);
        step(all);
        CHECK(world->trees->poses_all == (i == 20));
        CHECK(cn_world_hash(world) == cn_world_hash(all));
        if (world->trees->poses_all) {
            CHECK_INT(world->trees->left_out_count, 0);
        }
    }
    cn_world_destroy(world);
    cn_world_destroy(all);
}

static void fill(CnRows* rows, double with) {
    for (int i = 0; i < rows->row_capacity; ++i) {
        for (int k = 0; k < 6; ++k) {
            rows->jacobian_a[i][k] = rows->jacobian_b[i][k] = with;
        }
    }
}

// Rows of hinges and of what drives them have no Jacobians until somebody asks: what is in their
// memory changes nothing, also where motors reach their limits and stops let go.
static void jacobians_that_are_not_written_are_not_read(void) {
    CnWorld *world = run_open("@robot"), *other = run_open("@robot");
    for (int i = 0; i < 600; ++i) {
        fill(&world->step.rows, 0.0);
        fill(&world->spare_step.rows, 0.0);
        fill(&other->step.rows, 1e3);
        fill(&other->spare_step.rows, 1e3);
        step(world);
        step(other);
        CHECK(cn_world_hash(world) == cn_world_hash(other));
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
}

TEST_MAIN("unit/world/trees/tree_stops", TEST(stops_out_of_reach_change_no_bit),
          TEST(a_stop_that_is_met_from_afar_acts_in_the_same_step),
          TEST(jacobians_that_are_not_written_are_not_read))
