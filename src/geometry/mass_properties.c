// mass_properties.c - mass, centre and inertia of shapes and of what is made of them.
#include "geometry/mass_properties.h"

static bool sphere_mass(const CnShape* shape, double density, CnMassProperties* out) {
    double r = shape->radius;
    double mass = density * (4.0 / 3.0) * CN_PI * r * r * r;
    double inertia = 0.4 * mass * r * r;

    *out = (CnMassProperties){
        .mass = mass, .center = shape->local.position, .inertia = {inertia, inertia, inertia}};
    return true;
}

// From the shape's frame to the one that shape->local counts from: own is the tensor about center.
static bool place_mass(const CnShape* shape, double mass, CnVec3 center, const CnMat3* own,
                       CnMassProperties* out) {
    CnMat3 rotation = cn_mat3_from_quat(shape->local.rotation);
    CnMat3 seen = cn_mat3_rotate_tensor(&rotation, own);

    *out = (CnMassProperties){
        .mass = mass,
        .center = cn_transform_point(shape->local, center),
        .inertia = {seen.m[0][0], seen.m[1][1], seen.m[2][2], seen.m[0][1], seen.m[0][2],
                    seen.m[1][2]},
    };
    return true;
}

// A solid that is centred on its frame and has these moments along its axes.
static bool place_symmetric(const CnShape* shape, double mass, CnVec3 moments,
                            CnMassProperties* out) {
    CnMat3 own = {.m = {{moments.x}, {0.0, moments.y}, {0.0, 0.0, moments.z}}};
    return place_mass(shape, mass, cn_vec3(0.0, 0.0, 0.0), &own, out);
}

static bool box_mass(const CnShape* shape, double density, CnMassProperties* out) {
    CnVec3 h = shape->half_size;
    double mass = density * 8.0 * h.x * h.y * h.z;
    double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    double third = mass / 3.0; // m/12 (2 h)^2 = m/3 h^2
    CnVec3 moments = cn_vec3(third * (yy + zz), third * (xx + zz), third * (xx + yy));
    return place_symmetric(shape, mass, moments, out);
}

static double cylinder_volume(double r, double h) {
    return 2.0 * CN_PI * r * r * h;
}

// Per unit of mass, for a cylinder along z of radius r and half length h.
static CnVec3 cylinder_moments(double r, double h) {
    double across = 0.25 * r * r + h * h / 3.0;
    return cn_vec3(across, across, 0.5 * r * r);
}

static bool cylinder_mass(const CnShape* shape, double density, CnMassProperties* out) {
    double r = shape->radius, h = shape->half_length;
    double mass = density * cylinder_volume(r, h);
    return place_symmetric(shape, mass, cn_vec3_scale(mass, cylinder_moments(r, h)), out);
}

// A cylinder and two half balls. A half ball has 2/5 m r^2 about every axis through the middle of
// its disc and its centre at 3/8 r from there; carried out to h, twice Steiner gives
// 2/5 m r^2 + m (h^2 + 3/4 h r) about an axis across.
static bool capsule_mass(const CnShape* shape, double density, CnMassProperties* out) {
    double r = shape->radius, h = shape->half_length;
    double middle = density * cylinder_volume(r, h);
    double caps = density * (4.0 / 3.0) * CN_PI * r * r * r;
    double along = 0.4 * caps * r * r;
    double across = along + caps * (h * h + 0.75 * h * r);
    CnVec3 moments =
        cn_vec3_add_scaled(cn_vec3(across, across, along), middle, cylinder_moments(r, h));
    return place_symmetric(shape, middle + caps, moments, out);
}

static bool convex_mass(const CnShape* shape, double density, CnMassProperties* out) {
    double volume, moments[6];
    CnVec3 center;
    cn_hull_moments(shape->hull, &volume, &center, moments);
    for (int i = 0; i < 6; ++i) {
        moments[i] *= density;
    }
    CnMat3 own = cn_mat3_from_symmetric(moments);
    return place_mass(shape, density * volume, center, &own, out);
}

static bool no_mass(const CnShape* shape, double density, CnMassProperties* out) {
    (void)shape;
    (void)density;
    (void)out;
    return false;
}

typedef bool MassFunction(const CnShape* shape, double density, CnMassProperties* out);
static MassFunction* const mass_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = sphere_mass,     [CN_SHAPE_PLANE] = no_mass,
    [CN_SHAPE_BOX] = box_mass,           [CN_SHAPE_CAPSULE] = capsule_mass,
    [CN_SHAPE_CYLINDER] = cylinder_mass, [CN_SHAPE_CONVEX] = convex_mass,
    [CN_SHAPE_MESH] = no_mass,           [CN_SHAPE_HEIGHT_FIELD] = no_mass,
};

bool cn_shape_mass_properties(const CnShape* shape, double density, CnMassProperties* out) {
    return mass_table[shape->type](shape, density, out);
}

// inertia += mass (|d|^2 I - d d^T)
static void shift_inertia(double inertia[6], double mass, CnVec3 d) {
    inertia[0] += mass * (d.y * d.y + d.z * d.z);
    inertia[1] += mass * (d.x * d.x + d.z * d.z);
    inertia[2] += mass * (d.x * d.x + d.y * d.y);
    inertia[3] -= mass * d.x * d.y;
    inertia[4] -= mass * d.x * d.z;
    inertia[5] -= mass * d.y * d.z;
}

void cn_mass_properties_add(CnMassProperties* total, const CnMassProperties* part) {
    double mass = total->mass + part->mass;
    if (!(mass > 0.0)) {
        return;
    }
    CnVec3 moment = cn_vec3_add(cn_vec3_scale(total->mass, total->center),
                                cn_vec3_scale(part->mass, part->center));
    CnVec3 center = cn_vec3_scale(1.0 / mass, moment);

    shift_inertia(total->inertia, total->mass, cn_vec3_sub(total->center, center));
    for (int i = 0; i < 6; ++i) {
        total->inertia[i] += part->inertia[i];
    }
    shift_inertia(total->inertia, part->mass, cn_vec3_sub(part->center, center));
    total->mass = mass;
    total->center = center;
}
