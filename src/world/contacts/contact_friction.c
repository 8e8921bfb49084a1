// contact_friction.c - the friction rows of a contact: which there are, and how they are scaled.
#include "world/contacts/contact_friction.h"

// A grain that is this close to the normal has no direction in the surface: its sine is what
// rotations lose in a long run, with room to spare.
#define GRAIN_STANDS 1e-6

bool cn_contact_has_friction(const CnContact* contact) {
    return contact->friction > 0.0 || contact->friction_across > 0.0 || contact->torsion > 0.0 ||
           contact->rolling > 0.0;
}

// Tangents along and across the grain, or any two when there is none.
static bool find_tangents(const CnContact* contact, CnVec3* along, CnVec3* across) {
    CnVec3 n = contact->normal;
    CnVec3 flat = cn_vec3_add_scaled(contact->grain, -cn_vec3_dot(n, contact->grain), n);
    double length = cn_vec3_length(flat);
    if (length <= GRAIN_STANDS) {
        cn_tangent_basis(n, along, across);
        return false;
    }
    *along = cn_vec3_scale(1.0 / length, flat);
    *across = cn_vec3_cross(n, *along);
    return true;
}

static void add_row(CnFrictionRows* rows, CnVec3 direction, double coefficient, CnChannel channel) {
    bool is_spin = channel != CN_CHANNEL_TANGENT_1 && channel != CN_CHANNEL_TANGENT_2;
    rows->row[rows->count++] =
        (CnFrictionRow){direction, coefficient / rows->friction, is_spin, channel};
}

CnFrictionRows cn_contact_friction_rows(const CnContact* contact) {
    CnVec3 along, across;
    bool has_grain = find_tangents(contact, &along, &across);
    double mu_across = has_grain ? contact->friction_across : contact->friction;
    double largest = fmax(contact->friction, mu_across);
    CnFrictionRows rows = {.friction = largest > 0.0 ? largest : 1.0};
    add_row(&rows, along, contact->friction, CN_CHANNEL_TANGENT_1);
    add_row(&rows, across, mu_across, CN_CHANNEL_TANGENT_2);
    if (contact->torsion > 0.0) {
        add_row(&rows, contact->normal, contact->torsion, CN_CHANNEL_TORSION);
    }
    if (contact->rolling > 0.0) {
        add_row(&rows, along, contact->rolling, CN_CHANNEL_ROLLING_1);
        add_row(&rows, across, contact->rolling, CN_CHANNEL_ROLLING_2);
    }
    return rows;
}

void cn_contact_impulse(const CnContact* contact, const CnBlock* block, const double* p,
                        CnVec3* impulse, CnVec3* moment) {
    *impulse = cn_vec3_scale(p[0], contact->normal);
    *moment = cn_vec3(0.0, 0.0, 0.0);
    if (block->row_count == 1) {
        return;
    }
    CnFrictionRows rows = cn_contact_friction_rows(contact);
    for (int i = 0; i < rows.count; ++i) {
        CnVec3* sum = rows.row[i].is_spin ? moment : impulse;
        *sum = cn_vec3_add_scaled(*sum, rows.row[i].scale * p[1 + i], rows.row[i].direction);
    }
}

CnVec3 cn_contact_surface_velocity(const CnContact* contact) {
    CnVec3 v = cn_vec3_sub(contact->surface_velocity_b, contact->surface_velocity_a);
    return cn_vec3_add_scaled(v, -cn_vec3_dot(v, contact->normal), contact->normal);
}

bool cn_contact_is_belt(const CnContact* contact) {
    CnVec3 v = cn_contact_surface_velocity(contact);
    return cn_vec3_dot(v, v) > 0.0;
}
