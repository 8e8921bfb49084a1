// contact_rows.c - what the contacts of a manifold ask of velocities: a tile, or explicit blocks.
#include "world/contacts/contact_rows.h"

#include "base/error.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contacts.h"
#include "world/contacts/continuous.h"
#include "world/contacts/manifolds.h"
#include "world/step/unilateral_target.h"
#include "world/step/warm_start.h"

#include <string.h>

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

CnBlock* cn_world_pose_contact(const CnWorld* world, CnBlockSource source, const CnContact* contact,
                               const CnBodyState* states, bool with_friction, CnRows* rows) {
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
    block->key = cn_contact_key(world, contact);

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
// docs/theory/collision/continuous.md (9).
static bool takes_part(const CnWorld* world, const CnContact* contact, bool bounces) {
    bool waits_for_its_own = contact->gap > 0.0 && contact->restitution > 0.0 && !bounces;
    return contact->gap <= cn_continuous_closed(world) && !waits_for_its_own;
}

// An open contact of a fast body waits until it is closed, as the step is cut there, unless it
// would close within the margin anyway: docs/theory/collision/continuous.md (8).
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
static double hold_of(const CnWorld* world, const CnContact* contact, const CnTouchPoint* point,
                      const CnPosing* posing) {
    if (contact->hold <= 1.0) {
        return 1.0;
    }
    const CnBodyState* before = posing->before != NULL ? posing->before : posing->states;
    CnVec3 slip =
        cn_vec3_add(relative_velocity(contact, before), cn_contact_surface_velocity(contact));
    slip = cn_vec3_add_scaled(slip, -cn_vec3_dot(slip, contact->normal), contact->normal);
    bool comes_still = cn_vec3_length(slip) <= world->def.step.restitution_threshold;
    return (point->pressed ? point->stuck : comes_still) ? contact->hold : 1.0;
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
static CnVec3 find_creep(const CnWorld* world, const CnContact* contact, const CnTouchPoint* point,
                         CnTouchExtras* extras, const CnBodyState* states) {
    if (point->pressed && point->stuck) {
        CnVec3 on_a = locate(states, contact->body_a, extras->anchor[0]);
        CnVec3 on_b = locate(states, contact->body_b, extras->anchor[1]);
        CnVec3 creep = cn_vec3_sub(on_b, on_a);
        creep = cn_vec3_add_scaled(creep, -cn_vec3_dot(creep, contact->normal), contact->normal);
        double moved = fmax(cn_vec3_length(cn_vec3_sub(contact->point, on_a)),
                            cn_vec3_length(cn_vec3_sub(contact->point, on_b)));
        if (moved <= world->def.step.contact_margin) {
            return creep;
        }
    }
    extras->anchor[0] = fasten(states, contact->body_a, contact->point);
    extras->anchor[1] = fasten(states, contact->body_b, contact->point);
    return cn_vec3(0.0, 0.0, 0.0);
}

// One contact of a manifold on its way to rows.
typedef struct Pose {
    CnWorld* world;
    const CnPosing* posing;
    const CnManifold* manifold;
    CnContact contact;     // at the point
    CnFrictionRows rows;   // none without friction
    CnTouchPoint* point;   // of the manifold
    CnTouchExtras* extras; // of it, NULL: none
    CnVec3 impulse;        // of it, of the last solve, world axes [N s]
    double residual;       // and that of its answer [m/s]
    float* approach;       // of it, to be noted
    double target[1 + CN_MAX_FRICTION_ROWS];
    double guess[1 + CN_MAX_FRICTION_ROWS];
    double friction;
} Pose;

// Asks a share of the creep back, as a velocity: docs/theory/stabilisation.md (7), (8).
static void pull_back(Pose* pose) {
    const CnPosing* posing = pose->posing;
    double rate = pose->world->def.step.friction_bias / posing->dt;
    CnVec3 creep =
        find_creep(pose->world, &pose->contact, pose->point, pose->extras, posing->states);
    for (int i = 0; i < pose->rows.count; ++i) {
        if (!pose->rows.row[i].is_spin) {
            pose->target[1 + i] =
                -rate * pose->rows.row[i].scale * cn_vec3_dot(creep, pose->rows.row[i].direction);
        }
    }
}

// What a moving surface asks of the friction rows: docs/theory/friction.md (21).
static void follow_belt(Pose* pose) {
    CnVec3 v = cn_contact_surface_velocity(&pose->contact);
    for (int i = 0; i < pose->rows.count; ++i) {
        if (!pose->rows.row[i].is_spin) {
            pose->target[1 + i] =
                -pose->rows.row[i].scale * cn_vec3_dot(v, pose->rows.row[i].direction);
        }
    }
}

static CnBodyId id_of(const CnWorld* world, int body) {
    return body < 0 ? (CnBodyId){0} : world->order.data[body];
}

// How much of the guess is used: docs/theory/warm_start.md (3), (22).
static void ask_policy(Pose* pose) {
    for (int i = 0; i < 1 + pose->rows.count; ++i) {
        const CnFrictionRow* friction = i > 0 ? &pose->rows.row[i - 1] : NULL;
        CnWarmStartRow row = {
            .channel = friction != NULL ? friction->channel : CN_CHANNEL_NORMAL,
            .body_a = id_of(pose->world, pose->contact.body_a),
            .body_b = id_of(pose->world, pose->contact.body_b),
            .direction = friction != NULL ? friction->direction : pose->contact.normal,
            .impulse = pose->guess[i],
            .residual = pose->residual,
            .age = pose->point->age,
        };
        pose->guess[i] = cn_warm_start_guess(pose->world, &row);
    }
}

// What the last solve left, along the rows of the present frame: docs/theory/warm_start.md (1). A
// contact's impulse and moment are vectors of the world. Forces last, impulses grow with the step.
static void guess_impulses(Pose* pose) {
    const CnWorld* world = pose->world;
    double ratio = world->kept_dt > 0.0 ? pose->posing->dt / world->kept_dt : 0.0;
    CnVec3 impulse = pose->impulse;
    CnVec3 moment = pose->extras == NULL ? cn_vec3(0.0, 0.0, 0.0) : pose->extras->moment;
    bool resumes = pose->posing->resumes;
    bool is_off = world->def.step.warm_start == CN_WARM_START_OFF && !resumes;
    ratio = is_off ? 0.0 : ratio;
    pose->guess[0] = fmax(0.0, cn_vec3_dot(impulse, pose->contact.normal));
    for (int i = 0; i < pose->rows.count; ++i) {
        CnVec3 kept = pose->rows.row[i].is_spin ? moment : impulse;
        double scale = pose->rows.row[i].scale; // 0: resists nothing, whatever its impulse
        pose->guess[1 + i] =
            scale > 0.0 ? cn_vec3_dot(kept, pose->rows.row[i].direction) / scale : 0.0;
    }
    for (int i = 0; i < 1 + pose->rows.count; ++i) {
        pose->guess[i] *= ratio;
    }
    if (!resumes && !is_off && !cn_warm_start_is_full(world)) {
        ask_policy(pose);
    }
}

// Targets, friction and guess of one contact. False: it does not act.
static bool pose_point(Pose* pose) {
    const CnPosing* posing = pose->posing;
    for (int i = 0; i < 1 + CN_MAX_FRICTION_ROWS; ++i) {
        pose->target[i] = 0.0;
    }
    bool acts = normal_target(pose->world, &pose->contact, posing, &pose->target[0]);
    *pose->approach = (float)pose->contact.approach;
    if (!acts) {
        return false;
    }
    pose->friction =
        pose->rows.friction * hold_of(pose->world, &pose->contact, pose->point, posing);
    bool at_velocities = posing->start == NULL && !posing->instant && !posing->position_level;
    if (cn_contact_is_belt(&pose->contact)) { // it sticks to no place of its body
        follow_belt(pose);
    } else if (pose->world->def.step.friction_bias > 0.0 && at_velocities) {
        pull_back(pose);
    }
    guess_impulses(pose);
    return true;
}

static void begin_pose(Pose* pose, CnWorld* world, const CnPosing* posing,
                       const CnManifold* manifold) {
    pose->world = world;
    pose->posing = posing;
    pose->manifold = manifold;
    pose->contact = cn_manifold_contact(world, manifold, posing->states);
    pose->rows.count = 0;
    pose->rows.friction = 0.0;
    if (cn_contact_has_friction(&pose->contact)) {
        pose->rows = cn_contact_friction_rows(&pose->contact);
    }
}

static void set_point(Pose* pose, int manifold, int i) {
    CnPairStore* store = &pose->world->pairs;
    pose->point = &cn_manifold_at(store, manifold)->points[i];
    pose->approach = &cn_manifold_at(store, manifold)->approach[i];
    pose->impulse = cn_pair_store_impulse(store, manifold, i);
    pose->residual = (double)pose->manifold->tile.residual[i];
    pose->extras = cn_touch_extras(store, manifold, i);
    cn_contact_set_point(&pose->contact, pose->manifold, i, pose->extras);
}

// Contacts with more rows than a tile has, and those whose points the user tells apart.
static bool is_wide(const CnWorld* world, const CnContact* contact) {
    return contact->torsion > 0.0 || contact->rolling > 0.0 ||
           world->def.contact_hooks.material != NULL;
}

static void set_direction(CnContactTile* tile, int row, CnVec3 direction) {
    tile->direction[row][0] = direction.x;
    tile->direction[row][1] = direction.y;
    tile->direction[row][2] = direction.z;
}

static void set_center(CnContactTile* tile, int side, CnVec3 center) {
    tile->center[side][0] = center.x;
    tile->center[side][1] = center.y;
    tile->center[side][2] = center.z;
}

// A tile without rows: only its points, what the last solve left of them and their normal are as
// they were.
static void clear_tile(const Pose* pose, CnContactTile* tile) {
    tile->body_a = pose->contact.body_a;
    tile->body_b = pose->contact.body_b;
    tile->acting = 0;
    tile->row_count = 0;
    tile->trace = 0.0;
    memset(tile->friction, 0, sizeof tile->friction);
    memset(tile->target, 0, sizeof tile->target);
    memset(tile->step_bound, 0, sizeof tile->step_bound);
    memset(tile->direction[1], 0, 2 * sizeof tile->direction[1]);
    memset(tile->center, 0, sizeof tile->center);
    if (tile->slide != NULL) {
        *tile->slide = (CnTileSlide){0};
    }
}

static void set_tile_frame(const Pose* pose, CnContactTile* tile) {
    clear_tile(pose, tile);
    tile->row_count = 1 + pose->rows.count;
    for (int side = 0; side < 2; ++side) {
        int body = side == 0 ? tile->body_a : tile->body_b;
        if (body >= 0) {
            set_center(tile, side, pose->posing->states[body].center);
        }
    }
    for (int i = 0; i < pose->rows.count; ++i) {
        set_direction(tile, 1 + i,
                      cn_vec3_scale(pose->rows.row[i].scale, pose->rows.row[i].direction));
    }
}

static void set_tile_point(const Pose* pose, int i, CnContactTile* tile) {
    tile->target[i] = pose->target[0];
    for (int k = 0; k < tile->row_count; ++k) {
        tile->impulse[k][i] = pose->guess[k];
    }
    for (int k = 1; k < tile->row_count; ++k) {
        CN_ASSERT(tile->slide != NULL || pose->target[k] == 0.0);
        if (tile->slide != NULL) {
            tile->slide->target[k - 1][i] = pose->target[k];
        }
    }
    tile->friction[i] = pose->friction;
    tile->acting |= 1u << i;
}

// The tile of a manifold. Contacts with torsion or rolling have none: their tile does not act.
void cn_world_build_tile(CnWorld* world, const CnPosing* posing, int index) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    Pose pose;
    begin_pose(&pose, world, posing, manifold);
    cn_pair_store_unframe(&world->pairs, index);
    manifold->has_tile = manifold->is_solved = true;
    manifold->has_hold = pose.contact.hold > 1.0;
    manifold->is_belt =
        cn_contact_is_belt(&pose.contact) || world->def.contact_hooks.material != NULL;
    if (is_wide(world, &pose.contact)) {
        clear_tile(&pose, &manifold->tile);
        manifold->is_wide = true;
        return;
    }
    manifold->is_wide = false;
    set_tile_frame(&pose, &manifold->tile);
    for (int i = 0; i < manifold->count; ++i) {
        set_point(&pose, index, i);
        if (pose_point(&pose)) {
            set_tile_point(&pose, i, &manifold->tile);
        } else {
            cn_manifold_set_impulse(manifold, i, cn_vec3(0.0, 0.0, 0.0));
        }
    }
    manifold->is_framed = true;
}

// What the user's hook says of the material at a point.
static void ask_for_material(Pose* pose) {
    CnTouchExtras* extras = pose->extras;
    extras->has_material = pose->world->def.contact_hooks.material != NULL;
    if (extras->has_material) {
        pose->contact = cn_manifold_contact(pose->world, pose->manifold, pose->posing->states);
        int point = (int)(pose->point - pose->manifold->points);
        cn_contact_set_point(&pose->contact, pose->manifold, point, NULL);
        pose->contact.start_gap = extras->start_gap;
        cn_contact_hooks_set_material(pose->world, &pose->contact);
        extras->friction = pose->contact.friction;
        extras->restitution = pose->contact.restitution;
        extras->surface_velocity = cn_contact_surface_velocity(&pose->contact);
        bool has_friction = cn_contact_has_friction(&pose->contact);
        pose->rows = has_friction ? cn_contact_friction_rows(&pose->contact) : (CnFrictionRows){0};
    }
}

CnStatus cn_world_add_wide_blocks(CnWorld* world, const CnPosing* posing, int index) {
    CnRows* rows = &world->step.rows;
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    Pose pose;
    begin_pose(&pose, world, posing, manifold);
    for (int i = 0; i < manifold->count; ++i) {
        set_point(&pose, index, i);
        ask_for_material(&pose);
        if (!pose_point(&pose)) {
            continue;
        }
        CnBlockSource source = cn_manifold_source(world, index, i);
        CnBlock* block = cn_world_pose_contact(world, source, &pose.contact, posing->states,
                                               pose.rows.count > 0, rows);
        if (block == NULL) {
            return CN_NO_MEMORY;
        }
        block->friction = pose.friction;
        for (int k = 0; k < block->row_count; ++k) {
            rows->target[block->first_row + k] = pose.target[k];
            rows->impulse[block->first_row + k] = pose.guess[k];
        }
    }
    return CN_OK;
}

CnBlockSource cn_manifold_source(const CnWorld* world, int manifold, int point) {
    int given = world->pairs.records.data[cn_manifold_at(&world->pairs, manifold)->pair].given;
    CnBlockSource source = {.manifold = manifold, .point = point, .given = given, .constraint = -1};
    if (given >= 0) {
        source.generation = cn_pool_id_at(&world->given_contacts, given).generation;
    }
    return source;
}
