// test_read_back.c - what was given by hand can be read: contacts, pairs of materials, exclusions.
#include "cairn/joint.h"
#include "support/run.h"

#include <string.h>

static const CnVec3 zero = {0.0, 0.0, 0.0};

typedef struct Shelf {
    CnWorld* world;
    CnBodyId lower,
        upper; // both of 1 kg; the upper one carries a point 0.1 m above the lower's plane
    CnContactId contact;
} Shelf;

static Shelf create(void) {
    CnWorldDef def = cn_world_def_default();
    Shelf shelf = {.world = run_create(&def)};
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    shelf.lower = run_add(shelf.world, &body);
    body.position = cn_vec3(0.0, 0.0, 1.0);
    shelf.upper = run_add(shelf.world, &body);
    CnContactDef contact = cn_contact_def_default();
    contact.name = "edge";
    contact.body_a = shelf.lower;
    contact.body_b = shelf.upper;
    contact.point = cn_vec3(0.5, 0.0, 0.6);
    contact.normal = cn_vec3(0.0, 0.0, 1.0);
    contact.gap = 0.1;
    shelf.contact = cn_world_add_contact(shelf.world, &contact, NULL);
    CHECK(shelf.contact.index != 0);
    return shelf;
}

static double distance(CnVec3 a, CnVec3 b) {
    return cn_vec3_length(cn_vec3_sub(a, b));
}

static void turn(CnWorld* world, CnBodyId body, CnVec3 position) {
    CnTransform pose = {position, cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), 0.5 * CN_PI)};
    CHECK_INT(cn_body_set_pose(world, body, pose, NULL), CN_OK);
}

// Turned by a quarter about y, the lower body's normal points along x. The upper one went by 0.2
// along x, which opens the gap to (0.5 + 0.2) - 0.6 + 0.1 = 0.2: its plane is now where x = 0.5.
static void a_contact_given_by_hand_is_read_where_it_is(void) {
    Shelf shelf = create();
    CnContactDef def;
    CHECK_INT(cn_contact_read(shelf.world, shelf.contact, &def), CN_OK);
    CHECK(strcmp(def.name, "edge") == 0);
    CHECK_NEAR(distance(def.point, cn_vec3(0.5, 0.0, 0.6)), 0.0, 1e-15);
    CHECK_NEAR(def.gap, 0.1, 1e-15);
    CHECK_INT((int)def.body_b.index, (int)shelf.upper.index);
    turn(shelf.world, shelf.lower, zero);
    CnBodyState state = run_state(shelf.world, shelf.upper);
    state.center.x += 0.2;
    CHECK_INT(cn_body_set_state(shelf.world, shelf.upper, &state, NULL), CN_OK);
    CHECK_INT(cn_contact_read(shelf.world, shelf.contact, &def), CN_OK);
    CHECK_NEAR(distance(def.normal, cn_vec3(1.0, 0.0, 0.0)), 0.0, 1e-15);
    CHECK_NEAR(distance(def.point, cn_vec3(0.7, 0.0, 0.6)), 0.0, 1e-15);
    CHECK_NEAR(def.gap, 0.2, 1e-15);
    cn_world_destroy(shelf.world);
}

// What is read makes the same contact, whatever the bodies do then.
static void what_is_read_can_be_added_again(void) {
    Shelf shelf = create();
    CnContactDef first, second;
    turn(shelf.world, shelf.upper, cn_vec3(0.3, 0.2, 1.1));
    CHECK_INT(cn_contact_read(shelf.world, shelf.contact, &first), CN_OK);
    CnContactId again = cn_world_add_contact(shelf.world, &first, NULL);
    turn(shelf.world, shelf.lower, cn_vec3(0.1, 0.4, -0.3));
    CHECK_INT(cn_contact_read(shelf.world, shelf.contact, &first), CN_OK);
    CHECK_INT(cn_contact_read(shelf.world, again, &second), CN_OK);
    CHECK_NEAR(distance(first.point, second.point), 0.0, 1e-15);
    CHECK_NEAR(distance(first.normal, second.normal), 0.0, 1e-15);
    CHECK_NEAR(first.gap, second.gap, 2e-15); // sums of lengths of a metre, rounded
    CnContactId ids[4];
    CHECK_INT(cn_world_given_contacts(shelf.world, ids, 4), 2);
    CHECK_INT((int)ids[0].index, (int)shelf.contact.index);
    CHECK_INT((int)ids[1].index, (int)again.index);
    CHECK_INT(cn_world_given_contacts(shelf.world, NULL, 0), 2);
    CHECK_INT(cn_body_given_contacts(shelf.world, shelf.upper, ids, 1), 2);
    CHECK_INT(cn_world_remove_contact(shelf.world, shelf.contact), CN_OK);
    CHECK_INT(cn_world_given_contacts(shelf.world, ids, 4), 1);
    CHECK_INT(cn_contact_read(shelf.world, shelf.contact, &first), CN_STALE);
    CHECK(first.body_b.index == 0); // a def as if nobody had filled it
    CHECK_INT(cn_body_given_contacts(shelf.world, (CnBodyId){99, 1}, ids, 4), -1);
    cn_world_destroy(shelf.world);
}

static void pairs_of_materials_are_read_as_set_or_by_rule(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId ice = run_add_material(world, 0.04, 0.25),
                 rubber = run_add_material(world, 1.0, 1.0);
    CnMaterialPair pair, set = {.a = ice, .b = rubber, .friction = 0.2, .restitution = 0.1};
    set.static_friction = 0.3;
    CHECK_INT(cn_world_read_material_pair(world, ice, rubber, &pair), CN_OK);
    CHECK_NEAR(pair.friction, 0.2, 1e-16); // sqrt(0.04 * 1)
    CHECK_NEAR(pair.restitution, 0.5, 1e-16);
    CHECK(pair.static_friction == 0.0);
    CHECK_INT(cn_world_material_pairs(world, &pair, 1), 0);
    CHECK_INT(cn_world_set_material_pair(world, &set, NULL), CN_OK);
    CHECK_INT(cn_world_read_material_pair(world, rubber, ice, &pair), CN_OK);
    CHECK(pair.friction == 0.2 && pair.restitution == 0.1);
    CHECK_NEAR(pair.static_friction, 0.3, 1e-16);
    CHECK_INT(cn_world_material_pairs(world, &pair, 1), 1);
    CHECK(pair.static_friction == 0.3);
    CHECK_INT((int)pair.a.index, (int)ice.index);
    CHECK_INT(cn_world_read_material_pair(world, ice, (CnMaterialId){9, 1}, &pair), CN_STALE);
    CHECK(pair.friction == 0.0);
    CnMaterialDef plain = cn_material_def_default();
    CHECK_INT(cn_world_read_material_pair(world, (CnMaterialId){0}, (CnMaterialId){0}, &pair),
              CN_OK);
    CHECK_NEAR(pair.friction, plain.friction, 1e-16);
    cn_world_destroy(world);
}

// A joint keeps its bodies apart, but nobody has said so.
static void excluded_pairs_are_told_from_joined_ones(void) {
    Shelf shelf = create();
    CHECK(!cn_world_is_pair_excluded(shelf.world, shelf.lower, shelf.upper));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
    joint.body_a = shelf.lower;
    joint.body_b = shelf.upper;
    CHECK(cn_world_add_joint(shelf.world, &joint, NULL).index != 0);
    CHECK(!cn_world_is_pair_excluded(shelf.world, shelf.lower, shelf.upper));
    CHECK_INT(cn_world_exclude_pair(shelf.world, shelf.upper, shelf.lower, NULL), CN_OK);
    CHECK(cn_world_is_pair_excluded(shelf.world, shelf.lower, shelf.upper));
    CHECK_INT(cn_world_remove_body(shelf.world, shelf.upper), CN_OK);
    CHECK(!cn_world_is_pair_excluded(shelf.world, shelf.lower, shelf.upper));
    cn_world_destroy(shelf.world);
}

TEST_MAIN("unit/world/read_back", TEST(a_contact_given_by_hand_is_read_where_it_is),
          TEST(what_is_read_can_be_added_again),
          TEST(pairs_of_materials_are_read_as_set_or_by_rule),
          TEST(excluded_pairs_are_told_from_joined_ones))
