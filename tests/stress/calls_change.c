// calls_change.c - calls that change a world, made at random.
#include "calls.h"

#include "checks.h"
#include "defs.h"

// A call that gives an id: null exactly when there is a sentence.
#define ADDED(session, list, id, error)                                                            \
    (check_refusal(session, (id).index == 0, error),                                               \
     (id).index == 0 ? CALL_FAILED : (SESSION_KEEP((session)->list, id), CALL_DONE))

static CallResult result_of(Session* session, CnStatus status, const CnError* error) {
    check_refusal(session, status != CN_OK, error);
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

CallResult call_add_material(Session* session) {
    char name[16];
    CnError error = {0};
    CnMaterialDef def = random_material(session, name);
    CnMaterialId id = cn_world_add_material(session->world, &def, &error);
    return ADDED(session, materials, id, &error);
}

static CallResult set_material(Session* session) {
    char name[16];
    CnError error = {0};
    CnMaterialId id = session_material(session);
    CnMaterialDef def = random_material(session, name), old;
    if (cn_material_read(session->world, id, &old) == CN_OK && dice_chance(&session->dice, 0.9)) {
        def.density = old.density; // else it is refused
    }
    return result_of(session, cn_material_set(session->world, id, &def, &error), &error);
}

CallResult call_set_material_pair(Session* session) {
    Dice* dice = &session->dice;
    if (dice_chance(dice, 0.5)) {
        return set_material(session);
    }
    CnError error = {0};
    CnMaterialPair pair = {session_material(session), session_material(session),
                           dice_number(dice, 0.0, 1.0), dice_number(dice, 0.0, 1.0),
                           dice_chance(dice, 0.5) ? 0.0 : dice_number(dice, 0.0, 1.5)};
    return result_of(session, cn_world_set_material_pair(session->world, &pair, &error), &error);
}

CallResult call_add_series(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    char name[16];
    double times[4], values[4];
    CnSeriesDef def = {.name = dice_name(dice, name),
                       .count = 1 + dice_below(dice, 4),
                       .times = times,
                       .values = values};
    for (int i = 0; i < def.count; ++i) {
        times[i] = dice_number(dice, 0.2 * i, 0.2 * i + 0.19);
        values[i] = dice_number(dice, -1.0, 1.0);
    }
    CnSeriesId id = cn_world_add_series(session->world, &def, &error);
    return ADDED(session, series, id, &error);
}

CallResult call_add_body(Session* session) {
    BodyData data;
    CnError error = {0};
    if (cn_world_body_count(session->world) >= 16) {
        return CALL_READ;
    }
    CnBodyDef def = random_body(session, &data);
    CnBodyId id = cn_world_add_body(session->world, &def, &error);
    return ADDED(session, bodies, id, &error);
}

// A wind that blows for half a second, then turns.
static void wind(const CnBodyState* body, double time, void* data, CnVec3* force, CnVec3* torque) {
    (void)data;
    force->x += time < 0.5 ? 5.0 : -5.0;
    torque->z -= 0.1 * body->angular_velocity.z;
}

static CnForceDef random_force(Session* session) {
    Dice* dice = &session->dice;
    CnForceDef def = cn_force_def_default();
    def.body = session_body(session);
    def.point = dice_vector(dice, 0.3);
    def.force = dice_vector(dice, 20.0);
    def.torque = dice_vector(dice, 2.0);
    def.frame = dice_chance(dice, 0.5) ? CN_FORCE_SPATIAL : CN_FORCE_CARRIED;
    def.series = dice_chance(dice, 0.7) ? def.series : session_series(session);
    def.drag = dice_chance(dice, 0.5) ? 0.0 : dice_number(dice, 0.0, 10.0);
    def.function = dice_chance(dice, 0.8) ? NULL : wind;
    return def;
}

static CallResult set_force(Session* session) {
    CnError error = {0};
    CnForceId id = session_force(session);
    CnForceDef def = random_force(session), old;
    if (cn_force_read(session->world, id, &old) == CN_OK) {
        def.body = old.body;
    }
    return result_of(session, cn_force_set(session->world, id, &def, &error), &error);
}

CallResult call_add_force(Session* session) {
    CnError error = {0};
    if (dice_chance(&session->dice, 0.3)) {
        return set_force(session);
    }
    CnForceDef def = random_force(session);
    CnForceId id = cn_world_add_force(session->world, &def, &error);
    return ADDED(session, forces, id, &error);
}

CallResult call_add_contact(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    char name[16];
    CnContactDef def = cn_contact_def_default();
    CnBodyState state = {0};
    def.name = dice_name(dice, name);
    def.body_a = dice_chance(dice, 0.5) ? (CnBodyId){0} : session_body(session);
    def.body_b = session_body(session);
    cn_body_state(session->world, def.body_b, &state);
    def.point = cn_vec3_add(state.center, dice_vector(dice, 0.2));
    def.normal = dice_direction(dice);
    def.gap = dice_number(dice, 0.0, 0.1);
    CnContactId id = cn_world_add_contact(session->world, &def, &error);
    return ADDED(session, contacts, id, &error);
}

static const CnConstraintKind* random_kind(Session* session, void* data, size_t* size) {
    Dice* dice = &session->dice;
    CnVec3 point = dice_vector(dice, 0.3), anchor = dice_vector(dice, 2.0);
    CnDistanceData distance = {point, dice_vector(dice, 0.3), dice_number(dice, 0.2, 3.0)};
    CnAnchorDistanceData held = {point, anchor, dice_number(dice, 0.2, 3.0)};
    CnPinData pin = {point, anchor};
    const struct {
        const CnConstraintKind* kind;
        const void* data;
        size_t size;
    } kinds[] = {{cn_distance_kind(), &distance, sizeof distance},
                 {cn_anchor_distance_kind(), &held, sizeof held},
                 {cn_pin_kind(), &pin, sizeof pin},
                 {cn_unit_quaternion_kind(), NULL, 0}};
    int i = dice_below(dice, 4);
    if (kinds[i].size > 0) {
        memcpy(data, kinds[i].data, kinds[i].size);
    }
    *size = kinds[i].size;
    return kinds[i].kind;
}

CallResult call_add_constraint(Session* session) {
    CnError error = {0};
    char name[16];
    double data[16]; // room for any of the kinds
    CnConstraintDef def = cn_constraint_def_default();
    def.name = dice_name(&session->dice, name);
    def.kind = random_kind(session, data, &def.data_size);
    def.data = data;
    def.body_a = session_body(session);
    def.body_b = def.kind->body_count == 2 ? session_body(session) : (CnBodyId){0};
    def.collide = dice_chance(&session->dice, 0.3);
    CnConstraintId id = cn_world_add_constraint(session->world, &def, &error);
    return ADDED(session, constraints, id, &error);
}

CallResult call_add_joint(Session* session) {
    CnError error = {0};
    char name[16];
    if (cn_world_joint_count(session->world) >= 10) {
        return CALL_READ;
    }
    CnJointDef def = random_joint(session, name);
    CnJointId id = cn_world_add_joint(session->world, &def, &error);
    return ADDED(session, joints, id, &error);
}

CallResult call_exclude_pair(Session* session) {
    CnError error = {0};
    CnBodyId a = session_body(session), b = session_body(session);
    return result_of(session, cn_world_exclude_pair(session->world, a, b, &error), &error);
}

// ---- removing ----

static CallResult removed(Session* session, CnStatus status) {
    bool is_usual = status == CN_STALE || status == CN_INVALID || status == CN_NO_MEMORY;
    if (status != CN_OK && !is_usual) {
        session_find(session, "status %s", cn_status_name(status));
    }
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

CallResult call_remove_body(Session* session) {
    CnBodyId id = session_body(session);
    return removed(session, cn_world_remove_body(session->world, id));
}
CallResult call_remove_force(Session* session) {
    CnForceId id = session_force(session);
    return removed(session, cn_world_remove_force(session->world, id));
}
CallResult call_remove_contact(Session* session) {
    CnContactId id = session_contact(session);
    return removed(session, cn_world_remove_contact(session->world, id));
}
CallResult call_remove_constraint(Session* session) {
    CnConstraintId id = session_constraint(session);
    return removed(session, cn_world_remove_constraint(session->world, id));
}
CallResult call_remove_joint(Session* session) {
    CnJointId id = session_joint(session);
    return removed(session, cn_world_remove_joint(session->world, id));
}

// ---- changing ----

CallResult call_set_state(Session* session) {
    CnError error = {0};
    CnBodyId id = session_body(session);
    CnBodyState state = {.rotation = cn_quat_identity()};
    cn_body_state(session->world, id, &state);
    state = random_state(session, &state);
    return result_of(session, cn_body_set_state(session->world, id, &state, &error), &error);
}

CallResult call_set_axis(Session* session) {
    CnError error = {0};
    CnJointId id = session_joint(session);
    CnAxis axis = (CnAxis)dice_below(&session->dice, CN_AXIS_COUNT);
    CnJointAxis settings = random_axis(session);
    return result_of(session, cn_joint_set_axis(session->world, id, axis, &settings, &error),
                     &error);
}

// What a joint or a constraint gives way by, and its gains.
static CallResult set_keeping(Session* session) {
    CnError error = {0};
    CnKeeping keep = {
        dice_number(&session->dice, 0.0, 1e-3), dice_number(&session->dice, 0.0, 1e-3),
        dice_number(&session->dice, 0.0, 20.0), dice_number(&session->dice, 0.0, 20.0)};
    bool is_joint = dice_chance(&session->dice, 0.5);
    CnStatus status =
        is_joint
            ? cn_joint_set_keeping(session->world, session_joint(session), &keep, &error)
            : cn_constraint_set_keeping(session->world, session_constraint(session), &keep, &error);
    return result_of(session, status, &error);
}

CallResult call_set_target(Session* session) {
    CnError error = {0};
    if (dice_chance(&session->dice, 0.3)) {
        return set_keeping(session);
    }
    CnJointId id = session_joint(session);
    if (cn_joint_type(session->world, id) == CN_JOINT_MIMIC) {
        double ratio = dice_number(&session->dice, -2.0, 2.0);
        return result_of(session, cn_joint_set_ratio(session->world, id, ratio, 0.0, &error),
                         &error);
    }
    CnAxis axis = (CnAxis)dice_below(&session->dice, CN_AXIS_COUNT);
    double target = dice_number(&session->dice, -2.0, 2.0);
    return result_of(session, cn_joint_set_target(session->world, id, axis, target, &error),
                     &error);
}

CallResult call_set_enabled(Session* session) {
    CnJointId id = session_joint(session);
    bool enabled = dice_chance(&session->dice, 0.5);
    return removed(session, cn_joint_set_enabled(session->world, id, enabled));
}

CallResult call_step(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnStepReport report;
    double dt = dice_chance(dice, 0.7) ? 0.01 : dice_number(dice, 1e-4, 0.05);
    StepBefore before = check_before_step(session);
    CnStatus status = cn_world_step(session->world, dt, &report, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status != CN_OK) {
        return CALL_FAILED;
    }
    check_step(session, &before, dt, &report);
    return CALL_DONE;
}
