// position_errors.c - how deep bodies overlap and how far joints come apart while a scene runs.
#include "bench/position_errors.h"

#include <stdio.h>
#include <stdlib.h>

static bool fail(CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory to measure overlaps");
    return false;
}

bool position_errors_begin(PositionErrors* errors, const CnWorld* world, CnError* error) {
    *errors = (PositionErrors){0};
    CnError why = {0};
    errors->is_independent = plain_scene_read(world, &errors->plain, &why);
    if (!errors->is_independent && why.status != CN_UNSUPPORTED) {
        return fail(error);
    }
    errors->states = calloc((size_t)cn_world_body_count(world) + 1, sizeof *errors->states);
    return errors->states != NULL || fail(error);
}

static bool look_at_poses(PositionErrors* errors, const CnWorld* world) {
    const PlainScene* plain = &errors->plain;
    cn_world_read_states(world, errors->states, NULL, plain->body_count);
    errors->joint_error = fmax(errors->joint_error, plain_scene_joint_error(plain, errors->states));
    errors->kinetic_energy = plain_scene_kinetic_energy(plain, errors->states);
    return plain_scene_overlaps(plain, errors->states, &errors->overlaps);
}

// Makes room for all contacts of the copy and reads them; -1: no memory.
static int read_contacts(PositionErrors* errors, CnWorld* copy) {
    int count = cn_world_find_contacts(copy, errors->points, errors->point_capacity);
    if (count <= errors->point_capacity) {
        return count;
    }
    CnContactPoint* more = realloc(errors->points, (size_t)count * sizeof *more);
    if (more == NULL) {
        return -1;
    }
    errors->points = more;
    errors->point_capacity = count;
    return cn_world_find_contacts(copy, errors->points, errors->point_capacity);
}

// In a copy with memory of its own: looking changes neither the steps that follow nor the bytes
// that the world is counted to need.
static bool look_at_contacts(PositionErrors* errors, const CnWorld* world) {
    CnWorldDef hooks = cn_world_def_default();
    CnWorld* copy = cn_world_clone(world, &hooks, NULL);
    int count = copy != NULL ? read_contacts(errors, copy) : -1;
    bool ok = count >= 0;
    errors->overlaps.deepest = 0.0;
    for (int i = 0; ok && i < count; ++i) {
        double depth = -errors->points[i].gap;
        ok = depth <= 0.0 || plain_overlaps_add(&errors->overlaps, depth);
    }
    cn_world_destroy(copy);
    return ok;
}

bool position_errors_look(PositionErrors* errors, const CnWorld* world, const CnStepReport* report,
                          CnError* error) {
    if (errors->is_independent) {
        if (!look_at_poses(errors, world)) {
            return fail(error);
        }
    } else {
        if (!look_at_contacts(errors, world)) {
            return fail(error);
        }
        errors->joint_error = fmax(errors->joint_error, report->joint_error);
        CnEnergyParts energy = cn_world_energy_parts(world);
        errors->kinetic_energy = energy.linear + energy.angular;
    }
    errors->deepest = fmax(errors->deepest, errors->overlaps.deepest);
    return true;
}

double position_errors_deepest_99(PositionErrors* errors) {
    return plain_overlaps_share(&errors->overlaps, 0.99);
}

void position_errors_end(PositionErrors* errors) {
    plain_scene_free(&errors->plain);
    plain_overlaps_free(&errors->overlaps);
    free(errors->states);
    free(errors->points);
}
