// measure_trees.c - values of the joints of trees and of their drives, where the trees were read.
#include "world/correct/measure_trees.h"

#include <math.h>

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
    link->turned->angle = is_plain ? row->terms[0] : (CnJointTerm){0};
    link->turned->angle_value = axis->coordinate;
}

// A motor, a stop or friction about the axis of a hinge whose turn is known, at a coordinate x, to
// the bits of cn_tree_measure_drive(). False: a stop with no room between its limits.
static inline bool measure_turn(CnAxisPartType turns, const CnAxisPart* part, double time, double x,
                                CnCurveLook* series, CnUserConstraint* constraint) {
    const CnJointAxis* axis = &part->axis;
    CnRowRole role = CN_ROW_DRIVES;
    double offset = 0.0;
    if (turns == CN_AXIS_PART_LIMIT) {
        bool is_lower = cn_axis_is_near_lower(axis, x);
        if (axis->lower == axis->upper) {
            return false;
        }
        offset = is_lower ? axis->lower : axis->upper;
        role = is_lower ? CN_ROW_PUSHES : CN_ROW_PULLS;
    } else if (turns == CN_AXIS_PART_MOTOR && axis->motor == CN_MOTOR_POSITION) {
        bool is_soft = axis->stiffness > 0.0 || axis->damping > 0.0;
        offset = cn_axis_motor_target_again(part, time, series);
        role = is_soft ? CN_ROW_YIELDS : CN_ROW_DRIVES;
    }
    constraint->value[0] = x - offset;
    constraint->role[0] = (uint8_t)role;
    return true;
}

// The same where it can be done, and the axis that was looked at.
static inline bool measure_turned(const CnTreePoses* poses, const CnTreeDrive* drive,
                                  CnUserConstraint* constraint, CnTreeAxis* axis) {
    const CnTreeLink* link = &poses->world->trees->links[drive->link];
    if (drive->turns == CN_AXIS_PART_COUNT || !link->has_twist) {
        return false;
    }
    const CnJointRow* row = &drive->part->row;
    double x = cn_tree_turn_coordinate(link, row);
    axis->part_row = row;
    axis->link = link;
    axis->coordinate = x;
    axis->has_rows = false;
    return measure_turn(drive->turns, drive->part, poses->time, x, &axis->series, constraint);
}

// Of all others.
static void measure_other(const CnTreePoses* poses, const CnTreeDrive* drive,
                          CnUserConstraint* constraint, CnTreeAxis* axis) {
    if (drive->is_on_axis && !drive->may_stop) {
        cn_tree_look_at_axis(poses->world, drive, poses->states, false, axis);
        constraint->value[0] =
            cn_axis_part_value(constraint->kind, poses->time, constraint->data, axis->coordinate);
        bool yields = cn_axis_part_yields(constraint->kind, poses->time, constraint->data);
        constraint->role[0] = yields ? CN_ROW_YIELDS : CN_ROW_DRIVES;
    } else if (drive->is_on_axis) {
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

void cn_tree_measure_drive(const CnTreePoses* poses, const CnTreeDrive* drive, CnTreeAxis* axis) {
    CnUserConstraint* constraint = constraint_at(poses->world, drive->slot);
    if (!measure_turned(poses, drive, constraint, axis)) {
        measure_other(poses, drive, constraint, axis);
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

static void measure_drives(const CnTreePoses* poses, int first, int count,
                           CnPositionErrors* errors) {
    const CnTreeStore* store = poses->world->trees;
    const CnInstant end = {.time = poses->time};
    CnTreeAxis axis = {.part_row = NULL};
    for (int i = first; i < first + count; ++i) {
        const CnTreeDrive* drive = &store->drives[i];
        CnUserConstraint* constraint = constraint_at(poses->world, drive->slot);
        if (!measure_turned(poses, drive, constraint, &axis)) {
            measure_other(poses, drive, constraint, &axis);
        }
        if (drive->is_on_axis) {
            keep_angle(&store->links[drive->link], &axis);
        }
        if (!drive->may_stop) {
            continue;
        }
        bool is_open = (constraint->role[0] == CN_ROW_PUSHES && constraint->value[0] >= 0.0) ||
                       (constraint->role[0] == CN_ROW_PULLS && constraint->value[0] <= 0.0);
        if (!(drive->is_on_axis && is_open)) {
            cn_positions_add_measured(constraint, drive->slot, end, errors);
        }
    }
}

void cn_trees_measure_loose(const CnTreePoses* poses, CnPositionErrors* errors) {
    const CnTreeStore* store = poses->world->trees;
    measure_drives(poses, store->drive_count, store->loose_count, errors);
}

// The values of the rows of a joint go to its constraint; and the largest in metres, in radians.
static inline void take_rows(const CnTreeLink* link, CnUserConstraint* constraint, double* length,
                             double* angle) {
    unsigned angular = constraint->kind->angular_rows;
    double longest = 0.0, widest = 0.0;
    for (int k = 0; k < link->row_count; ++k) {
        double value = link->value[k], size = fabs(value);
        constraint->value[k] = value;
        constraint->role[k] = CN_ROW_KEEPS;
        if ((angular >> k & 1u) != 0) {
            widest = size > widest ? size : widest;
        } else {
            longest = size > longest ? size : longest;
        }
    }
    *length = longest;
    *angle = widest;
}

// The values of a joint go to its constraint.
static inline void take_value(const CnTreePoses* poses, const CnTreeLink* link,
                              CnPositionErrors* errors) {
    if (link->slot >= 0) {
        CnUserConstraint* constraint = constraint_at(poses->world, link->slot);
        double length, angle;
        take_rows(link, constraint, &length, &angle);
        cn_positions_add(link->slot, length, angle, errors);
    }
}

void cn_tree_measure(const CnTreePoses* poses, const CnJointTree* tree, CnPositionErrors* errors) {
    CnPositionErrors own = *errors; // in registers
    for (int i = 0; i < tree->link_count; ++i) {
        take_value(poses, &poses->world->trees->links[tree->first_link + i], &own);
    }
    for (int i = 0; i < tree->loops.count; ++i) {
        take_value(poses, &tree->loops.loops[i].joint, &own);
    }
    *errors = own;
    measure_drives(poses, tree->first_drive, tree->drive_count, errors);
}

bool cn_trees_measure_end(const CnTreePoses* poses) {
    CnTreeStore* store = poses->world->trees;
    if (!cn_trees_are_known(poses->world)) {
        return false;
    }
    CnPositionErrors errors = {.contact = -1, .constraint = -1}; // summed up with contacts later
    store->at = CN_TREES_NOWHERE;
    cn_trees_measure_loose(poses, &errors);
    for (int t = 0; t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        cn_tree_read_bodies(poses->world, tree, poses->states);
        if (!cn_tree_read_joints(poses->world, tree, poses->states, poses->time)) {
            return false;
        }
        cn_tree_read_twists(poses->world, tree, poses->states);
        cn_tree_measure(poses, tree, &errors);
    }
    store->at = CN_TREES_AT_END;
    return true;
}
