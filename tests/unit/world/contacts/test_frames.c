// test_frames.c - steps of scheme soft_step do not touch rows of tiles.
#include "cairn/cairn.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/contacts/contact_totals.h"
#include "world/soft/soft_store.h"
#include "world/world.h"

#include <math.h>

#define DT (1.0 / 60.0) // [s]
#define POINTS 512

static CnWorld* open_soft(const char* name, FailingAllocator* memory) {
    CnScene* scene = run_open_scene(name);
    CnSceneSettings settings = cn_scene_settings(scene);
    cn_step_def_use_preset(&settings.step, CN_PRESET_REAL_TIME);
    settings.step.sleep = false;
    settings.solver.tolerance = 1e-3; // solves of scheme moreau need not be good
    return run_build(scene, &settings, failing_allocator(memory));
}

// A pile on a belt: cubes, balls that roll with friction, a bouncing one, and a contact given by
// hand.
static CnWorld* make_mixed(FailingAllocator* memory) {
    CnWorldDef def = run_soft_def();
    def.solver.tolerance = 1e-3;
    def.allocator = failing_allocator(memory);
    CnWorld* world = run_create(&def);
    CnMaterialDef belt = cn_material_def_default();
    belt.surface_velocity = cn_vec3(0.5, 0.0, 0.0);
    CnMaterialDef ball = cn_material_def_default();
    ball.rolling = 0.01;
    ball.restitution = 0.5;
    CnMaterialId rubber = cn_world_add_material(world, &ball, NULL);
    run_add_box(world, CN_BODY_STATIC, cn_vec3(20, 20, 1), cn_vec3(0, 0, -0.5),
                cn_world_add_material(world, &belt, NULL));
    for (int i = 0; i < 4; ++i) {
        CnVec3 place = cn_vec3(1.1 * (i % 2), 0.0, 0.6 + 1.1 * (i / 2));
        CnShapeDef cube = cn_shape_def_default(CN_SHAPE_BOX);
        cube.size = cn_vec3(1, 1, 1);
        CnBodyDef body = cn_body_def_default();
        body.shapes = &cube;
        body.shape_count = 1;
        body.position = place;
        run_add(world, &body);
        run_add_ball(world, 1.0, 0.4, cn_vec3(place.x, place.y + 5.0, place.z), cn_vec3(0.3, 0, 0),
                     rubber);
    }
    CnContactDef foot = cn_contact_def_default();
    foot.body_b = cn_world_body_at(world, 3);
    CHECK(cn_world_add_contact(world, &foot, NULL).index != 0);
    return world;
}

static CnWorld* make(const char* name, FailingAllocator* memory) {
    return name[0] == '@' ? open_soft(name, memory) : make_mixed(memory);
}

// From its first step on its manifolds have rows.
static void give_rows(CnWorld* world) {
    CHECK(world->pairs.manifolds.count == 0);
    CHECK(cn_pair_store_need_rows(&world->pairs));
    CHECK(cn_pair_store_reserve_manifolds(&world->pairs, 1));
}

// Rows are not numbers: who reads one learns so.
static void spoil_rows(CnWorld* world) {
    for (int i = 0; i < world->pairs.manifolds.count; ++i) {
        CnContactTile* tile = &cn_manifold_at(&world->pairs, i)->tile;
        CnTileSlide* slide = tile->slide;
        for (int k = 0; k < 4; ++k) {
            tile->friction[k] = tile->target[k] = tile->step_bound[k] = (double)NAN;
        }
        for (int k = 0; k < 6; ++k) {
            tile->center[k / 3][k % 3] = (double)NAN;
        }
        tile->trace = (double)NAN;
        tile->slide = slide;
    }
}

static void check_same_points(const CnContactPoint* a, const CnContactPoint* b) {
    CHECK(a->body_a.index == b->body_a.index && a->body_b.index == b->body_b.index);
    CHECK(memcmp(&a->impulse, &b->impulse, sizeof a->impulse) == 0);
    CHECK(memcmp(&a->moment, &b->moment, sizeof a->moment) == 0);
    CHECK(memcmp(&a->point, &b->point, sizeof a->point) == 0);
    CHECK(a->gap == b->gap && a->friction == b->friction && a->residual == b->residual);
}

// All that can be read of two worlds.
static void check_same(CnWorld* a, CnWorld* b) {
    static CnContactPoint points[2][POINTS];
    CHECK(cn_world_hash(a) == cn_world_hash(b));
    CHECK_INT(cn_world_events(a, NULL, 0), cn_world_events(b, NULL, 0));
    int count = cn_world_contacts(a, points[0], POINTS);
    CHECK_INT(cn_world_contacts(b, points[1], POINTS), count);
    for (int i = 0; i < count && i < POINTS; ++i) {
        check_same_points(&points[0][i], &points[1][i]);
    }
    CHECK_INT(a->step.manifolds.count, b->step.manifolds.count);
    for (int i = 0; i < a->step.manifolds.count; ++i) {
        int index = a->step.manifolds.data[i];
        CnContactLoad loads[2][CN_TILE_POINTS] = {0};
        cn_manifold_loads(a, index, loads[0]);
        cn_manifold_loads(b, index, loads[1]);
        CHECK(memcmp(loads[0], loads[1], sizeof loads[0]) == 0);
        for (int k = 0; k < cn_manifold_at(&a->pairs, index)->count; ++k) {
            CHECK(loads[0][k].numbers[CN_LOAD_FRICTION] >= 0.0f); // not that of a neighbour
        }
    }
    CHECK_INT(cn_world_problem(a)->row_count, cn_world_problem(b)->row_count);
}

static void step_both(CnWorld* frames, CnWorld* rows) {
    bool is_soft = cn_world_read(frames).step.scheme == CN_SCHEME_SOFT_STEP;
    if (is_soft) {
        spoil_rows(rows);
    }
    CHECK_INT(cn_world_step(frames, DT, NULL, NULL), CN_OK);
    CHECK_INT(cn_world_step(rows, DT, NULL, NULL), CN_OK);
    if (is_soft) {
        spoil_rows(rows);
    }
    check_same(frames, rows);
}

static void change_to(CnWorld* world, CnScheme scheme) {
    CnStepDef step = cn_world_read(world).step;
    step.scheme = scheme;
    CHECK_INT(cn_world_set_step(world, &step, NULL), CN_OK);
}

static const char* const scenes[] = {"mixed", "@s2:3", "@s3:2", "@chains:1"};
#define SCENES ((int)(sizeof scenes / sizeof scenes[0]))

static void soft_steps_do_not_touch_rows(void) {
    for (int i = 0; i < SCENES; ++i) {
        FailingAllocator memory[2] = {{0}, {0}};
        CnWorld *frames = make(scenes[i], &memory[0]), *rows = make(scenes[i], &memory[1]);
        give_rows(rows);
        for (int k = 0; k < 60; ++k) {
            step_both(frames, rows);
        }
        ck_assert_msg(frames->pairs.manifolds.count > 0, "%s: no contacts", scenes[i]);
        CHECK(!cn_pair_store_has_rows(&frames->pairs) && cn_pair_store_has_rows(&rows->pairs));
        cn_world_destroy(frames);
        cn_world_destroy(rows);
    }
}

// Exact solves are told in double precision: the worlds of their bodies have rows, from the first
// step on or from when a body becomes exact.
static void exact_bodies_need_rows(void) {
    FailingAllocator memory[2] = {{0}, {0}};
    CnWorld *late = make("mixed", &memory[0]), *early = make("mixed", &memory[1]);
    give_rows(early);
    for (int k = 0; k < 20; ++k) {
        step_both(late, early);
    }
    CHECK(!cn_pair_store_has_rows(&late->pairs));
    memory[0].refuse_at = memory[0].requests + 1;
    CHECK_INT(cn_body_set_exact(late, cn_world_body_at(late, 3), true, NULL), CN_NO_MEMORY);
    memory[0].refuse_at = 0;
    CHECK(late->exact_count == 0 && !cn_pair_store_has_rows(&late->pairs));
    step_both(late, early);
    CHECK_INT(cn_body_set_exact(late, cn_world_body_at(late, 3), true, NULL), CN_OK);
    CHECK_INT(cn_body_set_exact(early, cn_world_body_at(early, 3), true, NULL), CN_OK);
    CHECK(cn_pair_store_has_rows(&late->pairs));
    for (int k = 0; k < 20; ++k) {
        step_both(late, early);
    }
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_KINEMATIC;
    def.exact = true;
    CnWorld* other = make("mixed", &memory[0]);
    CHECK(cn_world_add_body(other, &def, NULL).index != 0);
    CHECK_INT(cn_world_step(other, DT, NULL, NULL), CN_OK);
    CHECK(cn_pair_store_has_rows(&other->pairs));
    cn_world_destroy(late);
    cn_world_destroy(early);
    cn_world_destroy(other);
}

// To another scheme and back: rows that come later are those that were there before.
static void schemes_change_with_and_without_rows(void) {
    for (int i = 0; i < SCENES; ++i) {
        FailingAllocator memory[2] = {{0}, {0}};
        CnWorld *frames = make(scenes[i], &memory[0]), *rows = make(scenes[i], &memory[1]);
        give_rows(rows);
        for (int k = 0; k < 20; ++k) {
            step_both(frames, rows);
        }
        CnStepDef moreau = cn_world_read(frames).step;
        moreau.scheme = CN_SCHEME_MOREAU;
        memory[0].refuse_at = memory[0].requests + 1;
        CHECK_INT(cn_world_set_step(frames, &moreau, NULL), CN_NO_MEMORY);
        memory[0].refuse_at = 0;
        CHECK(cn_world_read(frames).step.scheme == CN_SCHEME_SOFT_STEP);
        step_both(frames, rows);
        change_to(frames, CN_SCHEME_MOREAU);
        change_to(rows, CN_SCHEME_MOREAU);
        CHECK(cn_pair_store_has_rows(&frames->pairs));
        for (int k = 0; k < 3; ++k) {
            step_both(frames, rows);
        }
        change_to(frames, CN_SCHEME_SOFT_STEP);
        change_to(rows, CN_SCHEME_SOFT_STEP);
        for (int k = 0; k < 20; ++k) {
            step_both(frames, rows);
        }
        cn_world_destroy(frames);
        cn_world_destroy(rows);
        CHECK_INT(memory[0].live + memory[1].live, 0);
    }
}

static void load(CnWorld* from, CnWorld* to) {
    void* bytes;
    size_t size;
    CnError error = {0};
    CHECK_INT(cn_world_save_state_memory(from, &bytes, &size, NULL), CN_OK);
    CnStatus status = cn_world_load_state_memory(to, bytes, size, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_world_release_state(from, bytes);
}

// A state goes into a world of the other kind, and a clone goes on like the world.
static void states_and_clones_bring_what_they_have(void) {
    for (int i = 0; i < SCENES; ++i) {
        FailingAllocator memory[3] = {{0}, {0}, {0}};
        CnWorld* worlds[3];
        for (int k = 0; k < 3; ++k) {
            worlds[k] = make(scenes[i], &memory[k]);
        }
        give_rows(worlds[1]);
        for (int k = 0; k < 20; ++k) {
            step_both(worlds[0], worlds[1]);
        }
        load(worlds[1], worlds[2]); // from rows to none yet
        CHECK(cn_pair_store_has_rows(&worlds[2]->pairs));
        step_both(worlds[0], worlds[2]);
        load(worlds[0], worlds[1]); // from frames to rows
        CHECK(!cn_pair_store_has_rows(&worlds[1]->pairs));
        CHECK_INT(cn_world_step(worlds[1], DT, NULL, NULL), CN_OK);
        step_both(worlds[0], worlds[2]);
        check_same(worlds[0], worlds[1]);
        CnWorld* clone = cn_world_clone(worlds[0], NULL, NULL);
        CHECK(clone != NULL && !cn_pair_store_has_rows(&clone->pairs));
        change_to(clone, CN_SCHEME_MOREAU);
        load(clone, worlds[1]); // rows, and nothing in them
        CHECK(cn_pair_store_has_rows(&worlds[1]->pairs));
        change_to(worlds[2], CN_SCHEME_MOREAU);
        for (int k = 0; k < 3; ++k) {
            step_both(clone, worlds[2]);
            CHECK_INT(cn_world_step(worlds[1], DT, NULL, NULL), CN_OK);
            check_same(clone, worlds[1]);
        }
        cn_world_destroy(clone);
        for (int k = 0; k < 3; ++k) {
            cn_world_destroy(worlds[k]);
        }
    }
}

// Returns whether the step asked for so much memory that some was refused.
static bool goes_on_after(const char* scene, int step, int request) {
    FailingAllocator memory[2] = {{0}, {0}};
    CnWorld *frames = make(scene, &memory[0]), *rows = make(scene, &memory[1]);
    bool was_refused = false;
    give_rows(rows);
    for (int i = 0; i < step + 3; ++i) {
        CnStatus status = CN_NO_MEMORY;
        spoil_rows(rows);
        if (i == step) {
            memory[0].refuse_at = memory[0].requests + request;
            status = cn_world_step(frames, DT, NULL, NULL);
            was_refused = memory[0].requests >= memory[0].refuse_at;
            memory[0].refuse_at = 0;
        }
        if (status != CN_OK) {
            CHECK_INT(cn_world_step(frames, DT, NULL, NULL), CN_OK);
        }
        CHECK_INT(cn_world_step(rows, DT, NULL, NULL), CN_OK);
        if (i >= step) {
            check_same(frames, rows);
        }
    }
    cn_world_destroy(frames);
    cn_world_destroy(rows);
    return was_refused;
}

// Steps in which manifolds are found for the first time, come and go.
static void a_step_that_fails_puts_frames_back(void) {
    const int steps[] = {0, 1, 4, 25};
    int failed = 0;
    for (int i = 0; i < SCENES; ++i) {
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
            for (int request = 1; goes_on_after(scenes[i], steps[k], request); request += 4) {
                ++failed;
            }
        }
    }
    ck_assert_msg(failed > 50, "%d requests were refused", failed);
}

static void step_plainly(CnWorld* a, CnWorld* b) {
    CHECK_INT(cn_world_step(a, DT, NULL, NULL), CN_OK);
    CHECK_INT(cn_world_step(b, DT, NULL, NULL), CN_OK);
    check_same(a, b);
}

static void kick(CnWorld* world, double impulse) {
    CnBodyId body = cn_world_body_at(world, cn_world_body_count(world) - 1);
    CHECK_INT(cn_body_apply_angular_impulse(world, body, cn_vec3(0.0, 0.0, impulse), NULL), CN_OK);
}

// Contacts that stay in their lanes need no room for impulses beside them: to be read, or to be put
// back after a step that fails when everything is solved. A state does, and is refused without.
static void contacts_in_lanes_need_no_room_beside_them(void) {
    FailingAllocator memory[2] = {{0}, {0}};
    CnWorld *failing = make("@s2:3", &memory[0]), *other = make("@s2:3", &memory[1]);
    for (int k = 0; k < 10; ++k) {
        step_plainly(failing, other);
    }
    CHECK(failing->soft->is_ahead && failing->pairs.manifolds.count > 100);
    CHECK_INT(failing->pairs.frames.count, 0);
    kick(failing, 1e300); // beyond single precision
    CHECK(cn_world_step(failing, DT, NULL, NULL) != CN_OK);
    CHECK_INT(failing->pairs.frames.count, 0);
    check_same(failing, other);
    kick(failing, -1e300);
    kick(other, 1e300);
    kick(other, -1e300);
    step_plainly(failing, other);
    CHECK_INT(other->pairs.frames.count, 0);
    void* bytes;
    size_t size;
    memory[1].refuse_at = memory[1].requests + 1;
    CHECK_INT(cn_world_save_state_memory(other, &bytes, &size, NULL), CN_NO_MEMORY);
    memory[1].refuse_at = 0;
    check_same(failing, other);
    load(other, failing);
    CHECK_INT(other->pairs.frames.count, other->pairs.manifolds.count);
    for (int k = 0; k < 3; ++k) {
        step_plainly(failing, other);
    }
    cn_world_destroy(failing);
    cn_world_destroy(other);
}

// What takes impulses out of the lanes of a world between two steps. False: refused.
typedef bool Change(CnWorld* world);

static CnBodyId last_body(const CnWorld* world) {
    return cn_world_body_at(world, cn_world_body_count(world) - 1);
}

static CnShapeId shape_of(const CnWorld* world, CnBodyId body) {
    CnShapeId shape = {0};
    CHECK_INT(cn_body_shapes(world, body, &shape, 1), 1);
    return shape;
}

// The last body gets the index of the one that goes, and its contacts are loaded again.
static bool remove_first(CnWorld* world) {
    return cn_world_remove_body(world, cn_world_body_at(world, 1)) == CN_OK;
}

static bool remove_last(CnWorld* world) {
    return cn_world_remove_body(world, last_body(world)) == CN_OK;
}

static bool remove_ground(CnWorld* world) {
    return cn_shape_remove(world, shape_of(world, cn_world_body_at(world, 0)), NULL) == CN_OK;
}

static bool give_material(CnWorld* world) {
    return cn_shape_set_material(world, shape_of(world, last_body(world)), (CnMaterialId){0},
                                 NULL) == CN_OK;
}

static bool sleep_and_wake(CnWorld* world) {
    return cn_body_set_awake(world, last_body(world), false, NULL) == CN_OK &&
           cn_body_set_awake(world, last_body(world), true, NULL) == CN_OK;
}

static bool rub_per_point(CnWorld* world) {
    CnStepDef step = cn_world_read(world).step;
    step.soft.friction_per_point = true;
    return cn_world_set_step(world, &step, NULL) == CN_OK;
}

static bool shorten_step(CnWorld* world) {
    return cn_world_step(world, 0.5 * DT, NULL, NULL) == CN_OK;
}

static bool make_clone(CnWorld* world) {
    CnWorld* clone = cn_world_clone(world, NULL, NULL);
    cn_world_destroy(clone);
    return clone != NULL;
}

static const struct {
    const char* name;
    Change* make;
} changes[] = {
    {"remove_first", remove_first},     {"remove_last", remove_last},
    {"remove_ground", remove_ground},   {"give_material", give_material},
    {"sleep_and_wake", sleep_and_wake}, {"rub_per_point", rub_per_point},
    {"shorten_step", shorten_step},     {"make_clone", make_clone},
};
#define CHANGES ((int)(sizeof changes / sizeof changes[0]))
#define MOST_REQUESTS 1000

// Contacts are all in their lanes, with no room beside them; each request for memory of the change
// is refused once. A change that is refused has changed nothing.
static void changes_take_impulses_out_of_lanes(void) {
    for (int i = 0; i < CHANGES; ++i) {
        FailingAllocator memory[2] = {{0}, {0}};
        CnWorld *frames = make("@s2:3", &memory[0]), *rows = make("@s2:3", &memory[1]);
        give_rows(rows);
        for (int k = 0; k < 10; ++k) {
            step_both(frames, rows);
        }
        CHECK(frames->soft->is_ahead && frames->pairs.manifolds.count > 100);
        CHECK_INT(frames->pairs.frames.count, 0);
        int refused = 0;
        bool is_made = false;
        for (; !is_made && refused < MOST_REQUESTS; ++refused) {
            memory[0].refuse_at = memory[0].requests + 1 + refused;
            is_made = changes[i].make(frames);
            memory[0].refuse_at = 0;
            if (!is_made) {
                check_same(frames, rows);
            }
        }
        ck_assert_msg(is_made, "%s is refused", changes[i].name);
        spoil_rows(rows);
        CHECK(changes[i].make(rows));
        check_same(frames, rows);
        for (int k = 0; k < 3; ++k) {
            step_both(frames, rows);
        }
        ck_assert_msg(frames->pairs.frames.count > 0, "%s takes nothing", changes[i].name);
        cn_world_destroy(frames);
        cn_world_destroy(rows);
        CHECK_INT(memory[0].live + memory[1].live, 0);
    }
}

TEST_MAIN("unit/world/contacts/frames", TEST(soft_steps_do_not_touch_rows),
          TEST(exact_bodies_need_rows), TEST(schemes_change_with_and_without_rows),
          TEST(states_and_clones_bring_what_they_have), TEST(a_step_that_fails_puts_frames_back),
          TEST(contacts_in_lanes_need_no_room_beside_them),
          TEST(changes_take_impulses_out_of_lanes))
