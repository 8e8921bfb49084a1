// mechanism_dynamics.c - mass matrix, bias, inverse and forward dynamics, Jacobians of points.
//
// docs/theory/joint_coordinates.md.
#include "base/error.h"
#include "constraints/joints/user_rows.h"
#include "linalg/dense.h"
#include "world/mechanism/mechanism_links.h"

#include <string.h>

static void set_body(CnMechanism* mechanism, const CnWorld* world, int i) {
    const CnBody* body = cn_world_body(world, mechanism->ids[i]);
    CnMat3 rotation = cn_mat3_from_quat(body->state.rotation);
    CnMat3 inertia = cn_mat3_rotate_tensor(&rotation, &body->mass->inertia);
    CnVec3 w = body->state.angular_velocity, g = cn_body_gravity(world, body);
    CnVec3 gyroscopic = cn_vec3_cross(w, cn_mat3_apply(&inertia, w));
    const double(*m)[3] = (const double(*)[3])inertia.m;
    const double upper[6] = {m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]};
    const double load[6] = {body->mass->mass * g.x, body->mass->mass * g.y, body->mass->mass * g.z,
                            -gyroscopic.x,          -gyroscopic.y,          -gyroscopic.z};
    mechanism->linkage.mass[i] = body->mass->mass;
    memcpy(mechanism->linkage.inertia[i], upper, sizeof upper);
    memcpy(mechanism->momentum[i], load, sizeof load);
}

// The twist c of the accelerations at rates that stay: -own^-1 d(rates)/dt along the motion.
static void find_twist(const CnWorld* world, const CnMechanismLink* link, const CnBodyState* own,
                       const CnBodyState* parent, const double inverse[36], double twist[6]) {
    double rate[CN_DIFFERENCE_SAMPLES][6], bias[6];
    double step = cn_motion_step(own, parent);
    for (int k = 0; k < CN_DIFFERENCE_SAMPLES; ++k) {
        double duration = cn_difference_offsets[k] * step;
        CnBodyState moved = cn_body_state_after(own, duration);
        CnBodyState moved_parent = cn_body_state_after(parent, duration);
        CnLinkRows rows;
        cn_link_look(world, link, &moved, &moved_parent, NULL, &rows);
        cn_link_rates(&rows, &moved, &moved_parent, rate[k]);
    }
    for (int i = 0; i < 6; ++i) {
        double samples[CN_DIFFERENCE_SAMPLES] = {rate[0][i], rate[1][i], rate[2][i], rate[3][i]};
        bias[i] = cn_difference(samples, step);
    }
    for (int i = 0; i < 6; ++i) {
        twist[i] = -cn_dense_dot(6, &inverse[6 * i], bias);
    }
}

static CnStatus set_link(CnMechanism* mechanism, const CnWorld* world, int i, CnError* error) {
    const CnMechanismLink* link = &mechanism->links[i];
    const CnBodyState* own = &mechanism->states[i];
    const CnBodyState* parent = cn_mechanism_parent_state(mechanism, world, i, mechanism->states);
    CnVec3 arm = cn_vec3_sub(own->center, parent->center);
    const double offset[3] = {arm.x, arm.y, arm.z};
    double* inverse = mechanism->inverse[i];
    CnLinkRows rows;
    if (!cn_body_is_awake(world, link->body)) {
        return cn_error_set(error, CN_INVALID,
                            "body \"%s\" is asleep and shows no mass; wake it with "
                            "cn_body_set_awake()",
                            cn_body_name(world, link->body));
    }
    cn_link_look(world, link, own, parent, NULL, &rows);
    if (!cn_link_invert(&rows, inverse)) {
        return cn_mechanism_refuse_pose(world, link, error);
    }
    memcpy(mechanism->linkage.arm[i], offset, sizeof offset);
    for (int k = link->kept; k < 6; ++k) {
        for (int row = 0; row < 6; ++row) {
            mechanism->linkage.axis[mechanism->first[i] + k - link->kept][row] =
                inverse[6 * row + k];
        }
    }
    set_body(mechanism, world, i);
    find_twist(world, link, own, parent, inverse, mechanism->twist[i]);
    return CN_OK;
}

// Masses, axes, loads and twists as the world is now.
static CnStatus look(CnMechanism* mechanism, const CnWorld* world, CnError* error) {
    CnStatus status = cn_mechanism_check(mechanism, world, error);
    if (status == CN_OK) {
        cn_mechanism_take_states(mechanism, world);
    }
    for (int i = 0; status == CN_OK && i < mechanism->link_count; ++i) {
        status = set_link(mechanism, world, i, error);
    }
    return status;
}

// V = X V_parent + S rate + c, from the root outwards; twist NULL: c = 0.
static void pass_out(CnMechanism* mechanism, const double* rate, const double (*twist)[6]) {
    const CnLinkage* links = &mechanism->linkage;
    for (int i = 0; i < mechanism->link_count; ++i) {
        double* v = mechanism->velocity[i];
        memset(v, 0, sizeof mechanism->velocity[i]);
        if (mechanism->parent[i] >= 0) {
            cn_linkage_to_child(links->arm[i], mechanism->velocity[mechanism->parent[i]], v);
        }
        for (int k = 0; k < 6; ++k) {
            v[k] += twist != NULL ? twist[i][k] : 0.0;
        }
        for (int j = mechanism->first[i]; j < mechanism->first[i + 1]; ++j) {
            cn_dense_add_scaled(6, rate[j], links->axis[j], v);
        }
    }
}

// tau = S^T f of the wrenches that accelerations and momenta ask of the joints.
static void pass_in(CnMechanism* mechanism, const double (*momentum)[6], double* tau) {
    const CnLinkage* links = &mechanism->linkage;
    cn_linkage_wrenches(links, momentum, (const double(*)[6])mechanism->velocity,
                        mechanism->wrench);
    for (int i = 0; i < mechanism->link_count; ++i) {
        for (int j = mechanism->first[i]; j < mechanism->first[i + 1]; ++j) {
            tau[j] = cn_dense_dot(6, links->axis[j], mechanism->wrench[i]);
        }
    }
}

CnStatus cn_mechanism_inverse_dynamics(CnMechanism* mechanism, const CnWorld* world,
                                       const double* qdd, double* tau, CnError* error) {
    CnStatus status = look(mechanism, world, error);
    status = status == CN_OK ? cn_mechanism_check_numbers(mechanism, "qdd", qdd, error) : status;
    if (status == CN_OK) {
        pass_out(mechanism, qdd, (const double(*)[6])mechanism->twist);
        pass_in(mechanism, (const double(*)[6])mechanism->momentum, tau);
    }
    return status;
}

CnStatus cn_mechanism_bias(CnMechanism* mechanism, const CnWorld* world, double* bias,
                           CnError* error) {
    memset(mechanism->rate, 0, (size_t)mechanism->coordinate_count * sizeof(double));
    return cn_mechanism_inverse_dynamics(mechanism, world, mechanism->rate, bias, error);
}

CnStatus cn_mechanism_forward_dynamics(CnMechanism* mechanism, const CnWorld* world,
                                       const double* tau, double* qdd, CnError* error) {
    CnStatus status = look(mechanism, world, error);
    status = status == CN_OK ? cn_mechanism_check_numbers(mechanism, "tau", tau, error) : status;
    if (status == CN_OK && !cn_linkage_factor(&mechanism->linkage)) {
        status = cn_error_set(error, CN_INVALID,
                              "the mass matrix is singular: an axis moves nothing that has mass");
    }
    if (status == CN_OK) {
        cn_linkage_solve(&mechanism->linkage, mechanism->momentum,
                         (const double(*)[6])mechanism->twist, tau, mechanism->velocity, qdd);
    }
    return status;
}

// Column j: the forces that a unit acceleration of its coordinate asks for at rest, without loads.
CnStatus cn_mechanism_mass_matrix(CnMechanism* mechanism, const CnWorld* world, double* matrix,
                                  CnError* error) {
    int n = mechanism->coordinate_count;
    double *rate = mechanism->rate, *row = mechanism->rate + n;
    CnStatus status = look(mechanism, world, error);
    if (status != CN_OK) {
        return status;
    }
    memset(mechanism->momentum, 0, (size_t)mechanism->link_count * sizeof *mechanism->momentum);
    memset(rate, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j) {
        rate[j] = 1.0;
        pass_out(mechanism, rate, NULL);
        pass_in(mechanism, (const double(*)[6])mechanism->momentum, row);
        rate[j] = 0.0;
        for (int k = 0; k <= j; ++k) {
            matrix[(size_t)j * (size_t)n + (size_t)k] = row[k];
            matrix[(size_t)k * (size_t)n + (size_t)j] = row[k];
        }
    }
    return CN_OK;
}

// What hangs on an axis moves with it as one body.
CnStatus cn_mechanism_jacobian(CnMechanism* mechanism, const CnWorld* world, CnBodyId body,
                               CnVec3 point, double* jacobian, CnError* error) {
    int n = mechanism->coordinate_count, link = mechanism->link_count - 1;
    CnStatus status = look(mechanism, world, error);
    while (link >= 0 && (mechanism->ids[link].index != body.index ||
                         mechanism->ids[link].generation != body.generation)) {
        --link;
    }
    if (status == CN_OK && link < 0) {
        status = cn_error_set(error, CN_INVALID, "body \"%s\" is not part of the mechanism",
                              cn_body_name(world, body));
    }
    if (status == CN_OK && !cn_vec3_is_finite(point)) {
        status = cn_error_set(error, CN_INVALID, "point is (%g, %g, %g); it must be finite",
                              point.x, point.y, point.z);
    }
    if (status != CN_OK) {
        return status;
    }
    memset(jacobian, 0, 6 * (size_t)n * sizeof(double));
    for (; link >= 0; link = mechanism->parent[link]) {
        CnVec3 arm = cn_vec3_sub(point, mechanism->states[link].center);
        const double offset[3] = {arm.x, arm.y, arm.z};
        for (int j = mechanism->first[link]; j < mechanism->first[link + 1]; ++j) {
            double moved[6];
            cn_linkage_to_child(offset, mechanism->linkage.axis[j], moved);
            for (int row = 0; row < 6; ++row) {
                jacobian[(size_t)row * (size_t)n + (size_t)j] = moved[row];
            }
        }
    }
    return CN_OK;
}
