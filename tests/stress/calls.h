// calls.h - the table of calls that a session makes at random.
#pragma once

#include "session.h"

typedef CallResult CallFunction(Session* session);

typedef struct Call {
    const char* name;
    int weight; // how often, relative to the others
    CallFunction* make;
} Call;

const Call* choose_call(Dice* dice);

// calls_change.c
CallFunction call_add_material, call_set_material_pair, call_set_force, call_add_series,
    call_add_body, call_add_force, call_add_contact, call_add_constraint, call_add_joint,
    call_exclude_pair, call_remove_body, call_remove_force, call_remove_contact,
    call_remove_constraint, call_remove_joint, call_set_state, call_set_axis, call_set_target,
    call_set_enabled, call_step;

// calls_shape.c
CallFunction call_add_shape, call_remove_shape, call_set_filter, call_set_shape_material,
    call_read_shapes, call_create_geometry, call_release_geometry;

// calls_body.c
CallFunction call_apply, call_set_pose, call_set_mass, call_set_type, call_set_body_enabled,
    call_set_body_numbers, call_write_states, call_set_world, call_read_body;

// calls_read.c
CallFunction call_read_ids, call_cast, call_overlap, call_closest, call_find_contacts,
    call_body_contacts, call_redundant, call_read_series, call_check_kind;

// calls_solve.c
CallFunction call_solve, call_problem_file;

// calls_alone.c
CallFunction call_names, call_series_file, call_builtin_scene, call_masses;

// calls_state.c
CallFunction call_clone, call_save_state, call_state_file;

// calls_scene.c
CallFunction call_scene;

// calls_machine.c: mechanisms, rays and a game loop, in a copy that is thrown away afterwards.
void use_copy(Session* session, CnWorld* copy);
