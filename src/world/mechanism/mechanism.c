// mechanism.c - which bodies and joints make a mechanism, and in which order.
#include "base/error.h"
#include "base/memory.h"
#include "solvers/tree/linkage_plan.h"
#include "world/bodies/body_links.h"
#include "world/constraints/joint.h"
#include "world/mechanism/mechanism_links.h"

#include <stdlib.h>

// What is found before the tree is known. Bodies are numbered in the order in which they are met.
typedef struct Survey {
    const CnWorld* world;
    int body_count, joint_count;
    int* bodies;  // indices in the world   [bodies of the world]
    int* place;   // of each body of the world, -1: not met   [bodies of the world]
    int* joints;  // slots   [joints of the world]
    bool* is_met; // of each slot   [slots]
} Survey;

static const char* body_name(const CnWorld* world, CnBodyId id) {
    const char* name = cn_body_name(world, id);
    return name[0] != 0 ? name : "without a name";
}

static bool acts(const CnJoint* joint) {
    return joint->enabled && !joint->broken;
}

static int movable_index(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return cn_body_is_movable(body) && !body->disabled ? cn_world_body_index(world, id) : -1;
}

static void meet_body(Survey* survey, int index) {
    if (index >= 0 && survey->place[index] < 0) {
        survey->place[index] = survey->body_count;
        survey->bodies[survey->body_count++] = index;
    }
}

static void meet_joints(Survey* survey, int body) {
    const CnWorld* world = survey->world;
    for (int link = cn_body_first_link(world, body, CN_LINK_JOINT); link != 0;
         link = cn_link_next(world, CN_LINK_JOINT, link)) {
        int slot = cn_link_slot(link);
        const CnJoint* joint = cn_pool_at(&world->joints, slot);
        if (!survey->is_met[slot] && acts(joint)) {
            survey->is_met[slot] = true;
            survey->joints[survey->joint_count++] = slot;
            meet_body(survey, movable_index(world, joint->body_a));
            meet_body(survey, movable_index(world, joint->body_b));
        }
    }
}

static int compare_ints(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Bodies and joints in the order of the world, so that the tree does not depend on where the search
// began.
static CnStatus survey_world(Survey* survey, int body, CnArena* arena) {
    const CnWorld* world = survey->world;
    int count = world->order.count, slots = cn_pool_slot_count(&world->joints);
    survey->bodies = CN_ARENA_NEW(arena, int, count);
    survey->place = CN_ARENA_NEW(arena, int, count);
    survey->joints = CN_ARENA_NEW(arena, int, slots);
    survey->is_met = CN_ARENA_NEW(arena, bool, slots);
    if (survey->bodies == NULL || survey->place == NULL || survey->joints == NULL ||
        survey->is_met == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        survey->place[i] = -1;
    }
    meet_body(survey, body);
    for (int i = 0; i < survey->body_count; ++i) {
        meet_joints(survey, survey->bodies[i]);
    }
    qsort(survey->bodies, (size_t)survey->body_count, sizeof(int), compare_ints);
    qsort(survey->joints, (size_t)survey->joint_count, sizeof(int), compare_ints);
    for (int i = 0; i < survey->body_count; ++i) {
        survey->place[survey->bodies[i]] = i;
    }
    return CN_OK;
}

static int kept_rows(const CnWorld* world, const CnJoint* joint) {
    const CnJointPart* part = cn_joint_part_at(world, joint->kept);
    return part == NULL ? 0 : part->row_count;
}

static bool keeps_a_point_only(const CnWorld* world, const CnJoint* joint) {
    return joint->axis_count == 0 && joint->kept_lengths == 3 && kept_rows(world, joint) == 3;
}

// Whether kept rows and free axes are the six coordinates of one body in another. Rows of gears
// lean on the world, a distance leaves turns without a name.
static bool has_coordinates(const CnWorld* world, const CnJoint* joint) {
    bool is_whole = kept_rows(world, joint) + joint->axis_count == 6;
    return is_whole || keeps_a_point_only(world, joint);
}

static CnStatus list_edges(const Survey* survey, CnLinkageEdge* edges, int* slots, int* count,
                           CnError* error) {
    const CnWorld* world = survey->world;
    for (int i = 0; i < survey->joint_count; ++i) {
        const CnJoint* joint = cn_pool_at(&world->joints, survey->joints[i]);
        int a = movable_index(world, joint->body_a), b = movable_index(world, joint->body_b);
        if (cn_joint_type_info(joint->type)->course != CN_COURSE_NONE) {
            return cn_error_set(
                error, CN_INVALID,
                "joint \"%s\" (%s) prescribes a motion; a mechanism has joints with "
                "coordinates",
                joint->name, cn_joint_type_name(joint->type));
        }
        if (has_coordinates(world, joint)) {
            edges[*count] = (CnLinkageEdge){.body_a = a < 0 ? -1 : survey->place[a],
                                            .body_b = b < 0 ? -1 : survey->place[b],
                                            .weight = kept_rows(world, joint)};
            slots[(*count)++] = survey->joints[i];
        }
    }
    return CN_OK;
}

static CnJointId joint_id(const CnWorld* world, int slot) {
    CnPoolId id = cn_pool_id_at(&world->joints, slot);
    return (CnJointId){id.index, id.generation};
}

static CnMechanismLink make_link(const Survey* survey, int body, int slot) {
    const CnWorld* world = survey->world;
    CnMechanismLink link = {.body = world->order.data[survey->bodies[body]]};
    if (slot >= 0) {
        const CnJoint* joint = cn_pool_at(&world->joints, slot);
        link.joint = joint_id(world, slot);
        link.is_a = movable_index(world, joint->body_a) == survey->bodies[body];
        link.base = link.is_a ? joint->body_b : joint->body_a;
        link.turns_freely = keeps_a_point_only(world, joint);
        link.kept = kept_rows(world, joint);
    }
    return link;
}

static void name_axes(CnMechanism* mechanism, const CnWorld* world, int i) {
    const CnMechanismLink* link = &mechanism->links[i];
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(link->joint));
    int first = mechanism->first[i];
    mechanism->first[i + 1] = first + 6 - link->kept;
    for (int k = 0; k < 6 - link->kept; ++k) {
        CnAxis axis =
            joint != NULL && joint->axis_count > 0 ? joint->axes[k].axis : (CnAxis)(link->kept + k);
        mechanism->coordinates[first + k] =
            (CnCoordinate){.joint = link->joint, .axis = axis, .body = link->body};
    }
}

static CnStatus allocate(CnMechanism* mechanism, int links, int joints) {
    CnArena* arena = &mechanism->arena;
    mechanism->links = CN_ARENA_NEW(arena, CnMechanismLink, links);
    mechanism->coordinates = CN_ARENA_NEW(arena, CnCoordinate, 6 * links);
    mechanism->loops = CN_ARENA_NEW(arena, CnJointId, joints);
    mechanism->parent = CN_ARENA_NEW(arena, int, links);
    mechanism->first = CN_ARENA_NEW(arena, int, links + 1);
    mechanism->inverse = cn_arena_allocate(arena, (size_t)links, sizeof *mechanism->inverse);
    mechanism->momentum = cn_arena_allocate(arena, (size_t)links, sizeof *mechanism->momentum);
    mechanism->velocity = cn_arena_allocate(arena, (size_t)links, sizeof *mechanism->velocity);
    mechanism->twist = cn_arena_allocate(arena, (size_t)links, sizeof *mechanism->twist);
    mechanism->wrench = cn_arena_allocate(arena, (size_t)links, sizeof *mechanism->wrench);
    mechanism->rate = CN_ARENA_NEW(arena, double, 12 * links);
    mechanism->states = CN_ARENA_NEW(arena, CnBodyState, links);
    mechanism->ids = CN_ARENA_NEW(arena, CnBodyId, links);
    bool has_memory =
        mechanism->links != NULL && mechanism->coordinates != NULL && mechanism->loops != NULL &&
        mechanism->parent != NULL && mechanism->first != NULL && mechanism->inverse != NULL &&
        mechanism->momentum != NULL && mechanism->velocity != NULL && mechanism->twist != NULL &&
        mechanism->wrench != NULL && mechanism->rate != NULL && mechanism->states != NULL &&
        mechanism->ids != NULL;
    return has_memory ? CN_OK : CN_NO_MEMORY;
}

// What is not in the tree, in the order of the world.
static void list_loops(CnMechanism* mechanism, const Survey* survey) {
    for (int i = 0; i < survey->joint_count; ++i) {
        CnJointId id = joint_id(survey->world, survey->joints[i]);
        bool is_in_tree = false;
        for (int k = 0; k < mechanism->link_count && !is_in_tree; ++k) {
            is_in_tree = mechanism->links[k].joint.index == id.index;
        }
        if (!is_in_tree) {
            mechanism->loops[mechanism->loop_count++] = id;
        }
    }
}

static CnStatus build(CnMechanism* mechanism, const CnWorld* world, int body, CnError* error) {
    CnArena* arena = &mechanism->arena;
    Survey survey = {.world = world};
    CnLinkagePlan plan;
    int edge_count = 0;
    CnStatus status = survey_world(&survey, body, arena);
    CnLinkageEdge* edges = CN_ARENA_NEW(arena, CnLinkageEdge, survey.joint_count);
    int* slots = CN_ARENA_NEW(arena, int, survey.joint_count);
    bool* moves = CN_ARENA_NEW(arena, bool, survey.body_count);
    if (status != CN_OK || edges == NULL || slots == NULL || moves == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a mechanism");
    }
    for (int i = 0; i < survey.body_count; ++i) {
        moves[i] = true;
    }
    status = list_edges(&survey, edges, slots, &edge_count, error);
    if (status != CN_OK) {
        return status;
    }
    if (cn_linkage_plan(survey.body_count, moves, edge_count, edges, arena, &plan) != CN_OK ||
        allocate(mechanism, plan.link_count, survey.joint_count) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a mechanism");
    }
    mechanism->link_count = plan.link_count;
    for (int i = 0; i < plan.link_count; ++i) {
        int edge = plan.edge[i];
        mechanism->links[i] = make_link(&survey, plan.body[i], edge < 0 ? -1 : slots[edge]);
        mechanism->parent[i] = plan.parent[i];
        mechanism->ids[i] = mechanism->links[i].body;
        name_axes(mechanism, world, i);
    }
    mechanism->coordinate_count = mechanism->first[plan.link_count];
    list_loops(mechanism, &survey);
    status = cn_linkage_init(&mechanism->linkage, plan.link_count, mechanism->parent,
                             mechanism->first, arena);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory for a mechanism");
}

CnMechanism* cn_mechanism_create(const CnWorld* world, CnBodyId body, CnError* error) {
    if (movable_index(world, body) < 0) {
        if (cn_world_body(world, body) == NULL) {
            cn_error_set(error, CN_STALE, "the body of a mechanism does not exist");
        } else {
            cn_error_set(error, CN_INVALID,
                         "body \"%s\" is not dynamic or not enabled; a mechanism is found from a "
                         "body that moves",
                         body_name(world, body));
        }
        return NULL;
    }
    CnMechanism* mechanism = cn_allocate(&world->allocator, 1, sizeof *mechanism);
    if (mechanism == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a mechanism");
        return NULL;
    }
    mechanism->allocator = world->allocator;
    cn_arena_init(&mechanism->arena, &world->allocator);
    if (build(mechanism, world, cn_world_body_index(world, body), error) != CN_OK) {
        cn_mechanism_destroy(mechanism);
        return NULL;
    }
    return mechanism;
}

void cn_mechanism_destroy(CnMechanism* mechanism) {
    if (mechanism != NULL) {
        CnAllocator allocator = mechanism->allocator;
        cn_arena_destroy(&mechanism->arena);
        cn_release(&allocator, mechanism);
    }
}

int cn_mechanism_coordinate_count(const CnMechanism* mechanism) {
    return mechanism->coordinate_count;
}

CnCoordinate cn_mechanism_coordinate(const CnMechanism* mechanism, int index) {
    bool inside = index >= 0 && index < mechanism->coordinate_count;
    return inside ? mechanism->coordinates[index] : (CnCoordinate){0};
}

int cn_mechanism_body_count(const CnMechanism* mechanism) {
    return mechanism->link_count;
}

CnBodyId cn_mechanism_body(const CnMechanism* mechanism, int index) {
    bool inside = index >= 0 && index < mechanism->link_count;
    return inside ? mechanism->links[index].body : (CnBodyId){0};
}

int cn_mechanism_loop_count(const CnMechanism* mechanism) {
    return mechanism->loop_count;
}

CnJointId cn_mechanism_loop(const CnMechanism* mechanism, int index) {
    bool inside = index >= 0 && index < mechanism->loop_count;
    return inside ? mechanism->loops[index] : (CnJointId){0};
}

CnStatus cn_mechanism_check(const CnMechanism* mechanism, const CnWorld* world, CnError* error) {
    for (int i = 0; i < mechanism->link_count; ++i) {
        const CnMechanismLink* link = &mechanism->links[i];
        const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(link->joint));
        if (movable_index(world, link->body) < 0) {
            return cn_error_set(error, CN_STALE,
                                "body %d of the mechanism was removed, disabled or made static", i);
        }
        if (link->joint.index != 0 && (joint == NULL || !acts(joint))) {
            return cn_error_set(error, CN_STALE,
                                "the joint of body \"%s\" was removed, disabled or broken",
                                body_name(world, link->body));
        }
        if (link->base.index != 0 && cn_world_body(world, link->base) == NULL) {
            return cn_error_set(error, CN_STALE, "the base of body \"%s\" was removed",
                                body_name(world, link->body));
        }
    }
    return CN_OK;
}

CnStatus cn_mechanism_check_numbers(const CnMechanism* mechanism, const char* name,
                                    const double* values, CnError* error) {
    for (int i = 0; values != NULL && i < mechanism->coordinate_count; ++i) {
        if (!isfinite(values[i])) {
            return cn_error_set(error, CN_INVALID, "%s[%d] is %g; it must be a finite number", name,
                                i, values[i]);
        }
    }
    return CN_OK;
}

const CnBodyState* cn_mechanism_parent_state(const CnMechanism* mechanism, const CnWorld* world,
                                             int link, const CnBodyState* states) {
    int parent = mechanism->parent[link];
    return parent >= 0 ? &states[parent] : cn_joint_body_state(world, mechanism->links[link].base);
}

void cn_mechanism_take_states(CnMechanism* mechanism, const CnWorld* world) {
    for (int i = 0; i < mechanism->link_count; ++i) {
        mechanism->states[i] = cn_world_body(world, mechanism->links[i].body)->state;
    }
}

CnStatus cn_mechanism_refuse_pose(const CnWorld* world, const CnMechanismLink* link,
                                  CnError* error) {
    return cn_error_set(error, CN_INVALID,
                        "the coordinates of joint \"%s\" are undefined where it is: its axes fall "
                        "together",
                        cn_joint_name(world, link->joint));
}
