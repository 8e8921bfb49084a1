// test_tree_groups.c - joints of a tree side by side have the bits of each passed alone.
#include "world/trees/tree_groups.h"

#include "constraints/problem/block.h"
#include "math/simd.h"
#include "support/trees.h"
#include "world/trees/compact_rows.h"

#include <math.h>
#include <string.h>

// A tree with what is asked of its joints, by lanes and one by one.
typedef struct Asked {
    CnWorld* world;
    CnJointTree* tree;
    CnTreeLink* links;
    const CnBodyState* states;
    double (*velocity)[6], (*wrench)[6]; // given   [links]
    double (*twist)[6];                  // by lanes   [links]
    double (*impulse)[CN_MAX_ROWS];      // the same
    CnArena arena;
} Asked;

// Numbers of order one that are all different.
static double number(int i) {
    return sin(1.0 + 0.7 * i);
}

static Asked ask(CnWorld* world) {
    Asked it = {.world = world, .tree = &world->trees->trees[0]};
    size_t links = (size_t)it.tree->link_count;
    cn_arena_init(&it.arena, &world->allocator);
    it.links = world->trees->links + it.tree->first_link;
    it.states = cn_world_present_states(world, CN_STATES_POSED);
    it.velocity = cn_arena_allocate_raw(&it.arena, links, sizeof *it.velocity);
    it.wrench = cn_arena_allocate_raw(&it.arena, links, sizeof *it.wrench);
    it.twist = cn_arena_allocate_raw(&it.arena, links, sizeof *it.twist);
    it.impulse = cn_arena_allocate_raw(&it.arena, links, sizeof *it.impulse);
    for (int i = 0; i < 6 * it.tree->link_count; ++i) {
        it.velocity[i / 6][i % 6] = number(i);
        it.wrench[i / 6][i % 6] = number(i + 1000);
    }
    it.tree->first_axis[0] = 0;
    for (int i = 0; i < it.tree->link_count; ++i) {
        it.tree->first_axis[i + 1] = it.tree->first_axis[i] + 6 - it.links[i].row_count;
    }
    return it;
}

// What each row misses, alone: the parent may be a body that moves by itself.
static void find_rates_alone(const Asked* it, int i, double rate[CN_MAX_ROWS]) {
    const CnTreeLink* link = &it->links[i];
    int parent = it->tree->parent[i], other = link->sign > 0.0 ? link->body_a : link->body_b;
    double relative[6], moving[6];
    if (parent < 0 && other >= 0) {
        CnVec3 r = cn_vec3_sub(it->states[link->body].center, it->states[other].center);
        cn_tree_velocity(&it->states[other], moving);
        cn_linkage_relative((const double[3]){r.x, r.y, r.z}, it->velocity[i], moving, relative);
    } else {
        cn_linkage_relative(it->tree->links.arm[i], it->velocity[i],
                            parent < 0 ? NULL : it->velocity[parent], relative);
    }
    cn_tree_rates(link, relative, rate);
}

// Joint k of a group: rates, axes, twist and impulses.
static void check_joint(const Asked* it, const CnTreeGroup* group, int k, double* worst) {
    int i = group->link[k];
    CnTreeLink* link = &it->links[i];
    double rate[CN_MAX_ROWS], wanted[CN_MAX_ROWS], axis[6][6], twist[6], p[CN_MAX_ROWS];
    bool is_regular;
    CHECK(link->form == group->form && link->held == link->row_count);
    find_rates_alone(it, i, rate);
    for (int r = 0; r < link->row_count; ++r) {
        CHECK(memcmp(&rate[r], &group->missed[r].of[k], sizeof rate[r]) == 0);
        wanted[r] = -rate[r];
        *worst = fmax(*worst, fabs(rate[r]));
    }
    int axes = cn_tree_axes(link, axis, &is_regular);
    CHECK(is_regular);
    CHECK(memcmp(axis, it->tree->links.axis[it->tree->first_axis[i]],
                 (size_t)axes * sizeof *axis) == 0);
    cn_tree_twist(link, wanted, twist);
    CHECK(memcmp(twist, it->twist[i], sizeof twist) == 0);
    cn_tree_impulses(link, it->wrench[i], p);
    CHECK(memcmp(p, it->impulse[i], (size_t)link->row_count * sizeof(double)) == 0);
}

static void check_groups(CnWorld* world, const CnTreeGroupPasses* passes) {
    Asked it = ask(world);
    double worst = 0.0;
    passes->read(it.tree, it.links);
    double most = passes->find_rates(it.tree, it.states, (const double(*)[6])it.velocity, 0.0);
    CHECK(passes->set_links(it.tree, it.links, it.twist));
    passes->find_impulses(it.tree, (const double(*)[6])it.wrench, it.impulse);
    for (int g = 0; g < it.tree->group_count; ++g) {
        for (int k = 0; k < it.tree->groups[g].count; ++k) {
            check_joint(&it, &it.tree->groups[g], k, &worst);
        }
    }
    CHECK_NEAR(most, worst, 0.0);
    it.velocity[it.tree->groups[0].link[0]][3] = (double)NAN; // no number is worse than any
    CHECK(isinf(passes->find_rates(it.tree, it.states, (const double(*)[6])it.velocity, 0.0)));
    cn_arena_destroy(&it.arena);
}

// Hinges, and a ball joint, a universal joint and a slider in each leg.
static void groups_have_the_bits_of_each_joint_alone(void) {
    static const char* const scenes[] = {"@robot:3", "@robot", "@stewart", "@hinges:6"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        CHECK(world->trees->trees[0].group_count > 0);
        check_groups(world, &cn_tree_group_passes_128);
        check_groups(world, CN_WIDEST(cn_tree_group_passes));
        cn_world_destroy(world);
    }
}

// The joint of a root may be on a body that moves by itself: here the last of the chain.
static void rates_count_a_body_that_moves_by_itself(void) {
    CnWorld* world = trees_open_moving("@hinges:6");
    Asked it = ask(world);
    int root = -1, last = it.links[it.tree->link_count - 1].body;
    for (int i = 0; i < it.tree->link_count; ++i) {
        root = it.tree->parent[i] < 0 ? i : root;
    }
    CHECK(root >= 0 && it.links[root].group != NULL && it.links[root].sign > 0.0);
    CnTreeGroup* group = it.links[root].group;
    int lane = it.links[root].lane;
    double rate[CN_MAX_ROWS], still[CN_MAX_ROWS];
    find_rates_alone(&it, root, still);
    it.links[root].body_a = group->body_a[lane] = last;
    find_rates_alone(&it, root, rate);
    CHECK(memcmp(rate, still, sizeof(double[5])) != 0);
    const CnTreeGroupPasses* const both[] = {&cn_tree_group_passes_128,
                                             CN_WIDEST(cn_tree_group_passes)};
    for (int wide = 0; wide < 2; ++wide) {
        both[wide]->read(it.tree, it.links);
        both[wide]->find_rates(it.tree, it.states, (const double(*)[6])it.velocity, 0.0);
        for (int r = 0; r < it.links[root].row_count; ++r) {
            CHECK(memcmp(&rate[r], &group->missed[r].of[lane], sizeof rate[r]) == 0);
        }
    }
    cn_arena_destroy(&it.arena);
    cn_world_destroy(world);
}

// The rows of a joint as the problem of a step has them.
static CnCompactRows compact_rows(const CnTreeLink* link) {
    CnCompactRows rows = {.points = (uint8_t)cn_tree_point_count(link),
                          .arm_a = cn_tree_arm_a(link),
                          .arm_b = cn_tree_arm_b(link)};
    for (int k = 0; k < link->row_count; ++k) {
        rows.vector[k] = k < rows.points ? link->axes[k] : cn_tree_turn(link, k - rows.points);
    }
    return rows;
}

// A tree whose joints are posed, with rows one after the other from the second on.
typedef struct Posed {
    Asked asked;
    CnProblem problem;
    double (*velocity)[6]; // of bodies, given   [bodies]
    double (*moved)[6];    // by lanes   [bodies]
    double (*given)[6];    // the same   [links]
    double *target, *impulse, *trace;
    int* first_row; // [links]
} Posed;

static Posed pose(CnWorld* world) {
    Posed it = {.asked = ask(world), .problem = cn_step_explicit_problem(world)};
    CnArena* arena = &it.asked.arena;
    size_t links = (size_t)it.asked.tree->link_count, bodies = (size_t)world->bodies.count;
    it.velocity = cn_arena_allocate_raw(arena, bodies, sizeof *it.velocity);
    it.moved = cn_arena_allocate(arena, bodies, sizeof *it.moved);
    it.given = cn_arena_allocate_raw(arena, links, sizeof *it.given);
    it.target = CN_ARENA_NEW(arena, double, CN_MAX_ROWS* links + 1);
    it.impulse = CN_ARENA_NEW(arena, double, CN_MAX_ROWS* links + 1);
    it.trace = CN_ARENA_NEW(arena, double, links);
    it.first_row = CN_ARENA_RAW(arena, int, links);
    for (int i = 0; i < 6 * world->bodies.count; ++i) {
        it.velocity[i / 6][i % 6] = number(i + 5000);
    }
    for (int i = 0; i < it.asked.tree->link_count; ++i) {
        it.first_row[i] = 1 + CN_MAX_ROWS * i;
    }
    return it;
}

static const double* velocity_at(const Posed* it, int body) {
    return body < 0 ? NULL : it->velocity[body];
}

// What grades take of a joint: its sums in the order of its rows.
static void check_measured(const Posed* it, const CnTreeGroup* group, int k, double rho) {
    const double* p = it->impulse + it->first_row[group->link[k]];
    double square = 0.0, scaled = 0.0, work = 0.0;
    for (int r = 0; r < it->asked.links[group->link[k]].row_count; ++r) {
        double u = group->left[r].of[k], q = group->missed[r].of[k];
        square += u * u;
        scaled += (rho * u) * (rho * u);
        work += fabs(u * p[r]);
        CHECK_NEAR(group->squares[0][r].of[k], p[r] * p[r], 0.0);
        CHECK_NEAR(group->squares[1][r].of[k], u * u, 0.0);
        CHECK_NEAR(group->squares[2][r].of[k], q * q, 0.0);
    }
    CHECK_NEAR(group->square.of[k], square, 0.0);
    CHECK_NEAR(group->scaled.of[k], scaled, 0.0);
    CHECK_NEAR(group->work.of[k], work, 0.0);
}

static void check_posed_joint(const Posed* it, const CnTreeGroup* group, int k, double back,
                              double* worst) {
    int i = group->link[k];
    CnTreeLink* link = &it->asked.links[i];
    CnCompactRows rows = compact_rows(link);
    double before[2][6], rate[CN_MAX_ROWS], p[CN_MAX_ROWS], given[6] = {0.0}, square = 0.0;
    const CnBodyState* states = it->asked.states;
    cn_tree_velocity(cn_tree_state_at(states, link->body_a), before[0]);
    cn_tree_velocity(cn_tree_state_at(states, link->body_b), before[1]);
    cn_compact_rates(&rows, link->row_count, before[0], before[1], rate);
    for (int r = 0; r < link->row_count; ++r) {
        double target = -(back * (0.0 + rate[r]));
        CHECK(memcmp(&target, &group->target[r].of[k], sizeof target) == 0);
        CHECK(memcmp(&target, it->target + it->first_row[i] + r, sizeof target) == 0);
    }
    cn_compact_rates(&rows, link->row_count, velocity_at(it, link->body_a),
                     velocity_at(it, link->body_b), rate);
    for (int r = 0; r < link->row_count; ++r) {
        double u = rate[r] - group->target[r].of[k];
        CHECK(memcmp(&u, &group->missed[r].of[k], sizeof u) == 0);
        CHECK(memcmp(&u, &group->left[r].of[k], sizeof u) == 0);
        square += u * u;
    }
    *worst = fmax(*worst, square);
    cn_tree_impulses(link, it->asked.wrench[i], p);
    cn_compact_push(&rows, link->row_count, p, link->sign > 0.0, given);
    CHECK(memcmp(p, it->impulse + it->first_row[i], (size_t)link->row_count * sizeof *p) == 0);
    CHECK(memcmp(given, it->given[i], sizeof given) == 0);
    CHECK_NEAR(it->trace[i], cn_tree_joint_trace(&it->asked.world->step, link), 0.0);
}

// Rates and trace of the row of drives about the axis of a hinge.
static int check_twist(const Posed* it, const CnTreeGroup* group, int k) {
    const CnTreeLink* link = &it->asked.links[group->link[k]];
    const CnBlock block = {.body_a = link->body_a, .body_b = link->body_b};
    if (!group->has_twists || !link->has_twist) {
        return 0;
    }
    CnVec3 row = link->turned->twist_row;
    double before[2][6];
    cn_tree_velocity(cn_tree_state_at(it->asked.states, link->body_a), before[0]);
    cn_tree_velocity(cn_tree_state_at(it->asked.states, link->body_b), before[1]);
    double after = cn_turn_rate(row, velocity_at(it, link->body_a), velocity_at(it, link->body_b));
    CHECK_NEAR(group->twist_rate.of[k], cn_turn_rate(row, before[0], before[1]), 0.0);
    CHECK_NEAR(group->twist_free.of[k], after, 0.0);
    CHECK_NEAR(group->twist_left.of[k], after, 0.0);
    CHECK_NEAR(group->twist_trace.of[k], cn_tree_turn_trace(&it->asked.world->step, &block, row),
               0.0);
    return 1;
}

// M^-1 P and the velocities before, of a link.
static void check_moved(const Posed* it, int i) {
    int body = it->asked.links[i].body;
    double v[6];
    cn_block_inverse_mass_times(&it->problem, body, it->asked.wrench[i], v);
    for (int k = 0; k < 6; ++k) {
        v[k] = it->problem.free_velocity[body][k] + v[k];
    }
    CHECK(memcmp(v, it->moved[body], sizeof v) == 0);
}

static int check_posed(CnWorld* world, const CnTreeGroupPasses* passes, double back) {
    Posed it = pose(world);
    const Asked* own = &it.asked;
    const double(*velocity)[6] = (const double(*)[6])it.velocity;
    double worst = 0.5;
    int twists = 0;
    cn_tree_read_twists(world, own->tree, own->states);
    passes->pose(own->tree, own->links, own->states, back);
    passes->put_targets(own->tree, it.first_row, it.target);
    passes->find_free_rates(own->tree, velocity);
    double most = passes->find_left(own->tree, velocity, worst);
    CHECK(passes->set_links(own->tree, own->links, own->twist));
    passes->give(own->tree, (const double(*)[6])own->wrench, it.first_row, it.impulse, it.given);
    passes->measure(own->tree, 0.7, it.first_row, it.impulse);
    passes->move(own->tree, own->links, &it.problem, (const double(*)[6])own->wrench, it.moved);
    passes->find_traces(own->tree, &it.problem, it.trace);
    for (int g = 0; g < own->tree->group_count; ++g) {
        for (int k = 0; k < own->tree->groups[g].count; ++k) {
            check_posed_joint(&it, &own->tree->groups[g], k, back, &worst);
            check_measured(&it, &own->tree->groups[g], k, 0.7);
            twists += check_twist(&it, &own->tree->groups[g], k);
        }
    }
    for (int i = 0; i < own->tree->link_count; ++i) {
        check_moved(&it, i);
    }
    CHECK_NEAR(most, worst, 0.0);
    CHECK(it.target[0] == 0.0 && it.impulse[0] == 0.0); // of other rows
    cn_arena_destroy(&it.asked.arena);
    return twists;
}

// Targets, rates, impulses, what they give, velocities and traces.
static void posed_groups_have_the_bits_of_each_joint_alone(void) {
    static const char* const scenes[] = {"@robot:3", "@robot", "@stewart", "@hinges:6"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        int twists = check_posed(world, &cn_tree_group_passes_128, 1.0);
        CHECK_INT(check_posed(world, CN_WIDEST(cn_tree_group_passes), 0.25), twists);
        CHECK((twists > 0) == (i < 2)); // the robots have motors
        cn_world_destroy(world);
    }
}

// Every link is in one group of its form, or alone.
static void each_link_is_passed_once(void) {
    static const char* const scenes[] = {"@robot", "@stewart", "@grasp", "@hinges:7"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = trees_open_moving(scenes[i]);
        for (int t = 0; t < world->trees->tree_count; ++t) {
            const CnJointTree* tree = &world->trees->trees[t];
            int passed[64] = {0};
            CHECK(tree->link_count <= 64);
            for (int g = 0; g < tree->group_count; ++g) {
                CHECK(tree->groups[g].count > 1);
                for (int k = 0; k < tree->groups[g].count; ++k) {
                    ++passed[tree->groups[g].link[k]];
                }
            }
            for (int k = 0; k < tree->alone_count; ++k) {
                ++passed[tree->alone[k]];
            }
            for (int k = 0; k < tree->link_count; ++k) {
                CHECK_INT(passed[k], 1);
            }
        }
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/trees/groups", TEST(groups_have_the_bits_of_each_joint_alone),
          TEST(posed_groups_have_the_bits_of_each_joint_alone),
          TEST(rates_count_a_body_that_moves_by_itself), TEST(each_link_is_passed_once))
