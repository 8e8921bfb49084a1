// calls_read.c - calls that ask a world something, made at random: they change nothing.
#include "calls.h"

#include "checks.h"
#include "defs.h"
#include <math.h>

enum { FEW = 3, MOST = 400 }; // room for fewer answers than there may be, and for most

// Contacts given by hand, pairs of materials and of bodies.
static void read_given(Session* session, CnBodyId body, bool is_there) {
    CnWorld* world = session->world;
    CnContactId contacts[MOST];
    CnContactDef def;
    CnMaterialPair pair, pairs[FEW];
    int count = cn_world_given_contacts(world, contacts, MOST);
    for (int i = 0; i < count && i < MOST; ++i) {
        if (cn_contact_read(world, contacts[i], &def) != CN_OK || !isfinite(def.gap)) {
            session_find(session, "a contact that is listed cannot be read");
        }
    }
    CnMaterialId a = session_material(session), b = session_material(session);
    if (cn_world_read_material_pair(world, a, b, &pair) == CN_OK && !(pair.friction >= 0.0)) {
        session_find(session, "two materials meet with a friction of %g", pair.friction);
    }
    int own = cn_body_given_contacts(world, body, contacts, FEW);
    if (cn_world_material_pairs(world, pairs, FEW) < 0 || own > count || (own < 0) == is_there ||
        (!is_there && cn_world_is_pair_excluded(world, body, session_body(session)))) {
        session_find(session, "a list of what was given is wrong");
    }
}

CallResult call_read_ids(Session* session) {
    CnWorld* world = session->world;
    char name[16];
    CnBodyId body = session_body(session);
    CnBodyState state;
    CnTransform pose;
    CnMassProperties mass;
    CnStatus status = cn_body_state(world, body, &state);
    if (cn_body_pose(world, body, &pose) != status ||
        cn_body_mass_properties(world, body, &mass) != status) {
        session_find(session, "a body is there for some calls only");
    }
    if (cn_body_name(world, body) == NULL || (int)cn_body_type(world, body) < 0) {
        session_find(session, "a body without a name has NULL for one");
    }
    const char* wanted = dice_name(&session->dice, name);
    if (wanted != NULL) {
        CnBodyId found = cn_world_find_body(world, wanted);
        CnJointId joint = cn_world_find_joint(world, wanted);
        if (found.index != 0 && strcmp(cn_body_name(world, found), wanted) != 0) {
            session_find(session, "found %s under the name %s", cn_body_name(world, found), wanted);
        }
        if (joint.index != 0 && strcmp(cn_joint_name(world, joint), wanted) != 0) {
            session_find(session, "found joint %s under the name %s", cn_joint_name(world, joint),
                         wanted);
        }
    }
    CnJointId joints[FEW];
    CnConstraintId constraints[FEW];
    if ((cn_body_joints(world, body, joints, FEW) < 0) != (status != CN_OK) ||
        (cn_body_constraints(world, body, constraints, FEW) < 0) != (status != CN_OK)) {
        session_find(session, "a body is there for some lists only");
    }
    read_given(session, body, status == CN_OK);
    CnBodyId inside[FEW];
    cn_world_sensor_overlaps(world, session_shape(session), inside, FEW);
    return CALL_READ;
}

// ---- queries ----

static bool accept_odd(CnBodyId body, CnShapeId shape, void* data) {
    (void)data;
    return (body.index + shape.index) % 2 == 1;
}

static CnQueryFilter random_filter(Dice* dice) {
    CnQueryFilter filter = {.sensors = dice_chance(dice, 0.5)};
    filter.mask = dice_chance(dice, 0.7) ? 0 : (uint32_t)dice_below(dice, 4);
    int type = dice_below(dice, 3);
    filter.ignore[type] = dice_chance(dice, 0.3);
    filter.accept = dice_chance(dice, 0.3) ? accept_odd : NULL;
    return filter;
}

static void check_hit(Session* session, const CnCastHit* hit) {
    if (hit->body.index != 0 &&
        (!(hit->fraction >= 0.0 && hit->fraction <= 1.0) || !(hit->distance >= 0.0))) {
        session_find(session, "hit at fraction %g, distance %g", hit->fraction, hit->distance);
    }
}

CallResult call_cast(Session* session) {
    Dice* dice = &session->dice;
    CnError errors[3] = {0};
    CnCastHit hit = {0}, hits[FEW], shape_hit = {0};
    ShapeData data;
    CnVec3 origin = dice_vector(dice, 4.0), along = dice_vector(dice, 8.0);
    CnQueryFilter filter = random_filter(dice);
    CnShapeDef shape = random_shape(session, CN_BODY_STATIC, &data);
    CnTransform pose = {origin, dice_rotation(dice)};
    const CnWorld* world = session->world;

    CnStatus status = cn_world_cast_ray(world, origin, along, &filter, &hit, &errors[0]);
    int count = cn_world_cast_ray_all(world, origin, along, &filter, hits, FEW, &errors[1]);
    check_refusal(session, status != CN_OK, &errors[0]);
    check_refusal(session, count < 0, &errors[1]);
    if (status == CN_OK) {
        check_hit(session, &hit);
        bool same = (count > 0) == (hit.body.index != 0) &&
                    (count == 0 || hits[0].body.index == hit.body.index);
        if (!same) {
            session_find(session, "the first of all hits is not the nearest one");
        }
    }
    status = cn_world_cast_shape(world, &shape, pose, along, &filter, &shape_hit, &errors[2]);
    check_refusal(session, status != CN_OK, &errors[2]);
    if (status == CN_OK) {
        check_hit(session, &shape_hit);
    }
    return CALL_READ;
}

CallResult call_overlap(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    ShapeData data;
    CnBodyId bodies[FEW];
    CnQueryFilter filter = random_filter(dice);
    CnShapeDef shape = random_shape(session, CN_BODY_STATIC, &data);
    CnTransform pose = {dice_vector(dice, 3.0), dice_rotation(dice)};
    int count = cn_world_overlap(session->world, &shape, pose, &filter, bodies, FEW, &error);
    check_refusal(session, count < 0, &error);
    return CALL_READ;
}

CallResult call_closest(Session* session) {
    Dice* dice = &session->dice;
    CnError errors[2] = {0};
    ShapeData data;
    CnClosest closest = {0}, between = {0};
    CnQueryFilter filter = random_filter(dice);
    CnShapeDef shape = random_shape(session, CN_BODY_STATIC, &data);
    CnTransform pose = {dice_vector(dice, 3.0), dice_rotation(dice)};
    CnBodyId a = session_body(session), b = session_body(session);
    CnStatus status = cn_world_closest(session->world, &shape, pose, &filter, &closest, &errors[0]);
    check_refusal(session, status != CN_OK, &errors[0]);
    if (status == CN_OK && closest.body.index != 0 && isnan(closest.distance)) {
        session_find(session, "the distance is not a number");
    }
    status = cn_world_closest_bodies(session->world, a, b, &between, &errors[1]);
    check_refusal(session, status != CN_OK, &errors[1]);
    if (status == CN_OK && between.body.index != 0 && isnan(between.distance)) {
        session_find(session, "the distance of bodies is not a number");
    }
    return CALL_READ;
}

CallResult call_find_contacts(Session* session) {
    CnContactPoint points[FEW];
    int count = cn_world_find_contacts(session->world, points, FEW);
    if (count < 0 || cn_world_find_contacts(session->world, NULL, 0) != count) {
        session_find(session, "%d contacts, then another number of them", count);
    }
    return CALL_READ;
}

// What a body touches is what all contacts say of it, whichever way it is looked up.
CallResult call_body_contacts(Session* session) {
    static CnContactPoint all[MOST], own[MOST];
    CnWorld* world = session->world;
    CnBodyId body = session_body(session);
    int total = cn_world_contacts(world, all, MOST), expected = 0;
    int count = cn_body_contacts(world, body, own, MOST);
    uint64_t keys = 0;
    for (int i = 0; i < total && i < MOST; ++i) {
        if (all[i].body_a.index == body.index || all[i].body_b.index == body.index) {
            keys += all[i].key;
            ++expected;
        }
    }
    for (int i = 0; i < count && i < MOST; ++i) {
        keys -= own[i].key;
    }
    bool exists = cn_body_joints(world, body, NULL, 0) >= 0;
    if (!exists ? count != -1 : total <= MOST && (count != expected || keys != 0)) {
        session_find(session, "%d contacts of a body, %d of all of them are its", count, expected);
    }
    return CALL_READ;
}

CallResult call_redundant(Session* session) {
    CnConstraintId ids[FEW];
    int count = cn_world_redundant_constraints(session->world, ids, FEW);
    if (count < 0) {
        session_find(session, "no memory, though none was refused");
    }
    return CALL_READ;
}

CallResult call_read_series(Session* session) {
    CnSeriesReading reading;
    CnSeriesId id = session_series(session);
    double time = dice_number(&session->dice, -1.0, 2.0);
    CnStatus status = cn_world_read_series(session->world, id, time, &reading);
    if (status == CN_OK && isfinite(time) && !isfinite(reading.value)) {
        session_find(session, "a series is %g at %g s", reading.value, time);
    }
    return CALL_READ;
}

CallResult call_check_kind(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnConstraintCheck check;
    CnBodyState start = {.rotation = cn_quat_identity()};
    CnBodyState a = random_state(session, &start), b = random_state(session, &start);
    CnDistanceData data = {dice_vector(dice, 0.3), dice_vector(dice, 0.3), 1.0};
    CnStatus status = cn_constraint_check(cn_distance_kind(), &a, &b, 0.0, &data, &check, &error);
    check_refusal(session, status != CN_OK, &error);
    return CALL_READ;
}
