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

static bool plane_mass(const CnShape* shape, double density, CnMassProperties* out) {
    (void)shape;
    (void)density;
    (void)out;
    return false;
}

typedef bool MassFunction(const CnShape* shape, double density, CnMassProperties* out);
static MassFunction* const mass_table[] = {
    [CN_SHAPE_SPHERE] = sphere_mass,
    [CN_SHAPE_PLANE] = plane_mass,
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
