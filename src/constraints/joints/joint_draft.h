// joint_draft.h - what the plans of joints are put together with.
#pragma once

#include "constraints/joints/joint_types.h"

// A row of one measure, counting from zero.
CnJointRow cn_row_of(const CnMeasure* measure);                 // channel: z, or the turn about it
CnJointRow cn_row_along(CnAxis axis, const CnMeasure* measure); // channel: that axis

// The rotation whose columns are x, z x x and z, from two unit vectors that are square.
CnQuat cn_rotation_from_axes(CnVec3 x, CnVec3 z);
// z along the axis; x as near to `towards` as can be, or anywhere when that is zero or along z.
CnQuat cn_rotation_along(CnVec3 z, CnVec3 towards);

// The frames of both bodies at the draft's points.
void cn_draft_set_frames(CnJointDraft* draft, CnQuat rotation_a, CnQuat rotation_b);
// Both turned alike: z along def->axis, x towards def->axis_b.
void cn_draft_set_common_frame(CnJointDraft* draft);
// From here on A of the draft is B of the def.
void cn_draft_swap(CnJointDraft* draft);

// Holds a row at zero; or at the value that it has now.
void cn_draft_keep(CnJointDraft* draft, CnJointRow row);
void cn_draft_keep_as_it_is(CnJointDraft* draft, CnJointRow row);
// first + factor second stays as it is.
void cn_draft_keep_sum(CnJointDraft* draft, const CnMeasure* first, const CnMeasure* second,
                       double factor);
void cn_draft_leave_free(CnJointDraft* draft, CnAxis axis, const CnMeasure* measure);

CnJointView cn_draft_view(const CnJointDraft* draft);
double cn_draft_distance(const CnJointDraft* draft); // between the two points now [m]

// The six coordinates of B's frame in A's: those whose bit is set are kept, the others free.
// frame_joints.c.
#define CN_LOCK_POINT (1u << CN_AXIS_X | 1u << CN_AXIS_Y | 1u << CN_AXIS_Z)
#define CN_LOCK_SWING (1u << CN_AXIS_TURN_X | 1u << CN_AXIS_TURN_Y)
#define CN_LOCK_TURNS (CN_LOCK_SWING | 1u << CN_AXIS_TURN_Z)
void cn_draft_lock_axes(CnJointDraft* draft, unsigned locked);

// The first rows of a part, as far as they are the point of B in A's frame or the swing about x and
// y, which most joints keep: to the same bits as row by row. Returns how many. frame_joints.c.
int cn_read_frame_rows(const CnJointRow* rows, int count, const CnJointView* view, unsigned what,
                       CnConstraintReading* reading);

// Joints whose rows are a few vectors, in this order.
typedef enum CnFrameForm {
    CN_FORM_OTHER,
    CN_FORM_POINT,     // x, y and z of a point
    CN_FORM_HINGE,     // and the swing about x and y
    CN_FORM_UNIVERSAL, // x, y and z of a point, and a cross that stays square
    CN_FORM_SLIDER     // x and y of a point, the swing, and the twist
} CnFrameForm;
CnFrameForm cn_frame_form(const CnJointRow* rows, int count);

// Below this sine of the lean the two factors of the rotation vector come from their series, which
// need no angle: the first terms left out are 2e-2 sine^10 = 2e-19 and 4e-2 sine^8 = 1e-15, and the
// closed forms lose sine^-3 units of round-off.
#define CN_SMALL_LEAN 0.02

// Value and gradient of both angles of the swing about x and y, as the rows of a hinge have them.
void cn_read_swing(const CnJointView* view, double value[2], CnVec3 gradient[2]);

// The rows of A and of B that hold the point, and those of turns with the given gradients.
void cn_write_point_rows(const CnJointView* view, double (*row_a)[6], double (*row_b)[6]);
void cn_write_turn_rows(const CnVec3* gradient, int count, double (*row_a)[6], double (*row_b)[6]);
