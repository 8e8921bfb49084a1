// validate.c - whether a def makes sense by itself; the same checks for programs and for files.
#include "world/validate.h"

#include "base/error.h"
#include "constraints/joints/kind.h"
#include "geometry/geometry.h"
#include "math/mat3.h"
#include "math/refuse.h"
#include "solvers/solve/refusal.h"
#include "solvers/solve/solver.h"
#include "world/bodies/drive.h"

#include <stdio.h>

// Principal moments may miss the triangle inequality by this much: round-off of a thin plate, for
// which it is an equality.
#define TRIANGLE_TOLERANCE 1e-9

// Normals of surfaces are products of two lengths over the root of their squares, which overflow
// beyond 1e76 [m].
#define LARGEST_SURFACE 1e75

CnStatus cn_validate_material(const CnMaterialDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_material_def_default");
    REQUIRE_NOT_NEGATIVE(def->friction, "friction", "");
    REQUIRE_NOT_NEGATIVE(def->static_friction, "static_friction", "");
    if (def->static_friction > 0.0 && def->static_friction < def->friction) {
        REFUSE("static_friction", "static_friction is %g; it must not be below friction, %g",
               def->static_friction, def->friction);
    }
    if (def->static_friction > 0.0 && def->friction == 0.0) {
        REFUSE("static_friction", "static_friction is %g; it needs a friction above 0",
               def->static_friction);
    }
    REQUIRE_RANGE(def->restitution, 0.0, 1.0, "restitution", "");
    REQUIRE_POSITIVE(def->density, "density", " kg/m^3");
    REQUIRE_NOT_NEGATIVE(def->torsion, "torsion", " m");
    REQUIRE_NOT_NEGATIVE(def->rolling, "rolling", " m");
    REQUIRE_NOT_NEGATIVE(def->friction_across, "friction_across", "");
    REQUIRE_FINITE_VECTOR(def->surface_velocity, "surface_velocity");
    REQUIRE_FINITE_VECTOR(def->grain, "grain");
    if (cn_vec3_length(def->grain) > 0.0) {
        REQUIRE_UNIT_VECTOR(def->grain, "grain");
    } else if (def->friction_across > 0.0) {
        REFUSE("friction_across", "friction_across is %g, but there is no grain to go across",
               def->friction_across);
    }
    return CN_OK;
}

static CnStatus validate_sphere(const CnShapeDef* def, const char** field, CnError* error) {
    REQUIRE_POSITIVE(def->radius, "radius", " m");
    return CN_OK;
}

static CnStatus validate_plane(const CnShapeDef* def, const char** field, CnError* error) {
    REQUIRE_FINITE_VECTOR(def->normal, "normal");
    REQUIRE_UNIT_VECTOR(def->normal, "normal");
    return CN_OK;
}

static CnStatus validate_box(const CnShapeDef* def, const char** field, CnError* error) {
    CnVec3 size = def->size;
    if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0 && cn_vec3_is_finite(size))) {
        REFUSE("size", "size is (%g, %g, %g) m; every edge must be positive and finite", size.x,
               size.y, size.z);
    }
    return CN_OK;
}

static CnStatus validate_rod(const CnShapeDef* def, const char** field, CnError* error) {
    REQUIRE_POSITIVE(def->radius, "radius", " m");
    REQUIRE_POSITIVE(def->length, "length", " m");
    return CN_OK;
}

static CnStatus validate_points(const CnShapeDef* def, const char** field, CnError* error) {
    if (def->points == NULL) {
        REFUSE("points", "point_count is %d but points is NULL", def->point_count);
    }
    for (int i = 0; i < def->point_count; ++i) {
        CnVec3 p = def->points[i];
        if (!cn_vec3_is_finite(p)) {
            REFUSE("points", "points[%d] is (%g, %g, %g); every part must be a finite number", i,
                   p.x, p.y, p.z);
        }
    }
    return CN_OK;
}

// Whether the points span a solid is left to the building of their hull.
static CnStatus validate_convex(const CnShapeDef* def, const char** field, CnError* error) {
    if (def->point_count < 4) {
        REFUSE("points", "a convex shape has %d points; it needs at least 4", def->point_count);
    }
    return validate_points(def, field, error);
}

static CnStatus validate_reach(const CnShapeDef* def, const char** field, CnError* error) {
    for (int i = 0; i < def->point_count; ++i) {
        CnVec3 p = def->points[i];
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > LARGEST_SURFACE) {
            REFUSE("points", "points[%d] is (%g, %g, %g) m; a mesh takes at most %g m", i, p.x, p.y,
                   p.z, LARGEST_SURFACE);
        }
    }
    return CN_OK;
}

static CnStatus validate_triangle(const CnShapeDef* def, int index, const char** field,
                                  CnError* error) {
    const int* corner = def->triangles[index];
    for (int k = 0; k < 3; ++k) {
        if (corner[k] < 0 || corner[k] >= def->point_count) {
            REFUSE("triangles", "triangles[%d] names point %d; there are points 0 to %d", index,
                   corner[k], def->point_count - 1);
        }
    }
    if (cn_triangle_is_flat(def->points[corner[0]], def->points[corner[1]],
                            def->points[corner[2]])) {
        REFUSE("triangles", "triangles[%d] (points %d, %d, %d) has no area", index, corner[0],
               corner[1], corner[2]);
    }
    return CN_OK;
}

static CnStatus validate_mesh(const CnShapeDef* def, const char** field, CnError* error) {
    if (def->point_count < 3) {
        REFUSE("points", "a mesh has %d points; it needs at least 3", def->point_count);
    }
    if (def->triangle_count < 1 || def->triangle_count > CN_MESH_TRIANGLE_LIMIT) {
        REFUSE("triangles", "a mesh has %d triangles; it may have 1 to %d", def->triangle_count,
               CN_MESH_TRIANGLE_LIMIT);
    }
    if (def->triangles == NULL) {
        REFUSE("triangles", "triangle_count is %d but triangles is NULL", def->triangle_count);
    }
    CnStatus status = validate_points(def, field, error);
    return status == CN_OK ? validate_reach(def, field, error) : status;
}

// Of a mesh that validate_mesh() lets pass: there are arrays to read.
static CnStatus validate_triangles(const CnShapeDef* def, const char** field, int* triangle,
                                   CnError* error) {
    for (int i = 0; i < def->triangle_count; ++i) {
        CnStatus status = validate_triangle(def, i, field, error);
        if (status != CN_OK) {
            if (triangle != NULL) {
                *triangle = i;
            }
            return status;
        }
    }
    return CN_OK;
}

static CnStatus validate_height_field(const CnShapeDef* def, const char** field, CnError* error) {
    if (def->columns < 2 || def->rows < 2) {
        REFUSE(def->columns < 2 ? "columns" : "rows",
               "a height field has %d columns and %d rows of points; it needs at least 2 of each",
               def->columns, def->rows);
    }
    int64_t count = (int64_t)def->columns * def->rows;
    if (count > CN_HEIGHT_FIELD_POINT_LIMIT) {
        REFUSE("columns", "a height field has %d x %d points; it may have at most %d", def->columns,
               def->rows, CN_HEIGHT_FIELD_POINT_LIMIT);
    }
    if (def->heights == NULL) {
        REFUSE("heights", "columns and rows are given but heights is NULL");
    }
    if (!(def->size.x > 0.0 && def->size.y > 0.0 &&
          fmax(def->size.x, def->size.y) <= LARGEST_SURFACE)) {
        REFUSE("size", "size is (%g, %g) m; both must be positive and at most %g m", def->size.x,
               def->size.y, LARGEST_SURFACE);
    }
    for (int64_t i = 0; i < count; ++i) {
        if (!(fabs(def->heights[i]) <= LARGEST_SURFACE)) {
            REFUSE("heights", "heights[%lld] (%d of row %d) is %g m; it must be from %g to %g m",
                   (long long)i, (int)(i % def->columns), (int)(i / def->columns), def->heights[i],
                   -LARGEST_SURFACE, LARGEST_SURFACE);
        }
    }
    return CN_OK;
}

typedef CnStatus ValidateShape(const CnShapeDef* def, const char** field, CnError* error);
static ValidateShape* const shape_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = validate_sphere, [CN_SHAPE_PLANE] = validate_plane,
    [CN_SHAPE_BOX] = validate_box,       [CN_SHAPE_CAPSULE] = validate_rod,
    [CN_SHAPE_CYLINDER] = validate_rod,  [CN_SHAPE_CONVEX] = validate_convex,
    [CN_SHAPE_MESH] = validate_mesh,     [CN_SHAPE_HEIGHT_FIELD] = validate_height_field,
};

CnStatus cn_validate_shape(const CnShapeDef* def, const char** field, int* triangle,
                           CnError* error) {
    REQUIRE_GUARD(def, "cn_shape_def_default");
    REQUIRE_FINITE_VECTOR(def->position, "position");
    REQUIRE_UNIT_QUATERNION(def->rotation, "rotation");
    int type = (int)def->type;
    if (type < 0 || type >= CN_SHAPE_TYPE_COUNT) {
        REFUSE("type", "shape type %d does not exist", type);
    }
    if (def->geometry.index != 0) {
        if (!cn_geometry_is_for(def->type)) {
            REFUSE("geometry", "geometry is given, but only convex shapes, meshes and height "
                               "fields have one");
        }
        if (def->points != NULL || def->triangles != NULL || def->heights != NULL) {
            REFUSE("geometry", "geometry is given together with points, triangles or heights; a "
                               "shape is made of one or the other");
        }
        return CN_OK;
    }
    CnStatus status = shape_table[type](def, field, error);
    return status == CN_OK && type == CN_SHAPE_MESH
               ? validate_triangles(def, field, triangle, error)
               : status;
}

// Bodies that are not dynamic carry a given mass too, for scene files and a later change of type.
static CnStatus validate_mass_numbers(const CnBodyDef* def, const char** field, CnError* error) {
    REQUIRE_FINITE(def->mass, "mass", " kg");
    if (def->mass < 0.0) {
        REFUSE("mass", "mass is %g kg; it must not be negative", def->mass);
    }
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(def->inertia[i])) {
            REFUSE("inertia", "inertia[%d] is %g; it must be a finite number", i, def->inertia[i]);
        }
    }
    return CN_OK;
}

static CnStatus validate_inertia(const CnBodyDef* def, const char** field, CnError* error) {
    CnMat3 tensor = cn_mat3_from_symmetric(def->inertia);
    CnMat3 axes;
    double moment[3]; // ascending
    cn_mat3_eigen_symmetric(&tensor, moment, &axes);
    if (!(moment[0] > 0.0)) {
        REFUSE("inertia", "the smallest principal inertia is %g kg m^2; it must be positive",
               moment[0]);
    }
    if (moment[2] > (moment[0] + moment[1]) * (1.0 + TRIANGLE_TOLERANCE)) {
        REFUSE("inertia",
               "principal inertias %g, %g, %g kg m^2 break the triangle inequality: no body has a "
               "moment larger than the sum of the other two",
               moment[0], moment[1], moment[2]);
    }
    return CN_OK;
}

static CnStatus validate_mass(const CnBodyDef* def, const char** field, CnError* error) {
    if (def->has_mass) {
        REQUIRE_POSITIVE(def->mass, "mass", " kg");
        CnStatus status = validate_mass_numbers(def, field, error);
        return status == CN_OK ? validate_inertia(def, field, error) : status;
    }
    for (int i = 0; i < def->shape_count; ++i) {
        if (def->shapes[i].type != CN_SHAPE_PLANE && !def->shapes[i].sensor) {
            return CN_OK;
        }
    }
    REFUSE("mass", "a dynamic body needs a shape with volume, or mass and inertia");
}

CnStatus cn_validate_carrier(const CnShapeDef* def, CnBodyType type, const char* name,
                             CnError* error) {
    if (def->type == CN_SHAPE_PLANE && type == CN_BODY_DYNAMIC) {
        return cn_error_set(error, CN_INVALID,
                            "a plane is boundless and has no mass: only static and kinematic "
                            "bodies can carry one");
    }
    if (type == CN_BODY_DYNAMIC &&
        (def->type == CN_SHAPE_MESH || def->type == CN_SHAPE_HEIGHT_FIELD)) {
        return cn_error_set(
            error, CN_INVALID,
            "%s is a %s, which only static and kinematic bodies can carry: give a dynamic body the "
            "hull of its points, a shape of type convex (\"hull\": true in a scene)",
            name, def->type == CN_SHAPE_MESH ? "mesh" : "height field");
    }
    return CN_OK;
}

static CnStatus validate_motion(const CnBodyDef* def, const char** field, CnError* error) {
    const CnBodyMotion* motion = &def->motion;
    if (!cn_motion_is_given(motion)) {
        return CN_OK;
    }
    if (def->type != CN_BODY_KINEMATIC) {
        REFUSE("motion", "a motion is for kinematic bodies; this one is %s",
               def->type == CN_BODY_STATIC ? "static" : "dynamic");
    }
    if (cn_vec3_length(def->velocity) > 0.0 || cn_vec3_length(def->angular_velocity) > 0.0) {
        REFUSE("velocity", "the body follows series, which give its velocity; leave it out");
    }
    REQUIRE_UNIT_QUATERNION(motion->axes, "motion.axes");
    REQUIRE_FINITE_VECTOR(motion->axis, "motion.axis");
    REQUIRE_UNIT_VECTOR(motion->axis, "motion.axis");
    return CN_OK;
}

CnStatus cn_validate_body(const CnBodyDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_body_def_default");
    REQUIRE_FINITE_VECTOR(def->position, "position");
    REQUIRE_FINITE_VECTOR(def->center, "center");
    REQUIRE_FINITE_VECTOR(def->velocity, "velocity");
    REQUIRE_FINITE_VECTOR(def->angular_velocity, "angular_velocity");
    REQUIRE_UNIT_QUATERNION(def->rotation, "rotation");
    REQUIRE_NOT_NEGATIVE(def->linear_damping, "linear_damping", " 1/s");
    REQUIRE_NOT_NEGATIVE(def->angular_damping, "angular_damping", " 1/s");
    if (!isfinite(def->gravity_scale)) {
        REFUSE("gravity_scale", "gravity_scale is %g; it must be a finite number",
               def->gravity_scale);
    }
    if (def->type != CN_BODY_DYNAMIC && def->type != CN_BODY_STATIC &&
        def->type != CN_BODY_KINEMATIC) {
        REFUSE("type", "body type %d does not exist", (int)def->type);
    }
    if (def->shape_count < 0 || (def->shape_count > 0 && def->shapes == NULL)) {
        REFUSE("shapes", "shape_count is %d but shapes is %s", def->shape_count,
               def->shapes == NULL ? "NULL" : "given");
    }
    for (int i = 0; i < def->shape_count; ++i) {
        if (cn_validate_shape(&def->shapes[i], NULL, NULL, error) != CN_OK) {
            return cn_refuse_field(field, "shapes");
        }
        char name[32];
        snprintf(name, sizeof name, "shapes[%d]", i);
        if (cn_validate_carrier(&def->shapes[i], def->type, name, error) != CN_OK) {
            return cn_refuse_field(field, "shapes");
        }
    }
    if (def->type == CN_BODY_STATIC &&
        (cn_vec3_length(def->velocity) > 0.0 || cn_vec3_length(def->angular_velocity) > 0.0)) {
        REFUSE("velocity", "a static body cannot have a velocity; make it kinematic");
    }
    CnStatus status = validate_motion(def, field, error);
    if (status == CN_OK && def->type == CN_BODY_DYNAMIC) {
        return validate_mass(def, field, error);
    }
    return status == CN_OK && def->has_mass ? validate_mass_numbers(def, field, error) : status;
}

CnStatus cn_validate_force(const CnForceDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_force_def_default");
    REQUIRE_FINITE_VECTOR(def->point, "point");
    REQUIRE_FINITE_VECTOR(def->force, "force");
    REQUIRE_FINITE_VECTOR(def->torque, "torque");
    REQUIRE_NOT_NEGATIVE(def->drag, "drag", " N s/m");
    if (def->frame != CN_FORCE_SPATIAL && def->frame != CN_FORCE_CARRIED) {
        REFUSE("frame", "force frame %d does not exist", (int)def->frame);
    }
    return CN_OK;
}

CnStatus cn_validate_contact(const CnContactDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_contact_def_default");
    REQUIRE_FINITE_VECTOR(def->point, "point");
    REQUIRE_FINITE_VECTOR(def->normal, "normal");
    REQUIRE_UNIT_VECTOR(def->normal, "normal");
    if (!isfinite(def->gap)) {
        REFUSE("gap", "gap is %g; it must be a finite number of metres", def->gap);
    }
    return CN_OK;
}

CnStatus cn_validate_keeping(const CnConstraintKind* kind, const CnKeeping* keep,
                             const char** field, CnError* error) {
    CnStatus status = cn_keeping_validate(keep, field, error);
    bool keeps = kind->force == NULL && kind->force_bounds == NULL;
    bool has_lengths = kind->angular_rows != (1u << kind->dimension) - 1u;
    if (status != CN_OK) {
        return status;
    }
    if (keep->compliance > 0.0 && !(keeps && has_lengths)) {
        REFUSE("compliance", "constraint kind \"%s\" keeps no length that could give way",
               kind->name);
    }
    if (keep->compliance_turn > 0.0 && !(keeps && kind->angular_rows != 0)) {
        REFUSE("compliance_turn", "constraint kind \"%s\" keeps no angle that could give way",
               kind->name);
    }
    return CN_OK;
}

CnStatus cn_validate_constraint(const CnConstraintDef* def, const char** field, CnError* error) {
    REQUIRE_GUARD(def, "cn_constraint_def_default");
    if (def->kind == NULL) {
        REFUSE("kind", "the constraint has no kind");
    }
    if (cn_constraint_kind_validate(def->kind, error) != CN_OK) {
        return cn_refuse_field(field, "kind");
    }
    if (def->data_size > 0 && def->data == NULL) {
        REFUSE("data", "data_size is %zu but data is NULL", def->data_size);
    }
    CnStatus status = cn_validate_keeping(def->kind, &def->keep, field, error);
    if (status != CN_OK) {
        return status;
    }
    return cn_constraint_data_validate(def->kind, def->data, def->data_size, field, error);
}

static CnStatus validate_choices(const CnStepDef* def, const char** field, CnError* error) {
    const struct {
        const char* name;
        int value, count;
    } choices[] = {
        {"scheme", (int)def->scheme, CN_SCHEME_COUNT},
        {"rotation", (int)def->rotation, CN_ROTATION_COUNT},
        {"integrator", (int)def->integrator, CN_INTEGRATOR_COUNT},
        {"implicit_method", (int)def->implicit_method, CN_IMPLICIT_COUNT},
        {"stabilisation", (int)def->stabilisation, CN_STABILISATION_COUNT},
        {"warm_start", (int)def->warm_start, CN_WARM_START_COUNT},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; ++i) {
        if (choices[i].value < 0 || choices[i].value >= choices[i].count) {
            REFUSE(choices[i].name, "%s %d does not exist", choices[i].name, choices[i].value);
        }
    }
    return CN_OK;
}

CnStatus cn_validate_step(const CnStepDef* def, const char** field, CnError* error) {
    REQUIRE_RANGE(def->substeps, 1, 1000, "substeps", "");
    REQUIRE_RANGE(def->theta, 0.5, 1.0, "theta", "");
    REQUIRE_RANGE(def->error_reduction, 0.0, 1.0, "error_reduction", "");
    REQUIRE_NOT_NEGATIVE(def->slop, "slop", " m");
    REQUIRE_NOT_NEGATIVE(def->max_correction, "max_correction", " m");
    REQUIRE_NOT_NEGATIVE(def->restitution_threshold, "restitution_threshold", " m/s");
    REQUIRE_NOT_NEGATIVE(def->contact_margin, "contact_margin", " m");
    REQUIRE_NOT_NEGATIVE(def->recycling_distance, "recycling_distance", " m");
    REQUIRE_NOT_NEGATIVE(def->hit_speed, "hit_speed", " m/s");
    REQUIRE_NOT_NEGATIVE(def->speed_limit, "speed_limit", " m/s");
    REQUIRE_NOT_NEGATIVE(def->sleep_speed, "sleep_speed", " m/s");
    REQUIRE_NOT_NEGATIVE(def->sleep_time, "sleep_time", " s");
    if (def->sleep && def->scheme == CN_SCHEME_ACCELERATION) {
        REFUSE("sleep", "sleep is true; bodies do not sleep in scheme acceleration");
    }
    REQUIRE_RANGE(def->friction_bias, 0.0, 1.0, "friction_bias", "");
    REQUIRE_RANGE(def->warm_start_factor, 0.0, 1.0, "warm_start_factor", "");
    REQUIRE_RANGE(def->max_impacts, 1, 10000, "max_impacts", "");
    REQUIRE_RANGE(def->soft.substeps, 1, 1000, "soft_substeps", "");
    REQUIRE_POSITIVE(def->soft.contact_hertz, "contact_hertz", " Hz");
    REQUIRE_NOT_NEGATIVE(def->soft.contact_damping_ratio, "contact_damping_ratio", "");
    REQUIRE_NOT_NEGATIVE(def->soft.push_speed, "push_speed", " m/s");
    REQUIRE_POSITIVE(def->soft.joint_hertz, "joint_hertz", " Hz");
    REQUIRE_NOT_NEGATIVE(def->soft.joint_damping_ratio, "joint_damping_ratio", "");
    REQUIRE_RANGE(def->soft.recycling_share, 0.0, 0.5, "recycling_share", "");
    if (!(def->soft.tree_mass_ratio >= 1.0)) {
        REFUSE("tree_mass_ratio", "tree_mass_ratio is %g; it must be at least 1",
               def->soft.tree_mass_ratio);
    }
    if (def->grade_every < 0) {
        REFUSE("grade_every", "grade_every is %d; it must not be negative", def->grade_every);
    }
    return validate_choices(def, field, error);
}

CnStatus cn_validate_solver(const CnSolverDef* def, const char** field, CnError* error) {
    CnStatus status = cn_solver_def_check(def, field, error);
    if (status == CN_OK) {
        status = cn_refuse_options(def, &cn_solver_find(def->name)->info, field, error);
    }
    if (status == CN_OK) {
        status = cn_refuse_friction(def->friction, &cn_solver_find(def->name)->info, error);
        if (status != CN_OK && field != NULL) {
            *field = "friction";
        }
    }
    return status;
}

CnStatus cn_validate_gravity(CnVec3 gravity, const char** field, CnError* error) {
    REQUIRE_FINITE_VECTOR(gravity, "gravity");
    return CN_OK;
}

CnStatus cn_validate_dt(double dt, const char** field, CnError* error) {
    REQUIRE_POSITIVE(dt, "dt", " s");
    return CN_OK;
}
