// calls.c - the table of calls that a session makes at random.
#include "calls.h"

static const Call calls[] = {
    {"cn_world_add_material", 4, call_add_material},
    {"cn_world_set_material_pair", 2, call_set_material_pair},
    {"cn_world_add_series", 3, call_add_series},
    {"cn_world_add_body", 22, call_add_body},
    {"cn_world_add_force", 4, call_add_force},
    {"cn_world_add_contact", 3, call_add_contact},
    {"cn_world_add_constraint", 4, call_add_constraint},
    {"cn_world_add_joint", 12, call_add_joint},
    {"cn_world_exclude_pair", 2, call_exclude_pair},
    {"cn_world_remove_body", 4, call_remove_body},
    {"cn_world_remove_force", 2, call_remove_force},
    {"cn_world_remove_contact", 2, call_remove_contact},
    {"cn_world_remove_constraint", 2, call_remove_constraint},
    {"cn_world_remove_joint", 2, call_remove_joint},
    {"cn_body_set_state", 4, call_set_state},
    {"cn_joint_set_axis", 6, call_set_axis},
    {"cn_joint_set_target", 2, call_set_target},
    {"cn_joint_set_enabled", 2, call_set_enabled},
    {"cn_world_step", 30, call_step},
    {"cn_body_apply_force", 5, call_apply},
    {"cn_body_set_pose", 2, call_set_pose},
    {"cn_body_set_mass", 2, call_set_mass},
    {"cn_body_set_type", 3, call_set_type},
    {"cn_body_set_enabled", 3, call_set_body_enabled},
    {"cn_body_set_damping", 3, call_set_body_numbers},
    {"cn_world_write_states", 2, call_write_states},
    {"cn_world_set_gravity", 2, call_set_world},
    {"cn_body_read", 1, call_read_body},
    {"cn_body_add_shape", 5, call_add_shape},
    {"cn_shape_remove", 3, call_remove_shape},
    {"cn_shape_set_filter", 2, call_set_filter},
    {"cn_shape_set_material", 2, call_set_shape_material},
    {"cn_shape_read", 3, call_read_shapes},
    {"cn_geometry_create_hull", 4, call_create_geometry},
    {"cn_geometry_release", 2, call_release_geometry},
    {"cn_body_state", 2, call_read_ids},
    {"cn_world_cast_ray", 2, call_cast},
    {"cn_world_overlap", 2, call_overlap},
    {"cn_world_closest", 2, call_closest},
    {"cn_world_find_contacts", 2, call_find_contacts},
    {"cn_world_redundant_constraints", 2, call_redundant},
    {"cn_body_contacts", 2, call_body_contacts},
    {"cn_world_read_series", 1, call_read_series},
    {"cn_constraint_check", 1, call_check_kind},
    {"cn_solve", 4, call_solve},
    {"cn_problem_save", 2, call_problem_file},
    {"cn_scene_build", 1, call_scene},
    {"cn_nearest_name", 1, call_names},
    {"cn_series_load", 1, call_series_file},
    {"cn_scene_open", 1, call_builtin_scene},
    {"cn_masses_create", 1, call_masses},
    {"cn_world_clone", 2, call_clone},
    {"cn_world_save_state_memory", 2, call_save_state},
    {"cn_world_save_state", 1, call_state_file},
};
static const int call_count = (int)(sizeof calls / sizeof calls[0]);

const Call* choose_call(Dice* dice) {
    int sum = 0;
    for (int i = 0; i < call_count; ++i) {
        sum += calls[i].weight;
    }
    int rest = dice_below(dice, sum), i = 0;
    for (; rest >= calls[i].weight; ++i) {
        rest -= calls[i].weight;
    }
    return &calls[i];
}
