// layouts.c - which members of a struct are part of a state, and how they are written.
#include "world/state/layouts.h"

#define FIELD(kind, type, member)                                                                  \
    { offsetof(type, member), sizeof(((type*)0)->member), kind }
#define F64(type, member) FIELD(CN_FIELD_F64, type, member)
#define F32(type, member) FIELD(CN_FIELD_F32, type, member)
#define I32(type, member) FIELD(CN_FIELD_I32, type, member)
#define U32(type, member) FIELD(CN_FIELD_U32, type, member)
#define I64(type, member) FIELD(CN_FIELD_I64, type, member)
#define U64(type, member) FIELD(CN_FIELD_U64, type, member)
#define BOOL(type, member) FIELD(CN_FIELD_BOOL, type, member)
#define BYTES(type, member) FIELD(CN_FIELD_BYTES, type, member)
#define LEFT_OUT(type, member) FIELD(CN_FIELD_LEFT_OUT, type, member)

#define LAYOUT(type, fields)                                                                       \
    { #type, sizeof(type), fields, (int)(sizeof(fields) / sizeof((fields)[0])) }

static const CnField body_fields[] = {
    F64(CnBody, state),
    F64(CnBody, center),
    LEFT_OUT(CnBody, mass),
    F64(CnBody, gravity_scale),
    F64(CnBody, linear_damping),
    F64(CnBody, angular_damping),
    I32(CnBody, type),
    BOOL(CnBody, fast),
    BOOL(CnBody, exact),
    BOOL(CnBody, was_exact),
    BOOL(CnBody, disabled),
    F64(CnBody, sleep.quiet),
    F64(CnBody, sleep.dt),
    F64(CnBody, sleep.part_dt),
    I32(CnBody, sleep.previous),
    I32(CnBody, sleep.next),
    BOOL(CnBody, sleep.is_asleep),
    BOOL(CnBody, sleep.was_asleep),
    BOOL(CnBody, sleep.is_placed),
    BOOL(CnBody, sleep.is_met),
};
const CnLayout cn_layout_body = LAYOUT(CnBody, body_fields);

static const CnField details_fields[] = {
    LEFT_OUT(CnBodyDetails, name),  LEFT_OUT(CnBodyDetails, user),
    I32(CnBodyDetails, type),       BOOL(CnBodyDetails, has_mass),
    LEFT_OUT(CnBodyDetails, given), LEFT_OUT(CnBodyDetails, mass),
    I32(CnBodyDetails, kept),       I32(CnBodyDetails, applied),
    U32(CnBodyDetails, material),   I32(CnBodyDetails, first_shape),
    I32(CnBodyDetails, last_shape), I32(CnBodyDetails, shape_count),
    I32(CnBodyDetails, first_link), LEFT_OUT(CnBodyDetails, drive),
};
const CnLayout cn_layout_details = LAYOUT(CnBodyDetails, details_fields);

static const CnField mass_fields[] = {
    F64(CnMassProperties, mass),
    F64(CnMassProperties, center),
    F64(CnMassProperties, inertia),
};
const CnLayout cn_layout_mass = LAYOUT(CnMassProperties, mass_fields);

static const CnField id_fields[] = {U32(CnPoolId, index), U32(CnPoolId, generation)};
const CnLayout cn_layout_id = LAYOUT(CnPoolId, id_fields);

static const CnField applied_fields[] = {
    I32(CnApplied, body),    F64(CnApplied, force),           F64(CnApplied, torque),
    F64(CnApplied, impulse), F64(CnApplied, angular_impulse),
};
const CnLayout cn_layout_applied = LAYOUT(CnApplied, applied_fields);

static const CnField kept_velocity_fields[] = {
    I32(CnKeptVelocity, body),
    F64(CnKeptVelocity, velocity),
    F64(CnKeptVelocity, angular_velocity),
};
const CnLayout cn_layout_kept_velocity = LAYOUT(CnKeptVelocity, kept_velocity_fields);

static const CnField pose_before_fields[] = {F64(CnPoseBefore, center), F64(CnPoseBefore, rotation),
                                             BOOL(CnPoseBefore, is_known)};
const CnLayout cn_layout_pose_before = LAYOUT(CnPoseBefore, pose_before_fields);

// What it looks like is checked, not written: see structure.c.
static const CnField shape_record_fields[] = {
    LEFT_OUT(CnShape, type),      F64(CnShape, local),
    LEFT_OUT(CnShape, radius),    LEFT_OUT(CnShape, half_length),
    LEFT_OUT(CnShape, half_size), LEFT_OUT(CnShape, normal),
    LEFT_OUT(CnShape, geometry),  LEFT_OUT(CnShape, hull),
    LEFT_OUT(CnShape, mesh),      LEFT_OUT(CnShape, field),
    LEFT_OUT(CnShape, extent),    U32(CnShape, material),
    LEFT_OUT(CnShape, sensor),    U32(CnShape, category),
    U32(CnShape, mask),           I32(CnShape, group),
    LEFT_OUT(CnShape, serial),
};
const CnLayout cn_layout_shape_record = LAYOUT(CnShape, shape_record_fields);

static const CnField shape_fields[] = {
    LEFT_OUT(CnWorldShape, shape), I32(CnWorldShape, body),   I32(CnWorldShape, previous),
    I32(CnWorldShape, next),       I32(CnWorldShape, number),
};
const CnLayout cn_layout_shape = LAYOUT(CnWorldShape, shape_fields);

static const CnField link_fields[] = {I32(CnLink, previous), I32(CnLink, next)};
const CnLayout cn_layout_link = LAYOUT(CnLink, link_fields);

static const CnField material_pair_fields[] = {
    U32(CnMaterialPair, a),
    U32(CnMaterialPair, b),
    F64(CnMaterialPair, friction),
    F64(CnMaterialPair, restitution),
    F64(CnMaterialPair, static_friction),
};
const CnLayout cn_layout_material_pair = LAYOUT(CnMaterialPair, material_pair_fields);

static const CnField given_fields[] = {
    LEFT_OUT(CnGivenContact, name),   LEFT_OUT(CnGivenContact, body_a),
    LEFT_OUT(CnGivenContact, body_b), F64(CnGivenContact, anchor_a),
    F64(CnGivenContact, normal_a),    F64(CnGivenContact, anchor_b),
    F64(CnGivenContact, offset),      U32(CnGivenContact, material_a),
    U32(CnGivenContact, material_b),  I32(CnGivenContact, record),
};
const CnLayout cn_layout_given = LAYOUT(CnGivenContact, given_fields);

static const CnField material_fields[] = {
    LEFT_OUT(CnMaterial, name),   F64(CnMaterial, friction),
    F64(CnMaterial, restitution), F64(CnMaterial, density),
    F64(CnMaterial, torsion),     F64(CnMaterial, rolling),
    F64(CnMaterial, grain),       F64(CnMaterial, friction_across),
    F64(CnMaterial, hold),        F64(CnMaterial, surface_velocity),
};
const CnLayout cn_layout_material = LAYOUT(CnMaterial, material_fields);

static const CnField force_fields[] = {
    LEFT_OUT(CnForceDef, body),  F64(CnForceDef, point),         F64(CnForceDef, force),
    F64(CnForceDef, torque),     I32(CnForceDef, frame),         U32(CnForceDef, series),
    F64(CnForceDef, drag),       LEFT_OUT(CnForceDef, function), LEFT_OUT(CnForceDef, data),
    LEFT_OUT(CnForceDef, guard),
};
const CnLayout cn_layout_force = LAYOUT(CnForceDef, force_fields);

static const CnField separation_fields[] = {
    U32(CnSeparation, body_a),
    U32(CnSeparation, body_b),
    I32(CnSeparation, reasons),
    BOOL(CnSeparation, by_user),
};
const CnLayout cn_layout_separation = LAYOUT(CnSeparation, separation_fields);

// Its data have a layout of their own, or are bytes of the user's: see joints.c.
static const CnField constraint_fields[] = {
    LEFT_OUT(CnUserConstraint, name),   LEFT_OUT(CnUserConstraint, kind),
    LEFT_OUT(CnUserConstraint, body_a), LEFT_OUT(CnUserConstraint, body_b),
    LEFT_OUT(CnUserConstraint, body_c), LEFT_OUT(CnUserConstraint, body_d),
    LEFT_OUT(CnUserConstraint, joint),  LEFT_OUT(CnUserConstraint, index),
    BOOL(CnUserConstraint, separates),  F64(CnUserConstraint, keep),
    LEFT_OUT(CnUserConstraint, data),   LEFT_OUT(CnUserConstraint, data_size),
    F64(CnUserConstraint, impulse),     F64(CnUserConstraint, value),
    F64(CnUserConstraint, kept),        F64(CnUserConstraint, residual),
    I32(CnUserConstraint, age),         LEFT_OUT(CnUserConstraint, role),
};
const CnLayout cn_layout_constraint = LAYOUT(CnUserConstraint, constraint_fields);

static const CnField joint_fields[] = {
    LEFT_OUT(CnJoint, name),
    LEFT_OUT(CnJoint, type),
    LEFT_OUT(CnJoint, body_a),
    LEFT_OUT(CnJoint, body_b),
    F64(CnJoint, frames),
    LEFT_OUT(CnJoint, kept),
    LEFT_OUT(CnJoint, limit),
    LEFT_OUT(CnJoint, kept_lengths),
    LEFT_OUT(CnJoint, shown),
    LEFT_OUT(CnJoint, axes),
    LEFT_OUT(CnJoint, axis_count),
    LEFT_OUT(CnJoint, spring),
    LEFT_OUT(CnJoint, spring_data),
    U32(CnJoint, spring_table),
    F64(CnJoint, strength),
    F64(CnJoint, strength_torque),
    F64(CnJoint, keep),
    F64(CnJoint, length),
    F64(CnJoint, ratio),
    F64(CnJoint, pitch),
    F64(CnJoint, offset),
    LEFT_OUT(CnJoint, leader),
    LEFT_OUT(CnJoint, follower),
    LEFT_OUT(CnJoint, leader_axis),
    LEFT_OUT(CnJoint, follower_axis),
    LEFT_OUT(CnJoint, mimic_count),
    F64(CnJoint, swing_limit),
    F64(CnJoint, swing_limit_y),
    LEFT_OUT(CnJoint, index),
    BOOL(CnJoint, swapped),
    BOOL(CnJoint, one_body),
    BOOL(CnJoint, collide),
    BOOL(CnJoint, enabled),
    BOOL(CnJoint, is_spring),
    BOOL(CnJoint, has_parts),
    BOOL(CnJoint, broken),
};
const CnLayout cn_layout_joint = LAYOUT(CnJoint, joint_fields);

static const CnField joint_axis_fields[] = {
    I32(CnJointAxis, motion),       BOOL(CnJointAxis, limited),
    F64(CnJointAxis, lower),        F64(CnJointAxis, upper),
    F64(CnJointAxis, restitution),  I32(CnJointAxis, motor),
    F64(CnJointAxis, target),       U32(CnJointAxis, series),
    F64(CnJointAxis, stiffness),    F64(CnJointAxis, damping),
    F64(CnJointAxis, max_force),    F64(CnJointAxis, spring_stiffness),
    F64(CnJointAxis, spring_hertz), F64(CnJointAxis, spring_damping),
    F64(CnJointAxis, spring_rest),  F64(CnJointAxis, friction),
};
const CnLayout cn_layout_joint_axis = LAYOUT(CnJointAxis, joint_axis_fields);

// Settings and row have layouts of their own.
static const CnField free_axis_fields[] = {
    LEFT_OUT(CnJointFreeAxis, axis),
    LEFT_OUT(CnJointFreeAxis, settings),
    LEFT_OUT(CnJointFreeAxis, row),
    U32(CnJointFreeAxis, parts),
};
const CnLayout cn_layout_free_axis = LAYOUT(CnJointFreeAxis, free_axis_fields);

static const CnField row_fields[] = {
    LEFT_OUT(CnJointRow, terms),
    LEFT_OUT(CnJointRow, term_count),
    LEFT_OUT(CnJointRow, channel),
    F64(CnJointRow, shift),
};
const CnLayout cn_layout_row = LAYOUT(CnJointRow, row_fields);

static const CnField term_fields[] = {
    LEFT_OUT(CnJointTerm, measure),
    F64(CnJointTerm, factor),
    F64(CnJointTerm, near),
};
const CnLayout cn_layout_term = LAYOUT(CnJointTerm, term_fields);

static const CnField part_fields[] = {
    F64(CnJointPart, frames),
    LEFT_OUT(CnJointPart, row_count),
    BOOL(CnJointPart, idle),
};
const CnLayout cn_layout_part = LAYOUT(CnJointPart, part_fields);

static const CnField mimic_fields[] = {
    LEFT_OUT(CnMimicPart, part),       LEFT_OUT(CnMimicPart, row), F64(CnMimicPart, leader_frames),
    LEFT_OUT(CnMimicPart, leader_row), F64(CnMimicPart, ratio),    F64(CnMimicPart, offset),
};
const CnLayout cn_layout_mimic = LAYOUT(CnMimicPart, mimic_fields);

static const CnField course_fields[] = {
    LEFT_OUT(CnCourse, order),
    LEFT_OUT(CnCourse, curve),
    F64(CnCourse, start),
    F64(CnCourse, speed),
};
const CnLayout cn_layout_course = LAYOUT(CnCourse, course_fields);

static const CnField slot_fields[] = {U32(CnPoolSlot, generation), I32(CnPoolSlot, next_free)};
const CnLayout cn_layout_slot = LAYOUT(CnPoolSlot, slot_fields);

static const CnField proxy_fields[] = {
    F32(CnProxy, middle),  U32(CnProxy, fitted),   BOOL(CnProxy, moves),
    BOOL(CnProxy, is_new), BOOL(CnProxy, removed), BOOL(CnProxy, unbounded),
};
const CnLayout cn_layout_proxy = LAYOUT(CnProxy, proxy_fields);

static const CnField float_box_fields[] = {F32(CnFloatBox, low), F32(CnFloatBox, high)};
const CnLayout cn_layout_float_box = LAYOUT(CnFloatBox, float_box_fields);

static const CnField pair_fields[] = {{0, sizeof(CnPair), CN_FIELD_U64}};
const CnLayout cn_layout_pair = LAYOUT(CnPair, pair_fields);

// Bodies and surfaces follow from shapes.
static const CnField record_fields[] = {
    I32(CnPairRecord, shape),
    LEFT_OUT(CnPairRecord, body),
    I32(CnPairRecord, manifold),
    I32(CnPairRecord, given),
    U32(CnPairRecord, epoch),
    U32(CnPairRecord, ahead),
    F64(CnPairRecord, margin),
    F64(CnPairRecord, end_gap),
    U32(CnPairRecord, saved),
    BOOL(CnPairRecord, in_use),
    BOOL(CnPairRecord, is_gone),
    BOOL(CnPairRecord, is_sensor),
    BOOL(CnPairRecord, is_touching),
    BOOL(CnPairRecord, is_hit),
    LEFT_OUT(CnPairRecord, surfaces),
    LEFT_OUT(CnPairRecord, friction),
    LEFT_OUT(CnPairRecord, restitution),
    F32(CnPairRecord, memory),
    I32(CnPairRecord, link),
    LEFT_OUT(CnPairRecord, unused),
};
const CnLayout cn_layout_record = LAYOUT(CnPairRecord, record_fields);

#define POINT(i)                                                                                   \
    F64(CnManifold, points[i].gap), U32(CnManifold, points[i].feature),                            \
        BOOL(CnManifold, points[i].pressed), BOOL(CnManifold, points[i].stuck),                    \
        BYTES(CnManifold, points[i].age)

static const CnField manifold_fields[] = {
    I32(CnManifold, pair),
    I32(CnManifold, next),
    I32(CnManifold, count),
    U32(CnManifold, saved),
    U32(CnManifold, saved_impulses),
    U32(CnManifold, saved_targets),
    BOOL(CnManifold, in_use),
    BOOL(CnManifold, is_listed),
    BOOL(CnManifold, has_tile),
    BOOL(CnManifold, is_wide),
    BOOL(CnManifold, is_belt),
    BOOL(CnManifold, has_hold),
    BOOL(CnManifold, is_solved),
    BOOL(CnManifold, is_framed),
    POINT(0),
    POINT(1),
    POINT(2),
    POINT(3),
    F32(CnManifold, approach),
    F64(CnManifold, tile.point),
    F32(CnManifold, tile.residual),
    I32(CnManifold, tile.body_a),
    I32(CnManifold, tile.body_b),
    U32(CnManifold, tile.acting),
    I32(CnManifold, tile.row_count),
    F64(CnManifold, tile.direction[0]),
    F64(CnManifold, tile.direction[1]),
    F64(CnManifold, tile.direction[2]),
    F64(CnManifold, tile.impulse),
    F64(CnManifold, tile.friction),
    F64(CnManifold, tile.target),
    F64(CnManifold, tile.step_bound),
    F64(CnManifold, tile.center),
    F64(CnManifold, tile.trace),
    LEFT_OUT(CnManifold, tile.slide),
};
const CnLayout cn_layout_manifold = LAYOUT(CnManifold, manifold_fields);

// Without the rows of its tile, the last nine.
#define FRAME_FIELDS ((int)(sizeof manifold_fields / sizeof manifold_fields[0]) - 9)
const CnLayout cn_layout_manifold_frame = {"CnManifold frame", CN_MANIFOLD_FRAME, manifold_fields,
                                           FRAME_FIELDS};

static const CnField kept_impulses_fields[] = {
    F64(CnKeptImpulses, points),
};
const CnLayout cn_layout_kept_impulses = LAYOUT(CnKeptImpulses, kept_impulses_fields);

static const CnField frame_impulses_fields[] = {
    F32(CnFrameImpulses, next),
    F32(CnFrameImpulses, total),
    F32(CnFrameImpulses, tangent),
    F32(CnFrameImpulses, across),
};
const CnLayout cn_layout_frame_impulses = LAYOUT(CnFrameImpulses, frame_impulses_fields);

static const CnField extras_fields[] = {
    F64(CnTouchExtras, moment),           F64(CnTouchExtras, anchor),
    F64(CnTouchExtras, start_gap),        BOOL(CnTouchExtras, has_material),
    F64(CnTouchExtras, friction),         F64(CnTouchExtras, restitution),
    F64(CnTouchExtras, surface_velocity),
};
const CnLayout cn_layout_extras = LAYOUT(CnTouchExtras, extras_fields);

static const CnField slide_fields[] = {F64(CnTileSlide, target)};
const CnLayout cn_layout_slide = LAYOUT(CnTileSlide, slide_fields);

static const CnField place_fields[] = {
    F64(CnPlace, pose),
    U32(CnPlace, epoch),
    U32(CnPlace, ahead),
    F64(CnPlace, reach),
};
const CnLayout cn_layout_place = LAYOUT(CnPlace, place_fields);

static const CnField soft_place_fields[] = {
    F64(CnSoftPlace, arm),
    F64(CnSoftPlace, still),
};
const CnLayout cn_layout_soft_place = LAYOUT(CnSoftPlace, soft_place_fields);

static const CnField transform_fields[] = {
    F64(CnTransform, position),
    F64(CnTransform, rotation),
};
const CnLayout cn_layout_transform = LAYOUT(CnTransform, transform_fields);

static const CnField shape_place_fields[] = {
    F64(CnShapePlace, bounds),       LEFT_OUT(CnShapePlace, ahead),
    F64(CnShapePlace, reach),        U32(CnShapePlace, epoch),
    LEFT_OUT(CnShapePlace, is_wide), LEFT_OUT(CnShapePlace, turns_far),
    LEFT_OUT(CnShapePlace, placed),  LEFT_OUT(CnShapePlace, polyhedron),
};
const CnLayout cn_layout_shape_place = LAYOUT(CnShapePlace, shape_place_fields);

static const CnField event_fields[] = {
    F64(CnKeptEvent, time),    F64(CnKeptEvent, point),  F64(CnKeptEvent, normal),
    U32(CnKeptEvent, body_a),  U32(CnKeptEvent, body_b), I32(CnKeptEvent, shape_a),
    I32(CnKeptEvent, shape_b), I32(CnKeptEvent, type),   I32(CnKeptEvent, rare),
};
const CnLayout cn_layout_event = LAYOUT(CnKeptEvent, event_fields);

static const CnField rare_event_fields[] = {
    U32(CnRareEvent, contact),
    U32(CnRareEvent, joint),
    F64(CnRareEvent, speed),
    F64(CnRareEvent, impulse),
};
const CnLayout cn_layout_rare_event = LAYOUT(CnRareEvent, rare_event_fields);

static const CnField pending_end_fields[] = {
    U32(CnPendingEnd, body_a),  U32(CnPendingEnd, body_b),  I32(CnPendingEnd, shape_a),
    I32(CnPendingEnd, shape_b), U32(CnPendingEnd, contact), BOOL(CnPendingEnd, is_sensor),
};
const CnLayout cn_layout_pending_end = LAYOUT(CnPendingEnd, pending_end_fields);

static const CnField warning_fields[] = {
    I32(CnWarning, kind), I64(CnWarning, count),     I64(CnWarning, step),
    F64(CnWarning, time), BYTES(CnWarning, message),
};
const CnLayout cn_layout_warning = LAYOUT(CnWarning, warning_fields);

static const CnField step_def_fields[] = {
    I32(CnStepDef, scheme),
    I32(CnStepDef, substeps),
    F64(CnStepDef, theta),
    I32(CnStepDef, rotation),
    I32(CnStepDef, integrator),
    I32(CnStepDef, implicit_method),
    I32(CnStepDef, stabilisation),
    F64(CnStepDef, error_reduction),
    F64(CnStepDef, slop),
    F64(CnStepDef, max_correction),
    F64(CnStepDef, friction_bias),
    F64(CnStepDef, restitution_threshold),
    F64(CnStepDef, contact_margin),
    F64(CnStepDef, recycling_distance),
    I32(CnStepDef, max_impacts),
    I32(CnStepDef, warm_start),
    F64(CnStepDef, warm_start_factor),
    F64(CnStepDef, hit_speed),
    F64(CnStepDef, speed_limit),
    BOOL(CnStepDef, sleep),
    F64(CnStepDef, sleep_speed),
    F64(CnStepDef, sleep_time),
    BOOL(CnStepDef, attribution),
    I32(CnStepDef, grade_every),
    F64(CnStepDef, soft.contact_hertz),
    F64(CnStepDef, soft.contact_damping_ratio),
    F64(CnStepDef, soft.push_speed),
    F64(CnStepDef, soft.joint_hertz),
    F64(CnStepDef, soft.joint_damping_ratio),
    F64(CnStepDef, soft.recycling_share),
    I32(CnStepDef, soft.substeps),
    F64(CnStepDef, soft.tree_mass_ratio),
    BOOL(CnStepDef, soft.friction_per_point),
};
const CnLayout cn_layout_step_def = LAYOUT(CnStepDef, step_def_fields);

static const CnField solver_def_fields[] = {
    LEFT_OUT(CnSolverDef, name),        F64(CnSolverDef, tolerance),
    I32(CnSolverDef, measure),          I32(CnSolverDef, max_iterations),
    BOOL(CnSolverDef, warm_start),      I32(CnSolverDef, friction),
    I32(CnSolverDef, pyramid_sides),    I32(CnSolverDef, preconditioner),
    F64(CnSolverDef, regularisation),   F64(CnSolverDef, over_relaxation),
    I32(CnSolverDef, shuffle),          I32(CnSolverDef, freeze_after),
    F64(CnSolverDef, work_budget),      F64(CnSolverDef, deadline),
    F64(CnSolverDef, change_tolerance), F64(CnSolverDef, impulse_limit),
    BOOL(CnSolverDef, minimum_norm),    U32(CnSolverDef, guard),
};
const CnLayout cn_layout_solver_def = LAYOUT(CnSolverDef, solver_def_fields);

static const CnField int_fields[] = {{0, sizeof(int), CN_FIELD_I32}};
const CnLayout cn_layout_int = LAYOUT(int, int_fields);

static const CnField byte_fields[] = {{0, 1, CN_FIELD_BYTES}};
const CnLayout cn_layout_byte = LAYOUT(uint8_t, byte_fields);

const CnLayout* const cn_layouts[] = {
    &cn_layout_body,
    &cn_layout_details,
    &cn_layout_id,
    &cn_layout_applied,
    &cn_layout_shape,
    &cn_layout_link,
    &cn_layout_material_pair,
    &cn_layout_given,
    &cn_layout_separation,
    &cn_layout_material,
    &cn_layout_force,
    &cn_layout_constraint,
    &cn_layout_joint,
    &cn_layout_joint_axis,
    &cn_layout_free_axis,
    &cn_layout_row,
    &cn_layout_term,
    &cn_layout_part,
    &cn_layout_course,
    &cn_layout_slot,
    &cn_layout_proxy,
    &cn_layout_float_box,
    &cn_layout_pair,
    &cn_layout_record,
    &cn_layout_manifold,
    &cn_layout_manifold_frame,
    &cn_layout_extras,
    &cn_layout_slide,
    &cn_layout_place,
    &cn_layout_transform,
    &cn_layout_shape_place,
    &cn_layout_event,
    &cn_layout_rare_event,
    &cn_layout_pending_end,
    &cn_layout_warning,
    &cn_layout_step_def,
    &cn_layout_solver_def,
    &cn_layout_int,
    &cn_layout_byte,
    &cn_layout_pose_before,
    &cn_layout_mimic,
    &cn_layout_mass,
    &cn_layout_kept_impulses,
    &cn_layout_frame_impulses,
    &cn_layout_shape_record,
    &cn_layout_soft_place,
    &cn_layout_kept_velocity,
};
const int cn_layout_count = (int)(sizeof cn_layouts / sizeof cn_layouts[0]);

size_t cn_field_width(CnFieldType type) {
    switch (type) {
    case CN_FIELD_F64:
    case CN_FIELD_I64:
    case CN_FIELD_U64:
        return 8;
    case CN_FIELD_F32:
    case CN_FIELD_I32:
    case CN_FIELD_U32:
        return 4;
    default:
        return 1;
    }
}

size_t cn_layout_packed_size(const CnLayout* layout) {
    size_t size = 0;
    for (int i = 0; i < layout->field_count; ++i) {
        size += layout->fields[i].type == CN_FIELD_LEFT_OUT ? 0 : layout->fields[i].size;
    }
    return size;
}

uint32_t cn_layouts_digest(void) {
    uint64_t hash = CN_HASH_SEED;
    for (int i = 0; i < cn_layout_count; ++i) {
        const CnLayout* layout = cn_layouts[i];
        hash = cn_hash_mix(hash, (uint64_t)layout->field_count);
        for (int k = 0; k < layout->field_count; ++k) {
            const CnField* field = &layout->fields[k];
            if (field->type != CN_FIELD_LEFT_OUT) {
                hash = cn_hash_mix(cn_hash_mix(hash, (uint64_t)field->type), field->size);
            }
        }
    }
    return (uint32_t)(hash ^ hash >> 32);
}
