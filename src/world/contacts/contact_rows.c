// contact_rows.c - what a contact point asks of the velocities of a step.
#include "world/contacts/contact_friction.h"
#include "world/contacts/continuous.h"
#include "world/step/rows.h"
#include "world/step/unilateral_target.h"
#include "world/step/warm_start.h"

// Relative velocity of B against A at a point.
static CnVec3 relative_velocity(const CnContact* contact, const CnBodyState* states) {
    CnVec3 velocity = {0.0, 0.0, 0.0};
    if (contact->body_b >= 0) {
        const CnBodyState* b = &states[contact->body_b];
        CnVec3 arm = cn_vec3_sub(contact->point, b->center);
        velocity = cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, arm));
    }
    if (contact->body_a >= 0) {
        const CnBodyState* a = &states[contact->body_a];
        CnVec3 arm = cn_vec3_sub(contact->point, a->center);
        CnVec3 own = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, arm));
        velocity = cn_vec3_sub(velocity, own);
    }
    return velocity;
}

double cn_contact_normal_velocity(const CnContact* contact, const CnBodyState* states) {
    return cn_vec3_dot(contact->normal, relative_velocity(contact, states));
}

CnBlock* cn_world_pose_contact(const CnWorld* world, int index, const CnContact* contact,
                               const CnBodyState* states, bool with_friction, CnRows* rows) {
    CnBlockSource source = {.contact = index, .constraint = -1};
    if (contact->given >= 0) {
        source.generation = cn_pool_id_at(&world->given_contacts, contact->given).generation;
    }
    CnLaw law = with_friction ? CN_LAW_COULOMB : CN_LAW_BOUNDS;
    CnFrictionRows friction = {0};
    if (with_friction) {
        friction = cn_contact_friction_rows(contact);
    }
    CnBlock* block = cn_rows_add(rows, &world->allocator, law, 1 + friction.count, source);
    if (block == NULL) {
        return NULL;
    }
    block->body_a = contact->body_a;
    block->body_b = contact->body_b;
    block->friction = friction.friction;
    block->key = contact->key;

    CnVec3 zero = {0.0, 0.0, 0.0};
    CnVec3 arm_a = zero, arm_b = zero;
    if (contact->body_a >= 0) {
        arm_a = cn_vec3_sub(contact->point, states[contact->body_a].center);
    }
    if (contact->body_b >= 0) {
        arm_b = cn_vec3_sub(contact->point, states[contact->body_b].center);
    }
    int row = block->first_row;
    cn_rows_set_direction(rows, row, block, contact->normal, arm_a, arm_b);
    for (int i = 0; i < friction.count; ++i) {
        CnVec3 direction = cn_vec3_scale(friction.row[i].scale, friction.row[i].direction);
        if (friction.row[i].is_spin) {
            cn_rows_set_spin(rows, row + 1 + i, block, direction);
        } else {
            cn_rows_set_direction(rows, row + 1 + i, block, direction, arm_a, arm_b);
        }
    }
    if (!with_friction) {
        rows->lower[row] = 0.0;
    }
    return block;
}

// Of the contacts that are near enough for an impact, those that return speed and are still open
// have none in them that closes them: they wait for what this impact sets moving.
// docs/theory/continuous.md (9).
static bool takes_part(const CnWorld* world, const CnContact* contact, bool bounces) {
    bool waits_for_its_own = contact->gap > 0.0 && contact->restitution > 0.0 && !bounces;
    return contact->gap <= cn_continuous_closed(world) && !waits_for_its_own;
}

// An open contact of a fast body waits until it is closed, as the step is cut there, unless it
// would close within the margin anyway: docs/theory/continuous.md (8).
static bool waits_for_cut(const CnWorld* world, const CnContact* contact, const CnPosing* posing,
                          double gap) {
    return contact->fast && gap > 0.0 && !posing->position_level &&
           -contact->approach * posing->dt > world->def.step.contact_margin;
}

// False when the contact does not act.
static bool normal_target(const CnWorld* world, CnContact* contact, const CnPosing* posing,
                          double* target) {
    CnUnilateralRow row = {.gap = contact->gap, .restitution = contact->restitution};
    double rate = cn_contact_normal_velocity(contact, posing->states);
    row.approach = rate;
    if (posing->start != NULL) {
        row.gap -= posing->dt * rate;
        row.start_gap = contact->start_gap;
        row.approach = cn_contact_normal_velocity(contact, posing->before);
        row.loaded = cn_contact_normal_velocity(contact, posing->loaded);
    }
    CnUnilateralTarget law = cn_unilateral_target(&world->def.step, posing, &row);
    contact->approach = row.approach;
    *target = law.rate;
    if (posing->instant) {
        return takes_part(world, contact, law.bounces);
    }
    return !law.waits && !waits_for_cut(world, contact, posing, row.gap);
}

// A contact that stuck in the last step holds with its static friction, one that slid does not. One
// that is new sticks when it comes without slip: docs/theory/moreau.md (17).
static double hold_of(const CnWorld* world, const CnContact* contact, const CnPosing* posing) {
    if (contact->hold <= 1.0) {
        return 1.0;
    }
    const CnBodyState* before = posing->before != NULL ? posing->before : posing->states;
    CnVec3 slip = cn_vec3_add(relative_velocity(contact, before), contact->surface_velocity);
    slip = cn_vec3_add_scaled(slip, -cn_vec3_dot(slip, contact->normal), contact->normal);
    bool comes_still = cn_vec3_length(slip) <= world->def.step.restitution_threshold;
    return cn_warm_start_stuck(world, contact->key, comes_still) ? contact->hold : 1.0;
}

// A point of the world in the axes of a body, from its centre; and back. Of the immovable world, as
// it is.
static CnVec3 fasten(const CnBodyState* states, int body, CnVec3 point) {
    return body < 0 ? point
                    : cn_quat_rotate(cn_quat_conjugate(states[body].rotation),
                                     cn_vec3_sub(point, states[body].center));
}

static CnVec3 locate(const CnBodyState* states, int body, CnVec3 anchor) {
    return body < 0
               ? anchor
               : cn_vec3_add(states[body].center, cn_quat_rotate(states[body].rotation, anchor));
}

// How far B has crept against A along the surface since the contact began to stick there. One that
// has moved on, since its bodies roll or it slid, starts anew.
static CnVec3 find_creep(const CnWorld* world, CnContact* contact, const CnBodyState* states) {
    if (cn_warm_start_anchor(world, contact->key, contact->anchor)) {
        CnVec3 on_a = locate(states, contact->body_a, contact->anchor[0]);
        CnVec3 on_b = locate(states, contact->body_b, contact->anchor[1]);
        CnVec3 creep = cn_vec3_sub(on_b, on_a);
        creep = cn_vec3_add_scaled(creep, -cn_vec3_dot(creep, contact->normal), contact->normal);
        double moved = fmax(cn_vec3_length(cn_vec3_sub(contact->point, on_a)),
                            cn_vec3_length(cn_vec3_sub(contact->point, on_b)));
        if (moved <= world->def.step.contact_margin) {
            return creep;
        }
    }
    contact->anchor[0] = fasten(states, contact->body_a, contact->point);
    contact->anchor[1] = fasten(states, contact->body_b, contact->point);
    return cn_vec3(0.0, 0.0, 0.0);
}

// Asks a share of the creep back, as a velocity: docs/theory/stabilisation.md (7), (8).
static void pull_back(const CnWorld* world, CnContact* contact, const CnPosing* posing,
                      const CnBlock* block, double* target) {
    CnFrictionRows rows = cn_contact_friction_rows(contact);
    CnVec3 creep = find_creep(world, contact, posing->states);
    double rate = world->def.step.friction_bias / posing->dt;
    for (int i = 0; i < rows.count && 1 + i < block->row_count; ++i) {
        if (!rows.row[i].is_spin) {
            target[block->first_row + 1 + i] =
                -rate * rows.row[i].scale * cn_vec3_dot(creep, rows.row[i].direction);
        }
    }
}

CnStatus cn_world_add_contact_rows(CnWorld* world, const CnPosing* posing) {
    CnStep* step = &world->step;
    for (int i = 0; i < step->contacts.count; ++i) {
        CnContact* contact = &step->contacts.data[i];
        double target;
        if (!normal_target(world, contact, posing, &target)) {
            continue;
        }
        CnBlock* block = cn_world_pose_contact(world, i, contact, posing->states,
                                               cn_contact_has_friction(contact), &step->rows);
        if (block == NULL) {
            return CN_NO_MEMORY;
        }
        block->friction *= hold_of(world, contact, posing);
        contact->block = step->rows.blocks.count - 1;
        step->rows.target[block->first_row] = target;
        bool at_velocities = posing->start == NULL && !posing->instant && !posing->position_level;
        if (cn_contact_is_belt(contact)) { // it sticks to no place of its body
            cn_contact_set_belt_targets(contact, block, step->rows.target);
        } else if (world->def.step.friction_bias > 0.0 && at_velocities) {
            pull_back(world, contact, posing, block, step->rows.target);
        }
    }
    return CN_OK;
}
