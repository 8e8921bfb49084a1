// clone_things.c - copies of bodies, shapes, joints and all else that a world is made of.
//
// Pools are copied as bytes, with the pointers in them, which then get memory of their own. When
// memory runs out on the way, the pointers that are left become NULL, so that the copy can be
// destroyed.
#include "world/bodies/body_shapes.h"
#include "world/bodies/geometries.h"
#include "world/constraints/joint.h"
#include "world/state/clone.h"

#include <string.h>

// A copy of a name; NULL, with *ok false, when memory runs out now or has run out before.
static char* copy_name(const CnWorld* to, const char* name, bool* ok) {
    char* copy = *ok ? cn_world_copy_name(to, name) : NULL;
    *ok = copy != NULL;
    return copy;
}

static void* copy_memory(const CnWorld* to, const void* from, size_t size, bool* ok) {
    void* copy = *ok ? cn_allocate(&to->allocator, size, 1) : NULL;
    *ok = copy != NULL;
    if (copy != NULL && size > 0) {
        memcpy(copy, from, size);
    }
    return copy;
}

static void copy_masses(CnWorld* to, int body, bool* ok) {
    CnBodyDetails* details = &to->details.data[body];
    const CnMass** masses[2] = {&details->given, &details->mass};
    for (int i = 0; i < 2; ++i) {
        *masses[i] = *ok ? cn_mass_take(&to->masses, &(*masses[i])->properties) : NULL;
        *ok = *masses[i] != NULL;
    }
    if (to->bodies.data[body].type == CN_BODY_DYNAMIC) {
        to->bodies.data[body].mass = details->mass;
    }
}

static bool clone_bodies(CnWorld* to, const CnWorld* from) {
    const CnAllocator* allocator = &to->allocator;
    if (!cn_array_copy(&to->bodies, allocator, &from->bodies) ||
        !cn_array_copy(&to->order, allocator, &from->order) ||
        !cn_array_copy(&to->applied, allocator, &from->applied) ||
        !cn_array_copy(&to->kept_velocities, allocator, &from->kept_velocities) ||
        !cn_pool_copy(&to->body_indices, &from->body_indices) ||
        !cn_map_copy(&to->names, &from->names) ||
        !cn_array_copy(&to->details, allocator, &from->details)) {
        return false;
    }
    bool ok = true;
    for (int i = 0; i < to->details.count; ++i) {
        const CnDrive* drive = from->details.data[i].drive;
        to->details.data[i].name = copy_name(to, from->details.data[i].name, &ok);
        to->details.data[i].drive =
            drive != NULL ? copy_memory(to, drive, sizeof *drive, &ok) : NULL;
        copy_masses(to, i, &ok);
    }
    to->fast_count = from->fast_count;
    to->exact_count = from->exact_count;
    to->damped_count = from->damped_count;
    to->driven_count = from->driven_count;
    to->sleeping = from->sleeping;
    return ok;
}

static bool clone_geometries(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->geometries, &from->geometries);
    for (int i = 0; i < cn_pool_slot_count(&to->geometries); ++i) {
        CnWorldGeometry* entry = cn_pool_at(&to->geometries, i);
        if (entry != NULL) {
            entry->geometry = ok ? cn_geometry_copy(entry->geometry, &to->allocator) : NULL;
            ok = entry->geometry != NULL;
            if (ok && entry->is_held) {
                entry->geometry->references = 1;
            }
        }
    }
    return ok;
}

// Points a shape of another world to the copy of its geometry.
static void aim_geometry(const CnWorld* to, CnShape* shape) {
    if (shape->geometry != NULL) {
        const CnWorldGeometry* entry = cn_pool_at(&to->geometries, shape->geometry->slot);
        shape->geometry = entry->geometry;
        shape->hull = entry->geometry->hull;
        shape->mesh = entry->geometry->mesh;
        shape->field = entry->geometry->field;
    }
}

static bool clone_shapes(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->shapes, &from->shapes);
    for (int i = 0; i < cn_pool_slot_count(&to->shapes); ++i) {
        CnWorldShape* shape = cn_pool_at(&to->shapes, i);
        if (shape != NULL) {
            CnShape like = *shape->shape;
            aim_geometry(to, &like);
            shape->shape = ok ? cn_shape_take(to, &like) : NULL;
            ok = shape->shape != NULL;
        }
    }
    to->sensor_count = from->sensor_count;
    return ok;
}

static bool clone_materials(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->materials, &from->materials);
    for (int i = 0; i < cn_pool_slot_count(&to->materials); ++i) {
        CnMaterial* material = cn_pool_at(&to->materials, i);
        if (material != NULL) {
            material->name = copy_name(to, material->name, &ok);
        }
    }
    return ok && cn_array_copy(&to->material_pairs, &to->allocator, &from->material_pairs);
}

static bool clone_series(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->series, &from->series);
    for (int i = 0; i < cn_pool_slot_count(&to->series); ++i) {
        CnSeries* series = cn_pool_at(&to->series, i);
        if (series == NULL) {
            continue;
        }
        size_t count = (size_t)series->curve.count;
        series->name = copy_name(to, series->name, &ok);
        series->samples = copy_memory(to, series->samples, 4 * count * sizeof(double), &ok);
        if (ok) {
            cn_series_aim(series);
        }
    }
    return ok;
}

// Contacts given by hand, forces, and who does not collide with whom.
static bool clone_loads(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->given_contacts, &from->given_contacts);
    for (int i = 0; i < cn_pool_slot_count(&to->given_contacts); ++i) {
        CnGivenContact* given = cn_pool_at(&to->given_contacts, i);
        if (given != NULL) {
            given->name = copy_name(to, given->name, &ok);
        }
    }
    return ok && cn_pool_copy(&to->forces, &from->forces) &&
           cn_pool_copy(&to->separations, &from->separations) &&
           cn_map_copy(&to->excluded, &from->excluded);
}

// The curve of a series as that of its copy. One without samples stays as it is.
static void follow_series(const CnWorld* to, const CnWorld* from, CnCurve* curve) {
    for (int i = 0; curve->count > 0 && i < cn_pool_slot_count(&from->series); ++i) {
        const CnSeries* series = cn_pool_at(&from->series, i);
        if (series != NULL && series->curve.times == curve->times) {
            const CnSeries* copy = cn_pool_at(&to->series, i);
            *curve = copy->curve;
            return;
        }
    }
}

// What the parts of a joint point into.
static void follow_parts(const CnWorld* to, const CnWorld* from, const CnJoint* joint) {
    CnJointPart* kept = cn_joint_part_at(to, joint->kept);
    if (kept != NULL && cn_joint_type_info(joint->type)->course != CN_COURSE_NONE) {
        CnPrescribedPart* prescribed = (void*)kept;
        for (int i = 0; i < 3; ++i) {
            follow_series(to, from, &prescribed->courses[i].curve);
        }
    }
    for (int i = 0; i < joint->axis_count; ++i) {
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            CnAxisPart* part = (void*)cn_joint_part_at(to, joint->axes[i].parts[k]);
            if (part != NULL) {
                follow_series(to, from, &part->target);
                follow_series(to, from, &part->table);
            }
        }
    }
}

static bool clone_joints(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->joints, &from->joints);
    for (int i = 0; i < cn_pool_slot_count(&to->joints); ++i) {
        CnJoint* joint = cn_pool_at(&to->joints, i);
        if (joint != NULL) {
            size_t size = (size_t)joint->axis_count * sizeof *joint->axes;
            joint->name = copy_name(to, joint->name, &ok);
            joint->axes = copy_memory(to, joint->axes, size, &ok);
        }
    }
    return ok && cn_array_copy(&to->joint_order, &to->allocator, &from->joint_order);
}

static bool clone_constraints(CnWorld* to, const CnWorld* from) {
    bool ok = cn_pool_copy(&to->constraints, &from->constraints);
    for (int i = 0; i < cn_pool_slot_count(&to->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&to->constraints, i);
        if (constraint != NULL) {
            constraint->name = copy_name(to, constraint->name, &ok);
            constraint->data = copy_memory(to, constraint->data, constraint->data_size, &ok);
        }
    }
    for (int i = 0; ok && i < cn_pool_slot_count(&to->joints); ++i) {
        const CnJoint* joint = cn_pool_at(&to->joints, i);
        if (joint != NULL) {
            follow_parts(to, from, joint);
        }
    }
    return ok && cn_array_copy(&to->constraint_order, &to->allocator, &from->constraint_order);
}

bool cn_clone_things(CnWorld* to, const CnWorld* from) {
    bool ok = clone_bodies(to, from) && clone_geometries(to, from) && clone_shapes(to, from) &&
              clone_materials(to, from) && clone_series(to, from) && clone_loads(to, from) &&
              clone_joints(to, from) && clone_constraints(to, from);
    for (int i = 0; i < CN_LINK_KIND_COUNT; ++i) {
        ok = ok && cn_array_copy(&to->links[i], &to->allocator, &from->links[i]);
    }
    return ok;
}
