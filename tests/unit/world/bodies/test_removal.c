// test_removal.c - what goes with a body, what is left of it, and what its removal changes.
#include "cairn/cairn.h"
#include "cairn/random.h"
#include "support/run.h"
#include "world/bodies/body_links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CnMaterialId no_material = {0};

static CnBodyId add_ball(CnWorld* world, const char* name, double x) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    def.name = name;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = cn_vec3(x, 0.0, 0.5);
    return run_add(world, &def);
}

// ---- lists ----

static int count_links(CnWorld* world, CnBodyId id, CnLinkKind kind) {
    int count = 0;
    for (int number = world->details.data[cn_world_body_index(world, id)].first_link[kind];
         number != 0; ++count) {
        number = world->links[kind].data[number - 1].next;
    }
    return count;
}

static int sides(CnBodyId id, CnBodyId a, CnBodyId b) {
    return (a.index == id.index) + (b.index == id.index);
}

// The same by a look at everything there is.
static void check_lists(CnWorld* world, CnBodyId id) {
    int count[CN_LINK_KIND_COUNT] = {0};
    const CnBodyId none = {0};
    for (int i = 0; i < cn_pool_slot_count(&world->forces); ++i) {
        const CnForceDef* force = cn_pool_at(&world->forces, i);
        count[CN_LINK_FORCE] += force == NULL ? 0 : sides(id, force->body, none);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        count[CN_LINK_CONTACT] += given == NULL ? 0 : sides(id, given->body_a, given->body_b);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->joints); ++i) {
        const CnJoint* joint = cn_pool_at(&world->joints, i);
        count[CN_LINK_JOINT] += joint == NULL ? 0 : sides(id, joint->body_a, joint->body_b);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* c = cn_pool_at(&world->constraints, i);
        count[CN_LINK_CONSTRAINT] += c == NULL ? 0 : sides(id, c->body_a, c->body_b);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->separations); ++i) {
        const CnSeparation* s = cn_pool_at(&world->separations, i);
        count[CN_LINK_SEPARATION] += s == NULL ? 0 : sides(id, s->body_a, s->body_b);
    }
    for (int i = 0; i < CN_LINK_KIND_COUNT; ++i) {
        CHECK_INT(count_links(world, id, (CnLinkKind)i), count[i]);
    }
}

static int below(CnRandom* random, int count) {
    return (int)(cn_random_next(random) % (uint64_t)count);
}

static CnBodyId any_body(CnWorld* world, CnRandom* random) {
    return cn_world_body_at(world, below(random, cn_world_body_count(world)));
}

// Something between two bodies, or one and the world.
static void add_something(CnWorld* world, CnRandom* random) {
    CnBodyId a = any_body(world, random), b = any_body(world, random);
    CnForceDef force = cn_force_def_default();
    CnContactDef contact = cn_contact_def_default();
    CnJointDef joint = cn_joint_def_default(CN_JOINT_HINGE);
    CnConstraintDef tie = cn_constraint_def_default();
    CnDistanceData data = {.length = 1.0};
    switch (below(random, 5)) {
    case 0:
        force.body = a;
        cn_world_add_force(world, &force, NULL);
        break;
    case 1:
        contact.body_a = a;
        contact.body_b = b;
        cn_world_add_contact(world, &contact, NULL); // refused for one body
        break;
    case 2:
        joint.body_a = below(random, 3) == 0 ? (CnBodyId){0} : a;
        joint.body_b = b;
        joint.axes[CN_AXIS_TURN_Z].limited = true;
        cn_world_add_joint(world, &joint, NULL); // refused for one body
        break;
    case 3:
        tie.kind = cn_distance_kind();
        tie.body_a = a;
        tie.body_b = b;
        tie.data = &data;
        tie.data_size = sizeof data;
        cn_world_add_constraint(world, &tie, NULL); // refused for one body
        break;
    default:
        CHECK_INT(cn_world_exclude_pair(world, a, b, NULL), CN_OK);
    }
}

static void remove_something(CnWorld* world, CnRandom* random) {
    if (below(random, 2) == 0 && cn_world_joint_count(world) > 0) {
        int place = below(random, cn_world_joint_count(world));
        CHECK_INT(cn_world_remove_joint(world, cn_world_joint_at(world, place)), CN_OK);
    } else if (cn_world_body_count(world) > 3) {
        CHECK_INT(cn_world_remove_body(world, any_body(world, random)), CN_OK);
    }
}

static void a_body_knows_all_that_it_has(void) {
    CnRandom random = {12};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int i = 0; i < 3; ++i) {
        add_ball(world, NULL, 2.0 * i);
    }
    for (int round = 0; round < 2000; ++round) {
        if (below(&random, 4) == 0) {
            add_ball(world, NULL, 2.0 * round);
        }
        add_something(world, &random);
        if (below(&random, 3) == 0) {
            remove_something(world, &random);
        }
        check_lists(world, any_body(world, &random));
        for (int i = 0; i < cn_world_body_count(world); ++i) {
            CHECK_INT(cn_world_body_index(world, cn_world_body_at(world, i)), i);
        }
    }
    while (cn_world_body_count(world) > 0) {
        CHECK_INT(cn_world_remove_body(world, cn_world_body_at(world, 0)), CN_OK);
    }
    CHECK_INT(cn_world_joint_count(world), 0);
    CHECK_INT(world->forces.count + world->given_contacts.count + world->constraints.count, 0);
    CHECK_INT(world->separations.count + world->excluded.count + world->names.count, 0);
    cn_world_destroy(world);
}

// ---- what is left ----

static void excluded_pairs_go_with_their_bodies(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId stays = add_ball(world, "stays", 0.0);
    for (int i = 0; i < 10000; ++i) {
        CnBodyId comes = add_ball(world, "comes", 0.5);
        CHECK_INT(cn_world_exclude_pair(world, stays, comes, NULL), CN_OK);
        CHECK_INT(cn_world_exclude_pair(world, comes, stays, NULL), CN_OK); // said twice
        CHECK_INT(world->excluded.count, 1);
        CHECK_INT(cn_world_remove_body(world, comes), CN_OK);
        CHECK_INT(world->excluded.count, 0);
    }
    CHECK_INT(world->excluded.capacity, 16); // as for the first
    CHECK_INT(cn_pool_slot_count(&world->separations), 1);
    CHECK_INT(world->broad_phase.proxies.count, 2); // numbers are used again without a step, too
    cn_world_destroy(world);
}

// A pair that a constraint and the user keep apart stays apart without the constraint.
static void reasons_not_to_collide_are_counted(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId a = add_ball(world, "a", 0.0), b = add_ball(world, "b", 0.9);
    CnDistanceData data = {.length = 0.9};
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 1);
    CnConstraintId tie = run_add_constraint(world, cn_distance_kind(), a, b, &data, sizeof data);
    CHECK_INT(cn_world_exclude_pair(world, a, b, NULL), CN_OK);
    CHECK_INT(cn_world_remove_constraint(world, tie), CN_OK);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 0);
    CHECK_INT(cn_world_remove_body(world, b), CN_OK);
    add_ball(world, "b", 0.9); // takes b's slot; nobody has excluded it
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 1);
    cn_world_destroy(world);
}

// The last body moves into the place of one that was removed; contacts and events do not notice.
static void those_that_stay_keep_their_contacts(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId ground = run_add_ground(world, no_material), balls[6];
    for (int i = 0; i < 6; ++i) {
        balls[i] = add_ball(world, NULL, 2.0 * i);
    }
    run_steps(world, 1e-3, 3);
    CHECK_INT(cn_world_events(world, NULL, 0), 0); // they touched in the first
    CHECK_INT(cn_world_remove_body(world, balls[1]), CN_OK);
    CHECK_INT(cn_world_body_index(world, balls[5]), 2);
    run_step(world, 1e-3);
    CnEvent events[8];
    CnContactPoint points[8];
    CHECK_INT(cn_world_events(world, events, 8), 1);
    CHECK_INT(events[0].type, CN_EVENT_CONTACT_END);
    CHECK_INT(events[0].body_b.index, balls[1].index);
    CHECK_INT(cn_world_contacts(world, points, 8), 5);
    const int left[5] = {0, 2, 3, 4, 5}; // in order of creation still
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(points[i].body_a.index, ground.index);
        CHECK_INT(points[i].body_b.index, balls[left[i]].index);
    }
    cn_world_destroy(world);
}

// ---- cost ----

// The lists of a world that all of its bodies are in.
typedef struct Lists {
    CnBodyId* order;   // [order_count]
    CnJointId* joints; // [joint_count]
    CnLink* links;     // of joints and constraints, one after the other   [link_count]
    int order_count, joint_count, link_count;
} Lists;

static void* copy_of(const void* from, int count, size_t size) {
    void* copy = malloc((size_t)count * size + 1);
    CHECK(copy != NULL);
    memcpy(copy, from, (size_t)count * size);
    return copy;
}

static Lists copy_lists(const CnWorld* world) {
    int joints = world->links[CN_LINK_JOINT].count;
    int constraints = world->links[CN_LINK_CONSTRAINT].count;
    Lists lists = {
        .order = copy_of(world->order.data, world->order.count, sizeof(CnBodyId)),
        .joints = copy_of(world->joint_order.data, world->joint_order.count, sizeof(CnJointId)),
        .links = malloc((size_t)(joints + constraints) * sizeof(CnLink) + 1),
        .order_count = world->order.count,
        .joint_count = world->joint_order.count,
        .link_count = joints + constraints,
    };
    CHECK(lists.links != NULL);
    memcpy(lists.links, world->links[CN_LINK_JOINT].data, (size_t)joints * sizeof(CnLink));
    memcpy(lists.links + joints, world->links[CN_LINK_CONSTRAINT].data,
           (size_t)constraints * sizeof(CnLink));
    return lists;
}

static void free_lists(Lists* lists) {
    free(lists->order);
    free(lists->joints);
    free(lists->links);
}

static int count_changes(const void* before, const void* after, int count, size_t size) {
    int changes = 0;
    for (int i = 0; i < count; ++i) {
        const char *a = before, *b = after;
        changes += memcmp(a + (size_t)i * size, b + (size_t)i * size, size) != 0;
    }
    return changes;
}

// The last of each list takes the place that becomes free, and the links of a hinge, alone in the
// lists of its body, are left as they are: an entry each, however many there are.
static void check_changes(const CnWorld* world, const Lists* before) {
    Lists after = copy_lists(world);
    CHECK_INT(after.order_count, before->order_count - 1);
    CHECK_INT(after.joint_count, before->joint_count - 1);
    CHECK(count_changes(before->order, after.order, after.order_count, sizeof(CnBodyId)) <= 1);
    CHECK(count_changes(before->joints, after.joints, after.joint_count, sizeof(CnJointId)) <= 1);
    CHECK_INT(after.link_count, before->link_count);
    CHECK_INT(count_changes(before->links, after.links, after.link_count, sizeof(CnLink)), 0);
    free_lists(&after);
}

// Bodies with a name and a hinge each, removed in order of creation, which was the worst there is
// for lists that close up.
static void removal_changes_one_entry_of_each_list(void) {
    enum { COUNT = 300 };
    CnBodyId ids[COUNT];
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int i = 0; i < COUNT; ++i) {
        char name[20];
        snprintf(name, sizeof name, "body %d", i);
        ids[i] = add_ball(world, name, 2.0 * i);
        CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
        hinge.body_b = ids[i];
        hinge.point_a = cn_vec3(2.0 * i, 0.0, 0.5);
        CHECK(cn_world_add_joint(world, &hinge, NULL).index != 0);
    }
    for (int i = 0; i < COUNT; ++i) {
        Lists before = copy_lists(world);
        CHECK_INT(cn_world_remove_body(world, ids[i]), CN_OK);
        check_changes(world, &before);
        CHECK_INT(world->names.count, COUNT - 1 - i);
        free_lists(&before);
    }
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/removal", TEST(a_body_knows_all_that_it_has),
          TEST(excluded_pairs_go_with_their_bodies), TEST(reasons_not_to_collide_are_counted),
          TEST(those_that_stay_keep_their_contacts), TEST(removal_changes_one_entry_of_each_list))
