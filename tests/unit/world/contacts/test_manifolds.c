// test_manifolds.c - manifolds from step to step: kept, advanced, handed over, dropped.
#include "cairn/random.h"
#include "support/run.h"
#include "support/shapes/random_poses.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include <stdlib.h>

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

#define DT 1e-3 // [s]

static CnBodyId add_box(CnWorld* world, CnVec3 size, CnVec3 position, CnQuat rotation,
                        CnBodyType type) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef box = cn_body_def_default();
    shape.size = size;
    box.type = type;
    box.shapes = &shape;
    box.shape_count = 1;
    box.position = position;
    box.rotation = rotation;
    return run_add(world, &box);
}

static void read_states(const CnWorld* world, CnBodyState* states) {
    for (int i = 0; i < world->bodies.count; ++i) {
        states[i] = world->bodies.data[i].state;
    }
}

static void look_at(CnWorld* world, const CnBodyState* states) {
    CnLook look = {.states = states, .dt = DT};
    CHECK_INT(cn_world_find_pairs(world, states, DT), CN_OK);
    CHECK_INT(cn_manifolds_update(world, &look), CN_OK);
}

// Manifolds and tiles as a step of scheme moreau makes them.
static void pose(CnWorld* world, const CnBodyState* states) {
    CnPosing posing = {.states = states, .dt = DT, .theta = 0.5};
    CHECK_INT(cn_motion_reserve(world), CN_OK);
    look_at(world, states);
    world->step.dt = world->kept_dt = DT;
    CHECK_INT(cn_world_add_contact_rows(world, &posing), CN_OK);
}

static CnManifold* manifold_of(CnWorld* world, int place) {
    CHECK(place < world->step.manifolds.count);
    return cn_manifold_at(&world->pairs, world->step.manifolds.data[place]);
}

// All that a user could read of two contact points.
static void check_same_point(const CnManifold* of_a, const CnManifold* of_b, int i) {
    const CnTouchPoint *a = &of_a->points[i], *b = &of_b->points[i];
    CnVec3 at = cn_manifold_point(of_a, i), other = cn_manifold_point(of_b, i);
    CHECK(memcmp(&at, &other, sizeof at) == 0 && a->gap == b->gap);
    CHECK(a->feature == b->feature && a->pressed == b->pressed && a->stuck == b->stuck);
    CnVec3 impulse = cn_manifold_impulse(of_a, i), other_impulse = cn_manifold_impulse(of_b, i);
    CHECK(memcmp(&impulse, &other_impulse, sizeof impulse) == 0);
}

// A stack of two boxes at rest. Looked at again, and after moving by less than the bound, manifolds
// are the same to the bit; after moving by more they are not.
static void still_pairs_keep_their_manifolds(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnQuat turned = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.3);
    CnBodyState states[3];
    CnManifold before[2];
    run_add_ground(world, no_material);
    add_box(world, cn_vec3(1.0, 2.0, 0.5), cn_vec3(0.1, 0.0, 0.25), turned, CN_BODY_DYNAMIC);
    add_box(world, cn_vec3(0.7, 0.7, 0.5), cn_vec3(0.0, 0.1, 0.75), cn_quat_identity(),
            CN_BODY_DYNAMIC);
    run_steps(world, DT, 5);
    read_states(world, states);
    look_at(world, states);
    CHECK_INT(world->step.manifolds.count, 2);
    for (int i = 0; i < 2; ++i) {
        before[i] = *manifold_of(world, i);
        CHECK_INT(before[i].count, 4);
    }
    for (int turn = 0; turn < 2; ++turn) {
        look_at(world, states);
        CHECK_INT(world->step.manifolds.count, 2);
        for (int i = 0; i < 2; ++i) {
            const CnManifold* now = manifold_of(world, i);
            CHECK(now->has_tile == before[i].has_tile);
            for (int k = 0; k < 4; ++k) {
                check_same_point(now, &before[i], k);
            }
        }
        states[2].center.z += 0.2e-12; // [m]
    }
    states[2].center.z += 1e-9; // only what meets the upper box is looked at again
    look_at(world, states);
    const CnManifold *lower = manifold_of(world, 0), *upper = manifold_of(world, 1);
    check_same_point(lower, &before[0], 0);
    CHECK_NEAR(upper->points[0].gap, before[1].points[0].gap + 1e-9, 1e-12);
    CHECK(!upper->has_tile);
    cn_world_destroy(world);
}

// The gap that the row of a tile asks to close: moreau.md (7).
static double tile_gap(const CnManifold* manifold, int point) {
    CHECK((manifold->tile.acting >> point & 1u) != 0);
    return -DT * manifold->tile.target[point];
}

static double found_gap(const CnContactArray* found, uint32_t feature) {
    for (int i = 0; i < found->count; ++i) {
        if (found->data[i].feature == feature) {
            return found->data[i].gap;
        }
    }
    return NAN;
}

static CnBodyState nudged(CnBodyState state, CnRandom* random) {
    state.center = cn_vec3_add(state.center, random_within(random, 1e-13));
    state.rotation = cn_quat_multiply(cn_quat_exp(random_within(random, 1e-13)), state.rotation);
    return state;
}

// Two boxes with faces 0.2 mm apart and tilted by 1e-4 rad, moved by up to 2e-13 m: the gaps in the
// kept tile are those that the narrow phase finds at the new poses. What is left out is of second
// order: 1e-13 m along a face tilted by 1e-4, 1e-17 m. What is there is the round-off of a few
// products of lengths of 0.5 m: 1e-15 m.
static void gaps_of_kept_tiles_advance_with_the_bodies(void) {
    CnRandom random = {5};
    double moved = 0.0;
    for (int round = 0; round < 100; ++round) {
        CnWorldDef def = cn_world_def_default();
        CnWorld* world = run_create(&def);
        CnQuat frame = cn_quat_exp(random_within(&random, 2.0));
        CnVec3 tilt = cn_vec3_scale(1e-4, random_within(&random, 1.0));
        tilt.z = cn_random_between(&random, 0.1, 0.7);
        CnVec3 up = cn_quat_rotate(frame, cn_vec3(0.05, -0.1, 0.4502));
        CnQuat other = cn_quat_multiply(frame, cn_quat_exp(tilt));
        CnBodyState states[2], later[2];
        CnContactArray found = {0};
        add_box(world, cn_vec3(0.8, 0.7, 0.5), zero, frame, CN_BODY_DYNAMIC);
        add_box(world, cn_vec3(0.6, 0.5, 0.4), up, other, CN_BODY_DYNAMIC);
        read_states(world, states);
        pose(world, states);
        CHECK_INT(world->step.manifolds.count, 1);
        CnManifold before = *manifold_of(world, 0);
        CHECK(before.count >= 3);
        for (int i = 0; i < 2; ++i) {
            later[i] = nudged(states[i], &random);
        }
        pose(world, later);
        CHECK_INT(world->places.data[0].epoch, 1);
        CHECK_INT(world->places.data[1].epoch, 1);
        world->def.step.recycling_distance = 0.0; // now the narrow phase looks where they are
        CHECK_INT(cn_world_collect_contacts(world, later, DT, &found), CN_OK);
        for (int k = 0; k < before.count; ++k) {
            const CnManifold* manifold = manifold_of(world, 0);
            double expected = found_gap(&found, before.points[k].feature);
            CHECK(manifold->points[k].gap == before.points[k].gap);
            CHECK_NEAR(tile_gap(manifold, k), expected, 1e-15);
            moved = fmax(moved, fabs(expected - before.points[k].gap));
        }
        cn_array_free(&found, &world->allocator);
        cn_world_destroy(world);
    }
    CHECK(moved > 5e-14); // fifty times what is allowed: tiles that stay as they are would fail
}

// Of four corners with torsion one is lost, and its nearest gets what it had.
static void lost_points_hand_impulse_and_moment_over(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialDef rough = cn_material_def_default();
    rough.torsion = 0.01;
    CnMaterialId material = cn_world_add_material(world, &rough, NULL);
    CnBodyState states[2];
    run_add_ground(world, material);
    add_box(world, cn_vec3(1.0, 2.0, 0.5), cn_vec3(0.1, 0.0, 0.25), cn_quat_identity(),
            CN_BODY_DYNAMIC);
    run_step(world, DT);
    CnManifold* manifold = manifold_of(world, 0);
    int index = world->step.manifolds.data[0];
    CHECK(world->pairs.has_extras);
    CHECK_INT(manifold->count, 4);
    cn_pair_store_unframe(&world->pairs, index);
    for (int i = 0; i < 4; ++i) {
        cn_manifold_set_impulse(manifold, i, cn_vec3(0.0, 0.0, 1 << i));
        cn_touch_extras(&world->pairs, index, i)->moment = cn_vec3(0.0, 0.0, 16 << i);
    }
    manifold->points[1].feature ^= 1u << 20; // a name that no search gives,
    cn_manifold_set_point(manifold, 1, cn_manifold_point(manifold, 2)); // and nearest to the third
    read_states(world, states);
    cn_places_disturb(world, 1);
    look_at(world, states);
    const double impulse[4] = {1.0, 0.0, 4.0 + 2.0, 8.0};
    for (int i = 0; i < 4; ++i) {
        CHECK(cn_manifold_impulse(manifold, i).z == impulse[i]);
        CHECK(cn_touch_extras(&world->pairs, index, i)->moment.z == 16.0 * impulse[i]);
    }
    cn_world_destroy(world);
}

// The mesh of two planes that meet in the y axis, each 45 degrees steep.
static void add_trough(CnWorld* world) {
    static const CnVec3 corners[6] = {{0, -2, 0}, {0, 2, 0},   {2, -2, 2},
                                      {2, 2, 2},  {-2, -2, 2}, {-2, 2, 2}};
    static const int triangles[4][3] = {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}};
    CnShapeDef mesh = cn_shape_def_default(CN_SHAPE_MESH);
    CnBodyDef body = cn_body_def_default();
    mesh.points = corners;
    mesh.point_count = 6;
    mesh.triangles = triangles;
    mesh.triangle_count = 4;
    body.type = CN_BODY_STATIC;
    body.shapes = &mesh;
    body.shape_count = 1;
    run_add(world, &body);
}

static int count_manifolds(const CnWorld* world, int record) {
    int count = 0;
    for (int m = world->pairs.records.data[record].manifold; m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        ++count;
    }
    return count;
}

// A ball in a trough meets both its sides: two normals, two manifolds of one pair. Moved along one
// side by more than it can close in a step it has one, and the place of the other is free.
static void a_mesh_pair_has_a_manifold_for_each_normal(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyState states[2];
    double side = sqrt(0.5);
    add_trough(world);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.1, 0.5 / side), zero, no_material);
    read_states(world, states);
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, 2);
    const CnManifold *first = manifold_of(world, 0), *second = manifold_of(world, 1);
    int record = first->pair;
    CHECK_INT(second->pair, record);
    CHECK_INT(count_manifolds(world, record), 2);
    CHECK_NEAR(cn_vec3_dot(cn_manifold_normal(first), cn_manifold_normal(second)), 0.0, 1e-15);
    CHECK_NEAR(fabs(cn_manifold_normal(first).x), side, 1e-15);
    CHECK_NEAR(fabs(cn_manifold_normal(first).z), side, 1e-15);
    CHECK_INT(first->count, 1);
    CHECK_NEAR(first->points[0].gap, 0.0, 1e-15);
    int dropped = world->step.manifolds.data[1];
    states[1].center = cn_vec3_add(states[1].center, cn_vec3(0.3, 0.0, 0.3));
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, 1);
    CHECK_INT(count_manifolds(world, record), 1);
    CHECK(!cn_manifold_at(&world->pairs, dropped)->in_use);
    CHECK_NEAR(cn_manifold_normal(manifold_of(world, 0)).x, -side, 1e-15); // from mesh to ball
    cn_world_destroy(world);
}

// A box is lifted: out of reach its pair has no manifold, out of its fat box it has no record.
static void contacts_that_leave_the_margin_are_dropped(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyState states[2];
    add_box(world, cn_vec3(4.0, 4.0, 1.0), cn_vec3(0.0, 0.0, -0.5), cn_quat_identity(),
            CN_BODY_STATIC);
    add_box(world, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.5), cn_quat_identity(),
            CN_BODY_DYNAMIC);
    read_states(world, states);
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, 1);
    int record = manifold_of(world, 0)->pair;
    double margin = def.step.contact_margin;
    states[1].center.z = 0.5 + 0.99 * margin;
    pose(world, states);
    CHECK_INT(manifold_of(world, 0)->count, 4);
    CHECK_NEAR(manifold_of(world, 0)->points[0].gap, 0.99 * margin, 1e-15);
    states[1].center.z = 0.5 + 1.01 * margin;
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, 0);
    CHECK_INT(world->pairs.records.data[record].manifold, CN_NONE);
    CHECK(world->pairs.records.data[record].in_use); // fat boxes still overlap
    states[1].center.z = 10.0;
    pose(world, states);
    CHECK_INT(world->broad_phase.set.pairs.count, 0);
    CHECK_INT(world->broad_phase.set.lost.count, 1);
    CHECK_INT(world->broad_phase.set.lost_records.data[0], record);
    cn_world_destroy(world);
}

// More pairs than a part of the search has looks, and pairs whose boxes no longer meet among them:
// every box on the ground has the gap that it was given, the others have no manifold.
static void pairs_of_all_parts_get_their_manifolds(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    int count = 2 * CN_SEARCH_PART + 17, near = 0;
    double margin = def.step.contact_margin;
    CnBodyState* states = calloc((size_t)count + 1, sizeof *states);
    run_add_ground(world, no_material);
    for (int i = 0; i < count; ++i) {
        add_box(world, cn_vec3(1.0, 1.0, 1.0), cn_vec3(2.0 * (i % 64), 2.0 * (i / 64), 0.5),
                cn_quat_identity(), CN_BODY_DYNAMIC);
    }
    read_states(world, states);
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, count);
    for (int i = 0; i < count; ++i) {
        bool is_near = i % 3 != 0;
        double share = (i + 1.0) / count;
        states[i + 1].center.z = 0.5 + (is_near ? 0.5 * share : 1.0 + 0.5 * share) * margin;
        near += is_near;
    }
    pose(world, states);
    CHECK_INT(world->step.manifolds.count, near);
    for (int k = 0; k < near; ++k) {
        const CnManifold* manifold = manifold_of(world, k);
        int bodies[2];
        cn_manifold_bodies(world, manifold, bodies);
        int body = bodies[0] > bodies[1] ? bodies[0] : bodies[1];
        CHECK(body % 3 != 1); // bodies are counted from the ground
        CHECK_INT(manifold->count, 4);
        CHECK_NEAR(manifold->points[0].gap, states[body].center.z - 0.5, 1e-15);
    }
    free(states);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/contacts/manifolds", TEST(still_pairs_keep_their_manifolds),
          TEST(gaps_of_kept_tiles_advance_with_the_bodies),
          TEST(lost_points_hand_impulse_and_moment_over),
          TEST(a_mesh_pair_has_a_manifold_for_each_normal),
          TEST(contacts_that_leave_the_margin_are_dropped),
          TEST(pairs_of_all_parts_get_their_manifolds))
