// mimic_part.c - the row of a mimic: an axis that follows that of another joint.
//
// It has four bodies (user_rows.h): `a` points at A and B of the follower, `b` at C and D of the
// leader. docs/theory/joints.md (19), (20).
#include "constraints/joints/joint_part.h"

#include <stddef.h>

_Static_assert(offsetof(CnMimicPart, row) == sizeof(CnJointPart), "rows follow the head");

static void evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value) {
    (void)time;
    const CnMimicPart* part = data;
    CnJointView follower = cn_joint_view(&part->part.frames, &a[0], &a[1]);
    CnJointView leader = cn_joint_view(&part->leader_frames, &b[0], &b[1]);
    value[0] = cn_joint_row_value(&part->row, &follower) - part->offset -
               part->ratio * cn_joint_row_value(&part->leader_row, &leader);
}

static void jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* jacobian_a, double* jacobian_b) {
    (void)time;
    const CnMimicPart* part = data;
    CnJointView follower = cn_joint_view(&part->part.frames, &a[0], &a[1]);
    CnJointView leader = cn_joint_view(&part->leader_frames, &b[0], &b[1]);
    cn_joint_row_jacobian(&part->row, &follower, &jacobian_a[0], &jacobian_a[6]);
    cn_joint_row_jacobian(&part->leader_row, &leader, &jacobian_b[0], &jacobian_b[6]);
    for (int i = 0; i < 12; ++i) {
        jacobian_b[i] *= -part->ratio;
    }
}

static bool is_grounded(const void* data) {
    const CnMimicPart* part = data;
    return part->row.terms[0].measure->is_grounded ||
           part->leader_row.terms[0].measure->is_grounded;
}

static void advance_row(CnJointRow* row, const CnJointView* view) {
    for (int k = 0; k < row->term_count; ++k) {
        CnJointTerm* term = &row->terms[k];
        if (term->measure->counts_on) {
            term->near = cn_measure_value(term->measure, view, term->near);
        }
    }
}

static void advance(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)time;
    CnMimicPart* part = data;
    CnJointView follower = cn_joint_view(&part->part.frames, &a[0], &a[1]);
    CnJointView leader = cn_joint_view(&part->leader_frames, &b[0], &b[1]);
    advance_row(&part->row, &follower);
    advance_row(&part->leader_row, &leader);
}

#define MIMIC_KIND(angles)                                                                         \
    {                                                                                              \
        .name = "joint", .body_count = 4, .dimension = 1, .angular_rows = (angles),                \
        .evaluate = evaluate, .jacobian = jacobian, .is_active = cn_part_is_active,                \
        .is_grounded = is_grounded, .advance = advance                                             \
    }

const CnConstraintKind* cn_mimic_kind(bool is_angle) {
    static const CnConstraintKind kinds[2] = {MIMIC_KIND(0), MIMIC_KIND(1)};
    return &kinds[is_angle];
}
