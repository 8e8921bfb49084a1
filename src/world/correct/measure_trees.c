// measure_trees.c - values of the joints of trees and of their drives, where the trees were read.
#include "world/correct/measure_trees.h"

#include "world/correct/position_errors.h"

#include <string.h>

static CnUserConstraint* constraint_at(const CnWorld* world, int slot) {
    return cn_pool_element(&world->constraints, slot);
}

void cn_tree_read_drive(const CnTreePoses* poses, const CnTreeDrive* drive, unsigned what,
                        CnConstraintReading* reading) {
    CnReader reader;
    CnBoundConstraint bound;
    cn_reader_begin(&reader, poses->world, poses->states, poses->time);
    cn_reader_bind(&reader, drive->slot, &bound);
    cn_read_constraint(&reader, &bound, what, reading);
}

// The coordinate that the last drive of a link has read.
static void keep_angle(CnTreeLink* link, const CnTreeAxis* axis) {
    const CnJointRow* row = axis->part_row;
    bool is_plain = row->term_count == 1 && row->terms[0].factor == 1.0 && row->shift == 0.0;
    link->angle = is_plain ? row->terms[0] : (CnJointTerm){0};
    link->angle_value = axis->coordinate;
}

void cn_tree_measure_drive(const CnTreePoses* poses, const CnTreeDrive* drive, CnTreeAxis* axis) {
    CnUserConstraint* constraint = constraint_at(poses->world, drive->slot);
    if (drive->is_on_axis) {
        CnAxisReading reading;
        cn_tree_look_at_axis(poses->world, drive, poses->states, false, axis);
        cn_axis_part_read(constraint->kind, poses->time, constraint->data, axis->coordinate,
                          &reading);
        constraint->value[0] = reading.value;
        constraint->role[0] = (uint8_t)cn_axis_limits(&reading, constraint, poses->time).role;
    } else {
        CnConstraintReading reading;
        cn_tree_read_drive(poses, drive, CN_READ_VALUES | CN_READ_FORCES, &reading);
        cn_positions_take(constraint, &reading, poses->time);
    }
}

void cn_tree_measure_stops(const CnTreePoses* poses, const CnJointTree* tree) {
    const CnTreeDrive* drives = poses->world->trees->drives + tree->first_drive;
    CnTreeAxis axis = {.part_row = NULL};
    for (int i = 0; i < tree->drive_count; ++i) {
        if (drives[i].may_stop && !drives[i].is_far) {
            cn_tree_measure_drive(poses, &drives[i], &axis);
        }
    }
}

static void measure_drives(const CnTreePoses* poses, int first, int count) {
    const CnTreeStore* store = poses->world->trees;
    CnTreeAxis axis = {.part_row = NULL};
    for (int i = first; i < first + count; ++i) {
        const CnTreeDrive* drive = &store->drives[i];
        cn_tree_measure_drive(poses, drive, &axis);
        if (drive->is_on_axis) {
            keep_angle(&store->links[drive->link], &axis);
        }
    }
}

void cn_trees_measure_loose(const CnTreePoses* poses) {
    measure_drives(poses, poses->world->trees->drive_count, poses->world->trees->loose_count);
}

// The values of a joint go to its constraint.
static void take_value(const CnWorld* world, const CnTreeLink* link) {
    if (link->slot >= 0) {
        CnUserConstraint* constraint = constraint_at(world, link->slot);
        memcpy(constraint->value, link->value, (size_t)link->row_count * sizeof(double));
        memset(constraint->role, CN_ROW_KEEPS, (size_t)link->row_count);
    }
}

void cn_tree_measure(const CnTreePoses* poses, const CnJointTree* tree) {
    for (int i = 0; i < tree->link_count; ++i) {
        take_value(poses->world, &poses->world->trees->links[tree->first_link + i]);
    }
    for (int i = 0; i < tree->loops.count; ++i) {
        take_value(poses->world, &tree->loops.loops[i].joint);
    }
    measure_drives(poses, tree->first_drive, tree->drive_count);
}

bool cn_trees_measure_end(const CnTreePoses* poses) {
    CnTreeStore* store = poses->world->trees;
    if (!cn_trees_are_known(poses->world)) {
        return false;
    }
    store->at = CN_TREES_NOWHERE;
    cn_trees_measure_loose(poses);
    for (int t = 0; t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        cn_tree_read_bodies(poses->world, tree, poses->states);
        if (!cn_tree_read_joints(poses->world, tree, poses->states, poses->time)) {
            return false;
        }
        cn_tree_read_twists(poses->world, tree, poses->states);
        cn_tree_measure(poses, tree);
    }
    store->at = CN_TREES_AT_END;
    return true;
}
