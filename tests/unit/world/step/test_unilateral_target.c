// test_unilateral_target.c - the rate that contacts and limits ask for, case by case.
//
// Numbers are powers of two, so that every expected value is exact.
#include "support/run.h"
#include "world/step/unilateral_target.h"

static const CnBodyState some_state = {.rotation = {.w = 1.0}};

static CnStepDef step_of(CnStabilisation stabilisation) {
    CnStepDef step = cn_world_def_default().step;
    step.stabilisation = stabilisation;
    step.restitution_threshold = 0.25;
    step.slop = 0.0625;
    step.error_reduction = 0.5;
    step.max_correction = 0.125;
    return step;
}

static CnUnilateralTarget ask(CnPosing posing, CnUnilateralRow row) {
    CnStepDef step = step_of(CN_STABILISATION_BAUMGARTE);
    posing.dt = 0.5;
    return cn_unilateral_target(&step, &posing, &row);
}

static void an_open_gap_may_close_and_no_more(void) {
    CnUnilateralTarget target = ask((CnPosing){0}, (CnUnilateralRow){.gap = 1.0, .approach = -3.0});
    CHECK_NEAR(target.rate, -2.0, 0.0); // -gap / h
    CHECK(!target.bounces && !target.waits);
}

static void an_open_gap_that_would_bounce_waits(void) {
    CnUnilateralRow row = {.gap = 1.0, .approach = -3.0, .restitution = 0.5};
    CHECK(ask((CnPosing){0}, row).waits);
    row.approach = -0.25; // not faster than the threshold
    CHECK(!ask((CnPosing){0}, row).waits);
}

static void a_closed_gap_returns_its_share_of_the_speed(void) {
    CnUnilateralRow row = {.gap = 0.0, .approach = -3.0, .restitution = 0.5};
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 1.5, 0.0);
    row.approach = -0.25;
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 0.0, 0.0);
}

// 0.5 (depth - slop) / h, up to max_correction / h; with a bounce the larger of the two.
static void baumgarte_pushes_out_what_is_deeper_than_the_slop(void) {
    CnUnilateralRow row = {.gap = -0.125};
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 0.5 * 0.0625 / 0.5, 0.0);
    row.gap = -8.0;
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 0.125 / 0.5, 0.0);
    row.approach = -4.0;
    row.restitution = 0.5;
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 2.0, 0.0);
    row.gap = -0.0625;
    row.restitution = 0.0;
    CHECK_NEAR(ask((CnPosing){0}, row).rate, 0.0, 0.0);
}

static void position_level_asks_the_whole_gap_back(void) {
    CnUnilateralRow row = {.gap = -1.0, .approach = -3.0, .restitution = 0.5};
    CnUnilateralTarget target = ask((CnPosing){.position_level = true}, row);
    CHECK_NEAR(target.rate, 2.0, 0.0);
    CHECK(!target.bounces);
}

static void an_impact_returns_speed_and_corrects_nothing(void) {
    CnUnilateralRow row = {.gap = -1.0, .approach = -3.0, .restitution = 0.5};
    CHECK_NEAR(ask((CnPosing){.instant = true}, row).rate, 1.5, 0.0);
    row.restitution = 0.0;
    CHECK_NEAR(ask((CnPosing){.instant = true}, row).rate, 0.0, 0.0);
}

// docs/theory/implicit.md (9), (10).
static void at_the_end_of_a_step_the_gap_is_not_negative(void) {
    CnPosing end = {.start = &some_state};
    CnUnilateralRow row = {.gap = 1.0, .approach = -3.0, .loaded = -4.0};
    CHECK_NEAR(ask(end, row).rate, -2.0, 0.0);
    row.gap = row.start_gap = -1.0; // overlap at the start stays, and does not grow
    CHECK_NEAR(ask(end, row).rate, 0.0, 0.0);
    row.gap = row.start_gap = -0.0625; // unless giving it back is slower than the threshold
    CHECK_NEAR(ask(end, row).rate, 0.125, 0.0);
}

static void at_the_end_of_a_step_a_bounce_comes_before_the_loads(void) {
    CnPosing end = {.start = &some_state};
    CnUnilateralRow row = {.gap = 1.0, .approach = -3.0, .loaded = -4.0, .restitution = 0.5};
    CnUnilateralTarget target = ask(end, row);
    CHECK_NEAR(target.rate, 1.5 - 1.0, 0.0); // -e u- + (u_loads - u-)
    CHECK(target.bounces && !target.waits);
    row.loaded = -1.0; // does not close in this step
    CHECK(!ask(end, row).bounces);
}

TEST_MAIN("unit/world/step/unilateral_target", TEST(an_open_gap_may_close_and_no_more),
          TEST(an_open_gap_that_would_bounce_waits),
          TEST(a_closed_gap_returns_its_share_of_the_speed),
          TEST(baumgarte_pushes_out_what_is_deeper_than_the_slop),
          TEST(position_level_asks_the_whole_gap_back),
          TEST(an_impact_returns_speed_and_corrects_nothing),
          TEST(at_the_end_of_a_step_the_gap_is_not_negative),
          TEST(at_the_end_of_a_step_a_bounce_comes_before_the_loads))
