// anchors.c - what joints and contacts given by hand keep relative to a body's centre of mass.
#include "world/constraints/anchors.h"

#include "world/bodies/body_links.h"
#include "world/constraints/joint.h"
#include "world/step/warm_start.h"

// Numbers of links are odd on side A and even on side B: see body_links.h.
static bool is_side_b(int link) {
    return link % 2 == 0;
}

static int slot_of(int link) {
    return (link - 1) / 2;
}

bool cn_body_has_user_constraints(const CnWorld* world, int body) {
    const CnLink* links = world->links[CN_LINK_CONSTRAINT].data;
    for (int link = world->details.data[body].first_link[CN_LINK_CONSTRAINT]; link != 0;
         link = links[link - 1].next) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot_of(link));
        if (constraint->joint.index == 0) {
            return true;
        }
    }
    return false;
}

static void shift_frames(CnJointFrames* frames, bool is_b, CnVec3 shift) {
    CnTransform* frame = is_b ? &frames->b : &frames->a;
    frame->position = cn_vec3_sub(frame->position, shift);
}

static void shift_joint(CnWorld* world, CnJoint* joint, bool is_b, CnVec3 shift) {
    CnConstraintId ids[CN_JOINT_PART_LIMIT];
    int count = cn_joint_list_parts(joint, ids);
    shift_frames(&joint->frames, is_b, shift);
    for (int i = 0; i < count; ++i) {
        CnJointPart* part = cn_joint_part_at(world, ids[i]);
        if (part != NULL) {
            shift_frames(&part->frames, is_b, shift);
        }
    }
}

// Mimics keep frames of their leaders too; those of followers are shifted like any joint's.
static void shift_followers(CnWorld* world, int slot, bool is_b, CnVec3 shift) {
    const CnJoint* leader = cn_pool_at(&world->joints, slot);
    for (int i = 0; leader->mimic_count > 0 && i < world->joint_order.count; ++i) {
        const CnJoint* mimic = cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i]));
        CnMimicPart* part = (void*)cn_joint_part_at(world, mimic->kept);
        if (mimic->type == CN_JOINT_MIMIC && (int)mimic->leader.index - 1 == slot && part != NULL) {
            shift_frames(&part->leader_frames, is_b, shift);
        }
    }
}

void cn_body_shift_anchors(CnWorld* world, int body, CnVec3 shift) {
    const CnBodyDetails* details = &world->details.data[body];
    for (int link = details->first_link[CN_LINK_CONTACT]; link != 0;
         link = world->links[CN_LINK_CONTACT].data[link - 1].next) {
        CnGivenContact* given = cn_pool_at(&world->given_contacts, slot_of(link));
        CnVec3* anchor = is_side_b(link) ? &given->anchor_b : &given->anchor_a;
        *anchor = cn_vec3_sub(*anchor, shift);
    }
    for (int link = details->first_link[CN_LINK_JOINT]; link != 0;
         link = world->links[CN_LINK_JOINT].data[link - 1].next) {
        shift_joint(world, cn_pool_at(&world->joints, slot_of(link)), is_side_b(link), shift);
        shift_followers(world, slot_of(link), is_side_b(link), shift);
    }
    ++world->joint_changes; // trees keep frames of joints
    cn_warm_start_forget(world);
}
