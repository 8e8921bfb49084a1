// layouts.h - which members of a struct are part of a state, and how they are written.
//
// A layout lists all members of a struct in their order: numbers that are written, and those that
// are left out because the world that is loaded into has them, or because they follow from others.
// A unit test looks for gaps, so that a member that is new is not forgotten.
#pragma once

#include "world/world.h"

typedef enum CnFieldType {
    CN_FIELD_F64,
    CN_FIELD_F32,
    CN_FIELD_I32, // int, and enums
    CN_FIELD_U32,
    CN_FIELD_I64,
    CN_FIELD_U64,
    CN_FIELD_BOOL,
    CN_FIELD_BYTES,
    CN_FIELD_LEFT_OUT,
} CnFieldType;

typedef struct CnField {
    size_t offset;
    size_t size; // [bytes], all numbers of it
    CnFieldType type;
} CnField;

typedef struct CnLayout {
    const char* name; // of the struct
    size_t size;
    const CnField* fields;
    int field_count;
} CnLayout;

extern const CnLayout cn_layout_body, cn_layout_details, cn_layout_id, cn_layout_applied,
    cn_layout_shape, cn_layout_link, cn_layout_material_pair, cn_layout_given, cn_layout_separation,
    cn_layout_material, cn_layout_force, cn_layout_constraint, cn_layout_joint,
    cn_layout_joint_axis, cn_layout_free_axis, cn_layout_row, cn_layout_term, cn_layout_part,
    cn_layout_mimic, cn_layout_course, cn_layout_slot, cn_layout_proxy, cn_layout_float_box,
    cn_layout_pair, cn_layout_record, cn_layout_manifold, cn_layout_manifold_frame,
    cn_layout_kept_impulses, cn_layout_frame_impulses, cn_layout_extras, cn_layout_slide,
    cn_layout_place, cn_layout_soft_place, cn_layout_transform, cn_layout_pose_before,
    cn_layout_shape_place, cn_layout_event, cn_layout_rare_event, cn_layout_pending_end,
    cn_layout_warning, cn_layout_step_def, cn_layout_solver_def, cn_layout_int, cn_layout_byte,
    cn_layout_mass, cn_layout_shape_record, cn_layout_kept_velocity;

// All of them, for those who check.
extern const CnLayout* const cn_layouts[];
extern const int cn_layout_count;

// Bytes of one number of a type; and of a struct as it is written.
size_t cn_field_width(CnFieldType type);
size_t cn_layout_packed_size(const CnLayout* layout);

// Tells formats apart: changes with every member that is written, its type and its order.
uint32_t cn_layouts_digest(void);
