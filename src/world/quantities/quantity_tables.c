// quantity_tables.c - what can be read of a world, a body, a joint and a pair in contact.
#include "world/quantities/quantities.h"
#include "world/world.h"

#include <math.h>

static double component(CnVec3 v, int i) {
    const double parts[3] = {v.x, v.y, v.z};
    return parts[i];
}

// ---- the world ----

// Not a number where the scheme keeps no ledgers, or the step was not graded: zero would say that
// all is well.
static double if_booked(const CnSample* sample, double error) {
    bool has_none = sample->world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    return has_none || !sample->report->is_graded ? (double)NAN : error;
}

static double if_graded(const CnSample* sample, double residual) {
    return sample->report->is_graded ? residual : (double)NAN;
}

#define READ_REPORT(name, expression)                                                              \
    static double name(CnSample* sample, const CnQuantity* quantity) {                             \
        (void)quantity;                                                                            \
        return (expression);                                                                       \
    }
READ_REPORT(kinetic, sample->kinetic)
READ_REPORT(potential, sample->potential)
READ_REPORT(energy_error, if_booked(sample, sample->report->energy.error))
READ_REPORT(momentum_error, if_booked(sample, sample->report->momentum.error))
READ_REPORT(residual_worst, if_graded(sample, sample->report->certificate.worst))
READ_REPORT(residual_rms, if_graded(sample, sample->report->certificate.rms))
READ_REPORT(penetration, sample->report->penetration)
READ_REPORT(joint_error, sample->report->joint_error)
READ_REPORT(joint_angle_error, sample->report->joint_angle_error)
READ_REPORT(iterations, sample->report->solver.iterations)
READ_REPORT(not_converged, sample->report->not_converged)
READ_REPORT(exact_islands, sample->report->exact_islands)
READ_REPORT(positions_missed, sample->report->positions.missed)
READ_REPORT(out_of_budget, sample->report->out_of_budget)
READ_REPORT(sleeping_bodies, sample->report->sleeping_bodies)
READ_REPORT(contact_count, sample->report->contact_count)

// docs/recording.md lists them in this order.
static const CnQuantityPart world_parts[] = {
    {"energy.kinetic", "J", kinetic, 0},
    {"energy.potential", "J", potential, 0},
    {"energy.ledger_error", "1", energy_error, 0},
    {"momentum.ledger_error", "1", momentum_error, 0},
    {"residual.worst", "m/s", residual_worst, 0},
    {"residual.rms", "m/s", residual_rms, 0},
    {"penetration", "m", penetration, 0},
    {"joint_error", "m", joint_error, 0},
    {"joint_angle_error", "rad", joint_angle_error, 0},
    {"iterations", "1", iterations, 0},
    {"not_converged", "1", not_converged, 0},
    {"exact_islands", "1", exact_islands, 0},
    {"positions_missed", "1", positions_missed, 0},
    {"out_of_budget", "1", out_of_budget, 0},
    {"sleeping_bodies", "1", sleeping_bodies, 0},
    {"contacts", "1", contact_count, 0},
};

// ---- bodies ----

static double body_position(CnSample* sample, const CnQuantity* quantity) {
    CnTransform pose;
    return cn_body_pose(sample->world, quantity->body, &pose) == CN_OK
               ? component(pose.position, quantity->part->component)
               : (double)NAN;
}

static double body_rotation(CnSample* sample, const CnQuantity* quantity) {
    CnTransform pose;
    if (cn_body_pose(sample->world, quantity->body, &pose) != CN_OK) {
        return (double)NAN;
    }
    const double parts[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    return parts[quantity->part->component];
}

// Of a body that is not there, not a number.
static CnBodyState state_of(const CnSample* sample, const CnQuantity* quantity) {
    CnVec3 unknown = {(double)NAN, (double)NAN, (double)NAN};
    CnBodyState state;
    return cn_body_state(sample->world, quantity->body, &state) == CN_OK
               ? state
               : (CnBodyState){.center = unknown, .velocity = unknown, .angular_velocity = unknown};
}

static double body_center(CnSample* sample, const CnQuantity* quantity) {
    return component(state_of(sample, quantity).center, quantity->part->component);
}

static double body_velocity(CnSample* sample, const CnQuantity* quantity) {
    return component(state_of(sample, quantity).velocity, quantity->part->component);
}

static double body_spin(CnSample* sample, const CnQuantity* quantity) {
    return component(state_of(sample, quantity).angular_velocity, quantity->part->component);
}

static double body_speed(CnSample* sample, const CnQuantity* quantity) {
    return cn_vec3_length(state_of(sample, quantity).velocity);
}

static const CnQuantityPart body_parts[] = {
    {"position.x", "m", body_position, 0},
    {"position.y", "m", body_position, 1},
    {"position.z", "m", body_position, 2},
    {"rotation.w", "1", body_rotation, 0},
    {"rotation.x", "1", body_rotation, 1},
    {"rotation.y", "1", body_rotation, 2},
    {"rotation.z", "1", body_rotation, 3},
    {"center.x", "m", body_center, 0},
    {"center.y", "m", body_center, 1},
    {"center.z", "m", body_center, 2},
    {"velocity.x", "m/s", body_velocity, 0},
    {"velocity.y", "m/s", body_velocity, 1},
    {"velocity.z", "m/s", body_velocity, 2},
    {"angular_velocity.x", "rad/s", body_spin, 0},
    {"angular_velocity.y", "rad/s", body_spin, 1},
    {"angular_velocity.z", "rad/s", body_spin, 2},
    {"speed", "m/s", body_speed, 0},
};

// ---- joints ----

// The parts of a joint follow each other in a list: its state is asked for once.
static const CnJointState* joint_of(CnSample* sample, const CnQuantity* quantity) {
    CnJointId id = quantity->joint;
    if (sample->joint.index != id.index || sample->joint.generation != id.generation) {
        sample->joint = id;
        if (cn_joint_read(sample->world, id, &sample->joint_state) != CN_OK) {
            sample->joint = (CnJointId){0};
            return NULL;
        }
    }
    return &sample->joint_state;
}

#define READ_JOINT(name, expression)                                                               \
    static double name(CnSample* sample, const CnQuantity* quantity) {                             \
        const CnJointState* state = joint_of(sample, quantity);                                    \
        int part = quantity->part->component;                                                      \
        (void)part;                                                                                \
        return state == NULL ? (double)NAN : (expression);                                         \
    }
READ_JOINT(joint_force, component(state->force, part))
READ_JOINT(joint_torque, component(state->torque, part))
READ_JOINT(joint_position, state->position[part])
READ_JOINT(joint_velocity, state->velocity[part])
READ_JOINT(joint_axis_force, state->axis_force[part])
READ_JOINT(joint_own_error, state->error)
READ_JOINT(joint_own_angle_error, state->angle_error)
READ_JOINT(joint_broken, state->broken ? 1.0 : 0.0)

static const CnQuantityPart joint_parts[] = {
    {"force.x", "N", joint_force, 0},
    {"force.y", "N", joint_force, 1},
    {"force.z", "N", joint_force, 2},
    {"torque.x", "N m", joint_torque, 0},
    {"torque.y", "N m", joint_torque, 1},
    {"torque.z", "N m", joint_torque, 2},
    {"position.x", "m", joint_position, CN_AXIS_X},
    {"position.y", "m", joint_position, CN_AXIS_Y},
    {"position.z", "m", joint_position, CN_AXIS_Z},
    {"position.turn_x", "rad", joint_position, CN_AXIS_TURN_X},
    {"position.turn_y", "rad", joint_position, CN_AXIS_TURN_Y},
    {"position.turn_z", "rad", joint_position, CN_AXIS_TURN_Z},
    {"velocity.x", "m/s", joint_velocity, CN_AXIS_X},
    {"velocity.y", "m/s", joint_velocity, CN_AXIS_Y},
    {"velocity.z", "m/s", joint_velocity, CN_AXIS_Z},
    {"velocity.turn_x", "rad/s", joint_velocity, CN_AXIS_TURN_X},
    {"velocity.turn_y", "rad/s", joint_velocity, CN_AXIS_TURN_Y},
    {"velocity.turn_z", "rad/s", joint_velocity, CN_AXIS_TURN_Z},
    {"axis_force.x", "N", joint_axis_force, CN_AXIS_X},
    {"axis_force.y", "N", joint_axis_force, CN_AXIS_Y},
    {"axis_force.z", "N", joint_axis_force, CN_AXIS_Z},
    {"axis_force.turn_x", "N m", joint_axis_force, CN_AXIS_TURN_X},
    {"axis_force.turn_y", "N m", joint_axis_force, CN_AXIS_TURN_Y},
    {"axis_force.turn_z", "N m", joint_axis_force, CN_AXIS_TURN_Z},
    {"error", "m", joint_own_error, 0},
    {"angle_error", "rad", joint_own_angle_error, 0},
    {"broken", "1", joint_broken, 0},
};

// ---- contacts ----

#define READ_PAIR(name, expression)                                                                \
    static double name(CnSample* sample, const CnQuantity* quantity) {                             \
        const CnPairSum* pair = &sample->pairs[quantity->pair];                                    \
        return (expression);                                                                       \
    }
READ_PAIR(pair_force, cn_vec3_length(pair->force))
READ_PAIR(pair_force_part, component(pair->force, quantity->part->component))
READ_PAIR(pair_normal_force, pair->normal_force)
READ_PAIR(pair_gap, pair->gap)
READ_PAIR(pair_points, pair->points)

static const CnQuantityPart contact_parts[] = {
    {"force", "N", pair_force, 0},
    {"force.x", "N", pair_force_part, 0},
    {"force.y", "N", pair_force_part, 1},
    {"force.z", "N", pair_force_part, 2},
    {"normal_force", "N", pair_normal_force, 0},
    {"gap", "m", pair_gap, 0},
    {"points", "1", pair_points, 0},
};

#define TABLE_OF(parts)                                                                            \
    { parts, (int)(sizeof parts / sizeof parts[0]) }
const CnQuantityTable cn_world_quantities = TABLE_OF(world_parts);
const CnQuantityTable cn_body_quantities = TABLE_OF(body_parts);
const CnQuantityTable cn_joint_quantities = TABLE_OF(joint_parts);
const CnQuantityTable cn_contact_quantities = TABLE_OF(contact_parts);

// ---- energies ----

void cn_world_energies(const CnWorld* world, double* kinetic, double* potential) {
    *kinetic = *potential = 0.0;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnVec3 gravity = cn_body_gravity(world, body);
        double mass = body->sleep.is_asleep ? cn_sleep_mass(world, i) : body->mass->mass;
        *potential -= mass * cn_vec3_dot(gravity, body->state.center);
        if (body->type == CN_BODY_DYNAMIC) {
            CnVec3 velocity = body->state.velocity;
            *kinetic += 0.5 * (body->mass->mass * cn_vec3_dot(velocity, velocity)) +
                        cn_body_turning_energy(body);
        }
    }
}
