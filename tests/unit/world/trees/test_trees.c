// test_trees.c - joints of kept trees: lanes, posed rows, loops, and when the trees are found anew.
#include "world/trees/tree_store.h"

#include "builtin/builtin_scenes.h"
#include "cairn/state.h"
#include "constraints/problem/block.h"
#include "math/mat3.h"
#include "math/simd.h"
#include "support/trees.h"
#include "world/step/solve_step.h"
#include "world/trees/compact_rows.h"

#include <math.h>
#include <string.h>

#define STEPS 20

// What closes a joint alone, and the largest value.
static void check_misses(CnTreeLink* link, const double closing[6], double* worst) {
    double wanted[CN_MAX_ROWS], twist[6];
    for (int k = 0; k < link->row_count; ++k) {
        wanted[k] = -link->value[k];
        *worst = fmax(*worst, fabs(link->value[k]));
    }
    link->held = link->row_count; // no stop acts
    cn_tree_twist(link, wanted, twist);
    CHECK(memcmp(twist, closing, sizeof twist) == 0);
}

// How far a hinge is turned, and the row of that turn.
static void check_turn(const CnTreeLink* link, const CnTreeTurn* turned,
                       const CnJointFrames* frames, const CnBodyState* states) {
    CnJointView view = cn_joint_view(frames, cn_tree_state_at(states, link->body_a),
                                     cn_tree_state_at(states, link->body_b));
    CnQuat a = view.frame_a.rotation, b = view.frame_b.rotation;
    double angle = cn_twist_angle(a, b, 2);
    CnVec3 row = cn_twist_gradient(a, b, 2);
    CHECK(memcmp(&angle, &turned->twist, sizeof angle) == 0);
    CHECK(memcmp(&row, &turned->twist_row, sizeof row) == 0);
}

// Joints read side by side have the bits of each read alone; those that lean far are left to that.
// Returns how many turns of hinges were read with them.
static int check_lanes(const char* scene) {
    int turns = 0;
    CnWorld* world = trees_open_moving(scene);
    const CnTreeStore* store = world->trees;
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    CnTreeLink all[CN_TREE_LANES], alone;
    CnTreeReading readings[CN_TREE_LANES];
    CnTreeTurn turned[CN_TREE_LANES];
    double closing[CN_TREE_LANES][6];
    const CnJointFrames* frames[CN_TREE_LANES];
    CHECK(store->link_count >= CN_TREE_LANES);
    for (int i = 0; i < 4 * store->link_count; ++i) {
        int count = 1 + i % CN_TREE_LANES;
        states[store->links[i % store->link_count].body].rotation =
            cn_quat_exp(cn_vec3(0.01 * (i % 5), -0.02, i % 7 == 0 ? 2.0 : 0.0));
        for (int k = 0; k < count; ++k) {
            const CnTreeLink* link = &store->links[(i + k) % store->link_count];
            const CnUserConstraint* part = cn_pool_at(&world->constraints, link->slot);
            CHECK(link->form != CN_FORM_OTHER);
            all[k] = *link;
            frames[k] = &((const CnJointPart*)part->data)->frames;
            readings[k] = (CnTreeReading){&all[k], &frames[k]->a, closing[k], NULL, NULL};
            all[k].has_twist = false;
            if (link->form == CN_FORM_HINGE && i % 2 == 0) {
                readings[k].turned = &turned[k];
            }
        }
        for (int wide = 0; wide < 2; ++wide) {
            double worst = 0.0, expected = 0.0;
            memset(turned, 0, sizeof turned); // lanes of both widths are to write them
            unsigned what = CN_TREE_READ_CLOSING | CN_TREE_READ_TURNS | CN_TREE_READ_WORST;
            unsigned left = (wide ? CN_WIDEST(cn_tree_read)
                                  : &cn_tree_read_128)(count, readings, what, states, &worst);
            for (int k = 0; k < count; ++k) {
                alone = all[k];
                cn_tree_read_link(&alone, frames[k], states);
                double lean = sqrt(alone.value[3] * alone.value[3] +
                                   alone.value[4] * alone.value[4]); // of a hinge [rad]
                bool is_hinge = alone.form == CN_FORM_HINGE;
                size_t bytes =
                    (size_t)((const char*)&alone.value[alone.row_count] - (const char*)alone.axes);
                CHECK(!is_hinge || ((left >> k & 1u) != 0 ? lean > 0.99 * CN_SMALL_LEAN
                                                          : lean < 1.01 * CN_SMALL_LEAN));
                CHECK((left >> k & 1u) != 0 || memcmp(alone.axes, all[k].axes, bytes) == 0);
                CHECK((left >> k & 1u) != 0 || !is_hinge ||
                      memcmp(alone.turn, all[k].turn, sizeof(CnVec3[5])) == 0);
                CHECK(memcmp(&alone.arm, &all[k].arm, sizeof(CnVec3[2])) == 0); // and other_arm
                if ((left >> k & 1u) == 0) {
                    check_misses(&alone, closing[k], &expected);
                }
                if (all[k].has_twist) {
                    check_turn(&all[k], &turned[k], frames[k], states);
                    ++turns;
                }
            }
            CHECK(worst == expected);
        }
    }
    cn_world_destroy(world);
    return turns;
}

static void joints_are_read_alike_in_lanes(void) {
    CHECK(check_lanes("@robot:3") > 0);
    check_lanes("@net:8"); // balls, some on the world
}

// Inertias turned side by side have the bits of the function for one.
static void inertias_are_turned_alike_in_lanes(void) {
    CnWorld* world = trees_open_moving("@robot:3");
    CnJointTree* tree = &world->trees->trees[0];
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    cn_tree_read_bodies(world, tree, states);
    for (int i = 0; i < tree->link_count; ++i) {
        int body = world->trees->links[tree->first_link + i].body;
        CnMat3 rotation = cn_mat3_from_quat(states[body].rotation);
        CnMat3 expected =
            cn_mat3_rotate_tensor(&rotation, &cn_world_body_by_index(world, body)->mass->inertia);
        const double upper[6] = {expected.m[0][0], expected.m[0][1], expected.m[0][2],
                                 expected.m[1][1], expected.m[1][2], expected.m[2][2]};
        double narrow[6];
        CnTreeTensor alone = {&states[body].rotation,
                              &cn_world_body_by_index(world, body)->mass->inertia, narrow};
        cn_tree_turn_128(1, &alone);
        CHECK(memcmp(upper, tree->links.inertia[i], sizeof upper) == 0);
        CHECK(memcmp(upper, narrow, sizeof upper) == 0);
    }
    cn_world_destroy(world);
}

// Round-off of a factor does not add up along a chain: inertias stay symmetric to the bit. In eight
// steps of 1 ms bodies come to 0.08 m/s, and a row sums up a dozen products of that; a factor whose
// halves differ leaves 6e-13.
static void long_chains_are_solved_to_round_off(void) {
    CnError error = {0};
    CnScene* scene = cn_open_scene("@hinges:1000", &error);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    double worst = 0.0;
    for (int i = 0; i < 8; ++i) {
        CnStepReport report;
        CHECK_INT(cn_world_step(world, 1e-3, &report, &error), CN_OK);
        worst = fmax(worst, report.certificate.worst);
    }
    CHECK_NEAR(worst, 0.0, 1000.0 * 0x1p-53 * 0.08);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

// How far hinges are turned, found side by side, has the bits of the functions for one.
static void twists_are_read_alike_in_lanes(void) {
    CnWorld* world = trees_open_moving("@robot:3");
    const CnJointTree* tree = &world->trees->trees[0];
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    int turned = 0, narrow_turned = 0;
    CHECK(cn_tree_read_joints(world, tree, states, world->time));
    cn_tree_read_twists(world, tree, states);
    for (int i = 0; i < tree->link_count; ++i) {
        const CnTreeLink* link = &world->trees->links[tree->first_link + i];
        CHECK(link->has_twist == link->is_turned);
        if (!link->is_turned) {
            continue;
        }
        CnTreeLink narrow = *link;
        CnTreeTurn own = {.twist = 0.0};
        const CnUserConstraint* part = cn_pool_at(&world->constraints, link->slot);
        const CnJointFrames* frames = &((const CnJointPart*)part->data)->frames;
        CnTreeReading alone = {.link = &narrow, .frames = &frames->a, .turned = &own};
        ++turned;
        check_turn(link, link->turned, frames, states);
        narrow.has_twist = false;
        cn_tree_twists_128(1, &alone, states);
        if (narrow.has_twist) {
            check_turn(&narrow, &own, frames, states);
            ++narrow_turned;
        }
    }
    CHECK(turned > CN_TREE_LANES && narrow_turned > 0);
    cn_world_destroy(world);
}

// What a tree has read of its joints gives the rows that their functions do, bit by bit: posed once
// with the tree, once without. Targets are rates of compact rows: sums of a dozen products of
// velocities up to some metres per second.
static void posed_rows_are_those_of_the_functions(const char* scene) {
    CnWorld* world = trees_open_moving(scene);
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    CnPosing posing = {.states = states, .dt = 1e-3, .theta = 0.5, .time = world->time};
    CnRows* rows = &world->step.rows;
    CHECK_INT(world->trees->tree_count, 1);
    CHECK(cn_tree_read_joints(world, &world->trees->trees[0], states, world->time));
    cn_tree_read_twists(world, &world->trees->trees[0], states);
    world->trees->at = CN_TREES_POSED;
    world->trees->poses_all = true;        // stops out of reach too
    for (int pass = 0; pass < 2; ++pass) { // then with the headers of the first
        cn_rows_clear(rows);
        CHECK_INT(cn_world_add_constraint_rows(world, &posing), CN_OK);
        CHECK_INT(rows->kept_count, rows->blocks.count);
    }
    cn_rows_write_all(rows);
    int count = rows->row_count, blocks = rows->blocks.count;
    size_t wide = (size_t)count * sizeof *rows->jacobian_a, narrow = (size_t)count * sizeof(double);
    CnRows kept = {0};
    for (int i = 0; i < blocks; ++i) {
        CHECK(cn_rows_add(&kept, &world->allocator, rows->blocks.data[i].law,
                          rows->blocks.data[i].row_count, rows->sources.data[i]) != NULL);
        kept.blocks.data[i] = rows->blocks.data[i];
    }
    memcpy(kept.jacobian_a, rows->jacobian_a, wide);
    memcpy(kept.jacobian_b, rows->jacobian_b, wide);
    double* const own[] = {kept.target,     kept.lower, kept.upper,
                           kept.compliance, kept.slope, kept.offset};
    double* const* const all[] = {&rows->target,     &rows->lower, &rows->upper,
                                  &rows->compliance, &rows->slope, &rows->offset};
    for (int i = 0; i < 6; ++i) {
        memcpy(own[i], *all[i], narrow);
    }
    cn_trees_forget_poses(world);
    cn_rows_clear(rows);
    CHECK_INT(cn_world_add_constraint_rows(world, &posing), CN_OK);
    CHECK_INT(rows->row_count, count);
    CHECK(memcmp(kept.jacobian_a, rows->jacobian_a, wide) == 0);
    CHECK(memcmp(kept.jacobian_b, rows->jacobian_b, wide) == 0);
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(kept.target[i], rows->target[i], 1e-14);
    }
    for (int i = 1; i < 6; ++i) {
        CHECK(memcmp(own[i], *all[i], narrow) == 0);
    }
    for (int i = 0; i < blocks; ++i) {
        CHECK(kept.blocks.data[i].key == rows->blocks.data[i].key);
        const CnBlockSource *a = &kept.sources.data[i], *b = &rows->sources.data[i];
        CHECK(a->constraint == b->constraint && a->generation == b->generation);
        CHECK(a->manifold == b->manifold && a->point == b->point && a->given == b->given);
        CHECK(memcmp(a->rows, b->rows, (size_t)rows->blocks.data[i].row_count) == 0);
    }
    cn_rows_free(&kept, &world->allocator);
    cn_world_destroy(world);
}

static void rows_are_posed_to_the_same_bits(void) {
    posed_rows_are_those_of_the_functions("@robot:3");
    posed_rows_are_those_of_the_functions("@hinges:12");
    posed_rows_are_those_of_the_functions("@stewart"); // sliders and universal joints
    posed_rows_are_those_of_the_functions("@net:8");   // many loops
}

// What (44) adds and subtracts: of a slender body nearly all of it may cancel.
static double terms_of_trace(const CnStep* step, const CnTreeLink* joint) {
    const int bodies[2] = {joint->body_a, joint->body_b};
    const CnVec3 arms[2] = {cn_tree_arm_a(joint), cn_tree_arm_b(joint)};
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] >= 0) {
            const double* inverse = step->inverse_inertia[bodies[side]];
            sum += 3.0 * step->inverse_mass[bodies[side]] +
                   (2.0 * cn_vec3_dot(arms[side], arms[side]) + 1.0) *
                       (inverse[0] + inverse[4] + inverse[8]);
        }
    }
    return sum;
}

// (44) is the trace of the rows: sums of thirty products, relative to the largest.
static void traces_are_those_of_the_rows(void) {
    static const char* const scenes[] = {"@robot:3", "@hinges:12", "@ragdolls:1", "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
        CnPosing posing = {.states = states, .dt = 1e-3, .theta = 0.5, .time = world->time};
        CnRows* rows = &world->step.rows;
        int compared = 0;
        for (int t = 0; t < world->trees->tree_count; ++t) {
            CHECK(cn_tree_read_joints(world, &world->trees->trees[t], states, world->time));
        }
        world->trees->at = CN_TREES_POSED;
        cn_rows_clear(rows);
        CHECK_INT(cn_world_add_constraint_rows(world, &posing), CN_OK);
        cn_rows_write_all(rows);
        CnProblem problem = cn_step_explicit_problem(world);
        for (int k = 0; k < rows->blocks.count; ++k) {
            const CnTreeLink* joint = world->trees->joints[rows->sources.data[k].constraint];
            if (joint != NULL && joint->form != CN_FORM_OTHER) {
                double trace = cn_block_trace(&problem, &rows->blocks.data[k]);
                CHECK_NEAR(cn_tree_joint_trace(&world->step, joint), trace,
                           30.0 * 0x1p-53 * terms_of_trace(&world->step, joint));
                ++compared;
            }
        }
        CHECK(compared > 0);
        cn_world_destroy(world);
    }
}

// Two velocities at once, and both sides of a joint, to the bits of one after the other.
static void check_both(const CnCompactRows* compact, int row_count, const double (*v)[6],
                       const double* p) {
    const double *const a[2] = {v[0], v[1]}, *const b[2] = {v[1], v[0]};
    double given[2][6] = {{0.1, 0.2}}, plain[2][6] = {{0.1, 0.2}}, one[CN_MAX_ROWS];
    CnDouble2 rate[CN_MAX_ROWS];
    cn_compact_two_rates(compact, row_count, a, b, rate);
    for (int i = 0; i < 2 * row_count; ++i) {
        cn_compact_rates(compact, row_count, a[i % 2], b[i % 2], one);
        CHECK_NEAR(rate[i / 2][i % 2], one[i / 2], 0.0);
    }
    cn_compact_push_both(compact, row_count, p, given[0], given[1]);
    cn_compact_push(compact, row_count, p, false, plain[0]);
    cn_compact_push(compact, row_count, p, true, plain[1]);
    CHECK(memcmp(given, plain, sizeof plain) == 0);
}

// J v and J^T p of compact rows, against their Jacobians: numbers of order one, sums of twelve.
static void check_compact(const CnRows* rows, const CnCompactRows* compact) {
    const double v[2][6] = {{0.3, -0.7, 0.2, 0.9, -0.4, 0.6}, {-0.5, 0.1, 0.8, -0.2, 0.7, 0.4}};
    const double p[CN_MAX_ROWS] = {0.4, -0.3, 0.9, 0.7, -0.6};
    const CnBlock* block = &rows->blocks.data[compact->block];
    double rate[CN_MAX_ROWS], given[2][6] = {{0.0}};
    check_both(compact, block->row_count, v, p);
    cn_compact_rates(compact, block->row_count, block->body_a < 0 ? NULL : v[0],
                     block->body_b < 0 ? NULL : v[1], rate);
    cn_compact_push(compact, block->row_count, p, false, given[0]);
    cn_compact_push(compact, block->row_count, p, true, given[1]);
    for (int k = 0; k < block->row_count; ++k) {
        const double *a = rows->jacobian_a[block->first_row + k],
                     *b = rows->jacobian_b[block->first_row + k];
        CHECK_NEAR(rate[k], cn_dot6(a, v[0]) + cn_dot6(b, v[1]), 1e-14);
        for (int j = 0; j < 6; ++j) {
            given[0][j] -= p[k] * a[j];
            given[1][j] -= p[k] * b[j];
        }
    }
    for (int j = 0; j < 6; ++j) {
        CHECK_NEAR(block->body_a < 0 ? 0.0 : given[0][j], 0.0, 1e-14);
        CHECK_NEAR(block->body_b < 0 ? 0.0 : given[1][j], 0.0, 1e-14);
    }
}

// A tree is solved without Jacobians of its ball joints and hinges; who asks for the problem of the
// step gets them.
static void jacobians_are_written_for_those_who_ask(void) {
    static const char* const scenes[] = {"@robot:3", "@hinges:12", "@ragdolls:1", "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        const CnRows* rows = &world->step.rows;
        CHECK(rows->compact.count > 0);
        for (int k = 0; k < rows->compact.count; ++k) {
            CHECK(!rows->compact.data[k].is_written);
        }
        CHECK(cn_world_problem(world) != NULL);
        for (int k = 0; k < rows->compact.count; ++k) {
            CHECK(rows->compact.data[k].is_written);
            check_compact(rows, &rows->compact.data[k]);
        }
        cn_world_destroy(world);
    }
}

// Trees keep frames of joints, which are counted from centres of mass. They are read again when one
// has moved in its body: so steps a copy of the world, which has no trees yet.
static void frames_follow_centres_of_mass(void) {
    CnWorld* world = trees_open_moving("@robot:3");
    const CnTreeLink* link = &world->trees->links[world->trees->link_count - 1];
    const CnMassProperties mass = {2.0, {0.01, 0.02, -0.03}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}};
    CnTransform before = link->frames[link->sign > 0.0 ? 1 : 0];
    int body = link->body, slot = link->slot;
    CHECK_INT(cn_body_set_mass(world, world->order.data[body], &mass, NULL), CN_OK);
    CnWorld* copy = cn_world_clone(world, NULL, NULL);
    CHECK(copy != NULL && copy->trees == NULL);
    run_step(world, 1e-3);
    run_step(copy, 1e-3);
    link = world->trees->joints[slot];
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    const CnJointFrames* frames = &((const CnJointPart*)constraint->data)->frames;
    CHECK(memcmp(link->frames, &frames->a, 2 * sizeof(CnTransform)) == 0);
    CHECK(memcmp(&before, &link->frames[link->sign > 0.0 ? 1 : 0], sizeof before) != 0);
    for (int i = 0; i < world->order.count; ++i) {
        CHECK(memcmp(&world->bodies.data[i].state, &copy->bodies.data[i].state,
                     sizeof(CnBodyState)) == 0);
    }
    cn_world_destroy(copy);
    cn_world_destroy(world);
}

static double size_of(CnVec3 a, CnVec3 b) {
    return cn_vec3_length(cn_vec3_sub(a, b));
}

// Rows of joints are written at the end of a step only where attribution asks for them. Momentum
// is the same with and without: sums of some hundred terms, relative to their scales.
static void momentum_is_booked_alike_with_and_without_rows(void) {
    static const char* const scenes[] = {"@robot:3", "@hinges:12", "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* worlds[2] = {run_open(scenes[i]), run_open(scenes[i])};
        worlds[1]->def.step.attribution = true;
        for (int step = 0; step < STEPS; ++step) {
            CnStepReport reports[2];
            for (int k = 0; k < 2; ++k) {
                CHECK_INT(cn_world_step(worlds[k], 1e-3, &reports[k], NULL), CN_OK);
                CHECK(reports[k].momentum.error < 1e-13);
                CHECK(reports[k].momentum.internal_error < 1e-13);
                CHECK(cn_trees_have_solved(worlds[k]));
                CHECK(worlds[k]->trees->has_late == (k == 0));
            }
            const CnMomentumLedger *a = &reports[0].momentum, *b = &reports[1].momentum;
            CHECK_NEAR(size_of(a->linear_external, b->linear_external), 0.0,
                       1e-13 * b->linear_scale);
            CHECK_NEAR(size_of(a->angular_external, b->angular_external), 0.0,
                       1e-13 * b->angular_scale);
            CHECK(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]));
        }
        cn_world_destroy(worlds[0]);
        cn_world_destroy(worlds[1]);
    }
}

// A hinge that is switched off cuts a chain in two; the trees are kept while nothing changes.
static void trees_follow_the_joints(void) {
    CnWorld* world = trees_open_moving("@hinges:12");
    const CnTreeStore* store = world->trees;
    const CnTreeLink* links = store->links;
    uint32_t changes = store->changes;
    CHECK_INT(store->tree_count, 1);
    run_step(world, 1e-3);
    CHECK(store->links == links && store->changes == changes);
    CHECK_INT(cn_joint_set_enabled(world, cn_world_joint_at(world, 6), false), CN_OK);
    run_step(world, 1e-3);
    CHECK_INT(store->tree_count, 2);
    CHECK_INT(cn_joint_set_enabled(world, cn_world_joint_at(world, 6), true), CN_OK);
    run_step(world, 1e-3);
    CHECK_INT(store->tree_count, 1);
    cn_world_destroy(world);
}

// The masses of a step's problem are those with damping: a tree with others would miss the rows,
// and the general solver, which counts rows outside, would have to find the tree again.
static void damped_bodies_are_solved_along_kept_trees(void) {
    CnWorld* world = run_open("@hinges:12");
    CnStepReport report;
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CHECK_INT(cn_body_set_damping(world, cn_world_body_at(world, i), 5.0, 3.0, NULL), CN_OK);
    }
    for (int i = 0; i < STEPS; ++i) {
        CHECK_INT(cn_world_step(world, 1e-2, &report, NULL), CN_OK);
        CHECK_STRING(report.solver.remark, "12 bodies in trees of joints");
    }
    cn_world_destroy(world);
}

// 25 loops are more than trees are for, and too few for a net.
static void what_trees_cannot_do_is_left_to_others(void) {
    CnWorld* world = run_open("@net:6");
    run_step(world, 1e-3);
    CHECK(!world->trees->serves);
    cn_world_destroy(world);
}

// All joints of a net at rest are read where the step begins and ends, and there is nothing to do.
// Pushed, it is left to others, and joints hold.
static void nets_are_read_and_not_factored(void) {
    CnWorld* world = run_open("@net:8");
    for (int i = 0; i < 2; ++i) {
        run_step(world, 1e-3);
        CHECK_INT(world->trees->trees[0].loops.count, 49);
        CHECK(cn_trees_are_at(world, CN_TREES_AT_END));
        CHECK_INT(world->correction.rows.row_count, 0);
    }
    CnBodyId body = cn_world_body_at(world, cn_world_body_count(world) - 1);
    CnBodyInfo info;
    cn_body_read(world, body, &info);
    info.state.velocity.y = 0.5; // [m/s]
    CHECK_INT(cn_body_set_state(world, body, &info.state, NULL), CN_OK);
    CHECK(run_step(world, 1e-3).joint_error <= 1e-11);
    CHECK(world->correction.rows.row_count > 0);
    cn_world_destroy(world);
}

// Axes and factor of a tree of joints alone. False: it is singular.
static bool is_factored(const CnWorld* world, CnJointTree* tree) {
    CnTreeStore* store = world->trees;
    bool is_regular = true;
    for (int i = 0; is_regular && i < tree->link_count; ++i) {
        int first = tree->first_axis[i];
        tree->first_axis[i + 1] = first + cn_tree_axes(&store->links[tree->first_link + i],
                                                       tree->links.axis + first, &is_regular);
    }
    return is_regular &&
           cn_tree_factor_and_solve(tree, NULL, NULL, store->moved + tree->first_link);
}

// A bar on two balls: along the line between them the second one asks for nothing that the first
// has left free, and its W is round-off. Such a loop is not for trees. Each ball carries half of
// 9.81 N and what the line between them shares: no more than the weight, relaxation included.
static void rows_that_the_tree_answers_are_not_factored(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyDef bar = run_body(1.0, cn_vec3(0.083, 0.083, 0.001), cn_vec3(0.125, 0.0, -0.217));
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    def.body_b = run_add(world, &bar);
    CnJointId balls[2];
    for (int i = 0; i < 2; ++i) {
        def.point_a = cn_vec3(0.0, i == 0 ? -0.1 : 0.1, 0.0);
        balls[i] = cn_world_add_joint(world, &def, NULL);
        CHECK(balls[i].index != 0);
    }
    for (int i = 0; i < STEPS; ++i) {
        run_step(world, 1e-3);
        CHECK_INT(world->trees->trees[0].loops.row_count, 3);
        CHECK(!is_factored(world, &world->trees->trees[0]));
        for (int k = 0; k < 2; ++k) {
            CnJointState state;
            CHECK_INT(cn_joint_read(world, balls[k], &state), CN_OK);
            CHECK(cn_vec3_length(state.force) <= 9.81);
        }
    }
    cn_world_destroy(world);
}

// The six legs of a platform are trees of their own on the ground, which five loops make one of.
static void loops_have_the_rows_of_their_constraints(void) {
    CnWorld* world = trees_open_moving("@stewart");
    CHECK_INT(world->trees->tree_count, 1);
    const CnTreeLoops* loops = &world->trees->trees[0].loops;
    CHECK_INT(loops->count, 5);
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        CnBoundConstraint bound;
        CnConstraintReading reading;
        cn_world_bind_constraint(world, loop->joint.slot, NULL, world->time, &bound);
        cn_kind_read(bound.constraint->kind, bound.a, bound.b, world->time, bound.constraint->data,
                     CN_READ_VALUES | CN_READ_JACOBIANS, &reading);
        for (int k = 0; k < loop->joint.row_count; ++k) {
            CHECK_NEAR(loop->joint.value[k], reading.value[k], 1e-15);
            for (int j = 0; j < 6; ++j) { // as above; at A the arm has two more sums
                CHECK_NEAR(loop->row[0][k][j], reading.jacobian_a[k][j], 1e-14);
                CHECK_NEAR(loop->row[1][k][j], reading.jacobian_b[k][j], 1e-14);
            }
        }
    }
    cn_world_destroy(world);
}

// Velocities of a step by the kept trees and by `active_set`, from the same state: both solve the
// same rows to 1e-12 m/s or better, and a platform of unit size passes that on with a factor near
// one.
static void loops_are_solved_as_by_active_set(void) {
    CnWorld* worlds[2] = {run_open("@stewart"), run_open("@stewart")};
    CnSolverDef def = cn_solver_def_default();
    def.name = "active_set";
    CHECK_INT(cn_world_set_solver(worlds[1], &def, NULL), CN_OK);
    for (int step = 0; step < STEPS; ++step) {
        CnStepReport report;
        run_step(worlds[1], 1e-3);
        CHECK_INT(cn_world_step(worlds[0], 1e-3, &report, NULL), CN_OK);
        CHECK_STRING(report.solver.remark, "13 bodies in trees of joints");
    }
    for (int i = 0; i < cn_world_body_count(worlds[0]); ++i) {
        const CnBodyState* a = &cn_world_body_by_index(worlds[0], i)->state;
        const CnBodyState* b = &cn_world_body_by_index(worlds[1], i)->state;
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a->velocity, b->velocity)), 0.0, 1e-11);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a->angular_velocity, b->angular_velocity)), 0.0,
                   1e-11);
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// The star has the same bits at any width of registers.
static void stars_are_factored_alike_in_lanes(void) {
    CnWorld* world = trees_open_moving("@stewart");
    CnJointTree* tree = &world->trees->trees[0];
    CnTreeLoops* loops = &tree->loops;
    const CnLoopPasses* passes[2] = {&cn_loop_passes_128, CN_WIDEST(cn_loop_passes)};
    double whole[2][CN_STAR_AXES][CN_STAR_AXES], x[2][CN_TREE_LOOP_ROWS], along[2][64] = {{0.0}};
    double response[2][CN_LOOP_LANES], p[CN_LOOP_LANES] = {0.3, -0.7, 0.2};
    CHECK(is_factored(world, tree) && loops->is_star);
    CHECK(loops->row_count <= CN_TREE_LOOP_ROWS && tree->links.axis_count <= 64);
    for (int w = 0; w < 2; ++w) {
        CHECK(passes[w]->factor_star(tree));
        memcpy(whole[w], loops->star.whole, sizeof whole[w]);
        for (int i = 0; i < loops->row_count; ++i) {
            x[w][i] = 0.1 * (double)(i * 7 % 5 - 2);
        }
        passes[w]->solve_star(loops, x[w]);
        passes[w]->add_along(&loops->loops[1], tree->links.axis_count, p, along[w]);
        passes[w]->find_responses(&loops->loops[1], tree->links.axis_count, response[w]);
    }
    CHECK(memcmp(whole[0], whole[1], sizeof whole[0]) == 0);
    CHECK(memcmp(x[0], x[1], (size_t)loops->row_count * sizeof(double)) == 0);
    CHECK(memcmp(along[0], along[1], sizeof along[0]) == 0);
    CHECK(memcmp(response[0], response[1], CN_LINKAGE_ROWS * sizeof(double)) == 0);
    cn_world_destroy(world);
}

// Loops are closed to what is wanted of their rows, and the velocities are those of the impulses:
// mechanisms.md (30), by the star (40) or by one factor. Sizes are of order one.
static void check_closing(bool is_star) {
    CnWorld* world = trees_open_moving("@stewart");
    CnJointTree* tree = &world->trees->trees[0];
    CnTreeLoops* loops = &tree->loops;
    size_t bytes = (size_t)tree->link_count * sizeof(double[6]);
    double(*moved)[6] = calloc(1, bytes), (*pushed)[6] = calloc(1, bytes);
    double(*again)[6] = calloc(1, bytes);
    for (int i = 0; !is_star && i < tree->link_count; ++i) {
        loops->star.loop_at[i] = -2; // as if all links were shared
    }
    CHECK(is_factored(world, tree));
    CHECK_INT(loops->is_star, is_star);
    for (int i = 0; i < loops->row_count; ++i) {
        loops->wanted[i] = 0.1 * (double)(i * 7 % 5 - 2);
    }
    cn_tree_close_loops(tree, moved, pushed);
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        for (int k = 0; k < loop->joint.row_count; ++k) {
            double rate = 0.0;
            for (int side = 0; side < 2; ++side) {
                rate +=
                    loop->end[side] < 0 ? 0.0 : cn_dot6(loop->row[side][k], moved[loop->end[side]]);
            }
            CHECK_NEAR(rate, loops->wanted[loop->first_row + k], 1e-11);
        }
    }
    cn_linkage_solve(&tree->links, pushed, NULL, NULL, again, NULL);
    for (int i = 0; i < tree->link_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(again[i][k], moved[i][k], 1e-11);
        }
    }
    free(moved);
    free(pushed);
    free(again);
    cn_world_destroy(world);
}

static void legs_are_closed_as_a_star(void) {
    check_closing(true);
}

static void other_loops_are_closed_by_one_factor(void) {
    check_closing(false);
}

// What relaxation leaves of J v at the end of a step, of joints and loops: half of the tolerance.
static void velocities_at_the_end_are_those_of_loops(void) {
    CnWorld* world = trees_open_moving("@stewart");
    const CnTreeLoops* loops = &world->trees->trees[0].loops;
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        const int bodies[2] = {loop->joint.body_a, loop->joint.body_b};
        for (int k = 0; k < loop->joint.row_count; ++k) {
            double rate = 0.0;
            for (int side = 0; side < 2; ++side) {
                const CnBodyState* state = &cn_world_body_by_index(world, bodies[side])->state;
                const double v[6] = {state->velocity.x,         state->velocity.y,
                                     state->velocity.z,         state->angular_velocity.x,
                                     state->angular_velocity.y, state->angular_velocity.z};
                rate += cn_dot6(loop->row[side][k], v);
            }
            CHECK_NEAR(rate, 0.0, 0.5e-8);
        }
    }
    cn_world_destroy(world);
}

// Grades that come with the solve, of velocities it has found, are those of the plain certificate
// of all blocks. Velocities are of order ten, and sums of some ten terms in another order differ by
// 10 * 10 * 2^-53; relative errors by as much.
static void grades_are_those_of_the_plain_certificate(void) {
    static const char* const scenes[] = {"@robot:3", "@hinges:12", "@ragdolls:1",
                                         "@stewart", "@net:8",     "@grasp"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = run_open(scenes[i]);
        CnSolverDef def = cn_solver_def_default();
        def.tolerance = 1e-4; // [m/s], so that contacts leave more than round-off
        CHECK_INT(cn_world_set_solver(world, &def, NULL), CN_OK);
        for (int step = 0; step < STEPS; ++step) {
            CHECK_INT(cn_world_step(world, 2e-3, NULL, NULL), CN_OK);
            CnCertificate told = world->step.certificate;
            CHECK_INT(cn_step_certify(world), CN_OK);
            const CnCertificate* plain = &world->step.certificate;
            // Trees find what a parent feels from what its child does: sums of some hundred
            // products of velocities up to 5 m/s, 100 * 5 * 2^-53.
            CHECK_NEAR(told.worst, plain->worst, 6e-14);
            CHECK_NEAR(told.fclib_error, plain->fclib_error, 6e-14);
            CHECK_NEAR(told.scaled_error, plain->scaled_error, 6e-14);
            CHECK_NEAR(told.cone_violation, plain->cone_violation, 6e-14);
            CHECK_NEAR(told.complementarity, plain->complementarity, 6e-14);
        }
        cn_world_destroy(world);
    }
}

// A velocity that is not a number: joints that hold elsewhere do not hide it, nothing is relaxed.
static void what_is_not_a_number_is_not_relaxed(const char* scene) {
    CnWorld* world = trees_open_moving(scene);
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    CnVec3 before = cn_world_body_by_index(world, 0)->state.velocity;
    double work = 0.0;
    bool serves = true;
    states[world->trees->links[0].body].velocity.x = NAN;
    CHECK_INT(cn_trees_relax(world, states, world->time, 1.0, 1.0, &work, &serves), CN_OK);
    CHECK(!serves);
    CnVec3 after = cn_world_body_by_index(world, 0)->state.velocity;
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    cn_world_destroy(world);
}

// The largest J v of the rows of the constraints at the present states.
static double largest_rate(CnWorld* world, const CnBodyState* states) {
    CnReader reader;
    double worst = 0.0;
    cn_reader_begin(&reader, world, states, world->time);
    for (int slot = 0; slot < world->constraints.count; ++slot) {
        CnBoundConstraint bound;
        CnConstraintReading reading;
        if (cn_reader_bind(&reader, slot, &bound)) {
            cn_read_constraint(&reader, &bound, CN_READ_JACOBIANS, &reading);
            for (int k = 0; k < bound.constraint->kind->dimension; ++k) {
                double rate = cn_row_rate(reading.jacobian_a[k], bound.a) +
                              cn_row_rate(reading.jacobian_b[k], bound.b);
                worst = fmax(worst, fabs(rate));
            }
        }
    }
    return worst;
}

// A net is left as it is up to what its rows miss, whichever joints close its loops: round-off of
// some ten terms of order 1 m/s apart.
static void nets_are_left_up_to_what_they_miss(void) {
    CnWorld* world = trees_open_moving("@net:8");
    CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    double work = 0.0;
    bool serves;
    for (int i = 0; i < world->bodies.count; ++i) {
        states[i].velocity.y +=
            cn_world_body_by_index(world, i)->type == CN_BODY_DYNAMIC ? 0.1 * i : 0.0;
        states[i].angular_velocity.x += 0.01 * (i % 7);
        double missed = largest_rate(world, states);
        CHECK_INT(cn_trees_relax(world, states, world->time, 1.0, missed - 1e-13, &work, &serves),
                  CN_OK);
        CHECK(missed == 0.0 || !serves);
        CHECK_INT(cn_trees_relax(world, states, world->time, 1.0, missed + 1e-13, &work, &serves),
                  CN_OK);
        CHECK(serves);
    }
    cn_world_destroy(world);
}

static void no_number_is_not_relaxed(void) {
    what_is_not_a_number_is_not_relaxed("@chain:9");
    what_is_not_a_number_is_not_relaxed("@net:8");
}

// What is_between() of tree_store.c relies on, for every kind of joint: the rows of parts that
// measure nothing from the world push their two bodies alike.
static void parts_between_bodies_are_reactions(void) {
    CnWorld* world = run_open(TEST_SOURCE_DIR "/tests/golden/joints.json");
    int count = 0;
    for (int i = 0; i < STEPS; ++i) {
        run_step(world, 1e-3);
    }
    for (int slot = 0; slot < cn_pool_slot_count(&world->constraints); ++slot) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
        CnBoundConstraint bound;
        CnConstraintReading reading;
        if (constraint == NULL || constraint->joint.index == 0 ||
            constraint->kind->body_count == 4 || cn_part_is_grounded(constraint->data) ||
            !cn_world_bind_constraint(world, slot, NULL, world->time, &bound)) {
            continue;
        }
        cn_kind_read(constraint->kind, bound.a, bound.b, world->time, constraint->data,
                     CN_READ_JACOBIANS, &reading);
        CnVec3 r = cn_vec3_sub(bound.b->center, bound.a->center);
        const double arm[3] = {r.x, r.y, r.z};
        for (int k = 0; k < constraint->kind->dimension; ++k) {
            CHECK(cn_linkage_is_reaction(arm, reading.jacobian_b[k], reading.jacobian_a[k]));
            ++count;
        }
    }
    CHECK(count > 30);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/trees/trees", TEST(joints_are_read_alike_in_lanes),
          TEST(parts_between_bodies_are_reactions), TEST(inertias_are_turned_alike_in_lanes),
          TEST(twists_are_read_alike_in_lanes), TEST(long_chains_are_solved_to_round_off),
          TEST(rows_are_posed_to_the_same_bits), TEST(jacobians_are_written_for_those_who_ask),
          TEST(traces_are_those_of_the_rows), TEST(momentum_is_booked_alike_with_and_without_rows),
          TEST(trees_follow_the_joints), TEST(damped_bodies_are_solved_along_kept_trees),
          TEST(what_trees_cannot_do_is_left_to_others), TEST(nets_are_read_and_not_factored),
          TEST(rows_that_the_tree_answers_are_not_factored),
          TEST(loops_have_the_rows_of_their_constraints), TEST(loops_are_solved_as_by_active_set),
          TEST(stars_are_factored_alike_in_lanes), TEST(legs_are_closed_as_a_star),
          TEST(other_loops_are_closed_by_one_factor),
          TEST(velocities_at_the_end_are_those_of_loops),
          TEST(grades_are_those_of_the_plain_certificate), TEST(no_number_is_not_relaxed),
          TEST(nets_are_left_up_to_what_they_miss), TEST(frames_follow_centres_of_mass))
