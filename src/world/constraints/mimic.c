// mimic.c - axes of joints that follow those of others.
//
// A mimic is a joint with one part, a constraint of four bodies: A and B are the follower's, C and
// D the leader's. docs/theory/joints.md (19)-(21).
#include "base/error.h"
#include "constraints/joints/mimic_ties.h"
#include "world/constraints/joint.h"

#include <string.h>

static CnJoint* joint_of(const CnWorld* world, CnJointId id) {
    return cn_pool_get(&world->joints, CN_POOL_ID(id));
}

// ---- whether mimics agree ----

static CnMimicTie tie_of(const CnJoint* mimic) {
    return (CnMimicTie){mimic->leader.index,  mimic->follower.index, mimic->leader_axis,
                        mimic->follower_axis, mimic->ratio,          mimic->offset};
}

// Of all mimics but that in a slot. NULL: no memory.
static CnMimicTie* list_ties(CnWorld* world, int slot, int* count) {
    CnMimicTie* ties = CN_ARENA_NEW(&world->arena, CnMimicTie, world->joint_order.count);
    *count = 0;
    for (int i = 0; ties != NULL && i < world->joint_order.count; ++i) {
        CnJointId id = world->joint_order.data[i];
        const CnJoint* joint = joint_of(world, id);
        if (joint->type == CN_JOINT_MIMIC && (int)id.index - 1 != slot) {
            ties[(*count)++] = tie_of(joint);
        }
    }
    return ties;
}

static CnStatus check_others(CnWorld* world, const CnJointDef* def, int slot, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    const CnMimicTie fresh = {def->leader.index,  def->follower.index, def->leader_axis,
                              def->follower_axis, def->ratio,          def->offset};
    CnMimicTie known;
    bool contradicts = false;
    int count;
    CnMimicTie* ties = list_ties(world, slot, &count);
    CnStatus status = ties == NULL ? CN_NO_MEMORY
                                   : cn_mimic_find_contradiction(ties, count, &fresh, &world->arena,
                                                                 &known, &contradicts);
    cn_arena_release(&world->arena, mark);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory for a joint");
    }
    return !contradicts
               ? CN_OK
               : cn_error_set(error, CN_INVALID, CN_MIMIC_CONTRADICTS, def->ratio, def->offset,
                              cn_axis_name(def->follower_axis), cn_joint_name(world, def->follower),
                              cn_axis_name(def->leader_axis), cn_joint_name(world, def->leader),
                              known.ratio, known.offset);
}

static CnStatus check_end(const CnWorld* world, const char* role, CnJointId id, CnAxis axis,
                          CnError* error) {
    const CnJoint* joint = joint_of(world, id);
    if (joint == NULL) {
        return cn_error_set(error, CN_STALE, "the %s of the mimic does not exist", role);
    }
    if ((int)axis < 0 || axis >= CN_AXIS_COUNT || cn_joint_free_axis(joint, axis) == NULL) {
        return cn_error_set(error, CN_INVALID, "axis %s of the %s, joint \"%s\" (%s), is not free",
                            cn_axis_name(axis), role, joint->name, cn_joint_type_name(joint->type));
    }
    return CN_OK;
}

CnStatus cn_mimic_check(CnWorld* world, const CnJointDef* def, int slot, CnError* error) {
    CnStatus status = check_end(world, "leader", def->leader, def->leader_axis, error);
    if (status == CN_OK) {
        status = check_end(world, "follower", def->follower, def->follower_axis, error);
    }
    if (status == CN_OK && def->leader.index == def->follower.index &&
        def->leader_axis == def->follower_axis) {
        status = cn_error_set(error, CN_INVALID,
                              "axis %s of joint \"%s\" cannot follow itself: leader and follower "
                              "are the same",
                              cn_axis_name(def->leader_axis), cn_joint_name(world, def->leader));
    }
    if (status == CN_OK && (def->body_a.index != 0 || def->body_b.index != 0)) {
        status = cn_error_set(error, CN_INVALID,
                              "a mimic has no bodies of its own: body_a and body_b must be none");
    }
    return status == CN_OK ? check_others(world, def, slot, error) : status;
}

// ---- making one ----

CnJointPlan cn_mimic_plan(const CnWorld* world, CnJointDef* def) {
    const CnJoint* follower = joint_of(world, def->follower);
    const CnJointRow* row = &cn_joint_free_axis(follower, def->follower_axis)->row;
    bool is_angle = row->terms[0].measure->is_angle;
    def->body_a = cn_joint_given_a(follower);
    def->body_b = cn_joint_given_b(follower);
    return (CnJointPlan){
        .frames = follower->frames,
        .swapped = follower->swapped,
        .kept = {*row},
        .lengths = !is_angle,
        .angles = is_angle,
    };
}

static bool acts(const CnWorld* world, const CnJoint* mimic) {
    const CnJoint* leader = joint_of(world, mimic->leader);
    const CnJoint* follower = joint_of(world, mimic->follower);
    return mimic->enabled && leader->enabled && !leader->broken && follower->enabled &&
           !follower->broken;
}

CnStatus cn_mimic_attach(CnWorld* world, CnJoint* joint, CnError* error) {
    const CnJoint* leader = joint_of(world, joint->leader);
    const CnJoint* follower = joint_of(world, joint->follower);
    CnMimicPart part = {
        .part = {.frames = follower->frames, .row_count = 1, .idle = !acts(world, joint)},
        .row = cn_joint_free_axis(follower, joint->follower_axis)->row,
        .leader_frames = leader->frames,
        .leader_row = cn_joint_free_axis(leader, joint->leader_axis)->row,
        .ratio = joint->ratio,
        .offset = joint->offset,
    };
    CnConstraintDef def = cn_constraint_def_default();
    part.row.channel = CN_CHANNEL_TRANSMISSION;
    def.name = joint->name;
    def.kind = cn_mimic_kind(part.row.terms[0].measure->is_angle);
    def.body_a = joint->body_a;
    def.body_b = joint->body_b;
    def.data = &part;
    def.data_size = sizeof part;
    def.collide = true;
    def.keep = joint->keep;
    joint->kept =
        cn_world_add_joint_part(world, &def, world->joint_order.data[joint->index], error);
    CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
    if (constraint == NULL) {
        return error != NULL ? error->status : CN_NO_MEMORY;
    }
    constraint->body_c = leader->body_a;
    constraint->body_d = leader->body_b;
    cn_sleep_wake_two(world, constraint->body_c, constraint->body_d);
    return CN_OK;
}

// ---- what happens to its joints ----

static bool ties(const CnJoint* mimic, CnJointId joint) {
    return mimic->type == CN_JOINT_MIMIC &&
           (mimic->leader.index == joint.index || mimic->follower.index == joint.index);
}

void cn_mimic_refresh(CnWorld* world, CnJointId joint) {
    int left = joint_of(world, joint)->mimic_count;
    for (int i = 0; left > 0 && i < world->joint_order.count; ++i) {
        const CnJoint* mimic = joint_of(world, world->joint_order.data[i]);
        CnUserConstraint* kept = cn_pool_get(&world->constraints, CN_POOL_ID(mimic->kept));
        if (ties(mimic, joint) && kept != NULL) {
            CnMimicPart* part = kept->data;
            part->part.idle = !acts(world, mimic);
            ++world->joint_changes;
            cn_sleep_wake_two(world, kept->body_a, kept->body_b);
            cn_sleep_wake_two(world, kept->body_c, kept->body_d);
        }
    }
}

void cn_mimic_count(CnWorld* world, const CnJoint* mimic, int change) {
    const CnJointId ends[2] = {mimic->leader, mimic->follower};
    for (int i = 0; i < 2; ++i) {
        CnJoint* joint = joint_of(world, ends[i]);
        if (joint != NULL) {
            joint->mimic_count += change;
        }
    }
}

void cn_mimic_remove_all(CnWorld* world, CnJointId joint) {
    for (int i = 0; joint_of(world, joint)->mimic_count > 0 && i < world->joint_order.count;) {
        CnJointId id = world->joint_order.data[i];
        if (ties(joint_of(world, id), joint)) {
            cn_world_remove_joint(world, id); // the last one takes its place
        } else {
            ++i;
        }
    }
}

CnStatus cn_joint_set_ratio(CnWorld* world, CnJointId id, double ratio, double offset,
                            CnError* error) {
    CnJoint* joint = joint_of(world, id);
    if (joint == NULL) {
        return cn_error_set(error, CN_STALE, "the joint does not exist");
    }
    if (joint->type != CN_JOINT_MIMIC) {
        return cn_error_set(error, CN_INVALID, "joint \"%s\" (%s) is no mimic", joint->name,
                            cn_joint_type_name(joint->type));
    }
    CnJointDef def = cn_joint_def_default(CN_JOINT_MIMIC);
    def.leader = joint->leader;
    def.leader_axis = joint->leader_axis;
    def.follower = joint->follower;
    def.follower_axis = joint->follower_axis;
    def.ratio = ratio;
    def.offset = offset;
    CnStatus status = cn_validate_joint(&def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK) {
        status = cn_mimic_check(world, &def, (int)id.index - 1, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnUserConstraint* kept = cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
    joint->ratio = ratio;
    joint->offset = offset;
    if (kept != NULL) { // NULL: it is broken
        CnMimicPart* part = kept->data;
        part->ratio = ratio;
        part->offset = offset;
        cn_sleep_wake_two(world, kept->body_a, kept->body_b);
        cn_sleep_wake_two(world, kept->body_c, kept->body_d);
    }
    return CN_OK;
}
