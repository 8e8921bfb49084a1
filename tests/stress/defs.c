// defs.c - random defs.
#include "defs.h"

CnMaterialDef random_material(Session* session, char name[16]) {
    Dice* dice = &session->dice;
    CnMaterialDef def = cn_material_def_default();
    def.name = dice_name(dice, name);
    def.friction = dice_number(dice, 0.0, 1.2);
    def.restitution = dice_chance(dice, 0.5) ? 0.0 : dice_number(dice, 0.0, 1.0);
    def.density = dice_number(dice, 100.0, 5000.0);
    def.static_friction = dice_chance(dice, 0.8) ? 0.0 : dice_number(dice, def.friction, 2.0);
    def.torsion = dice_chance(dice, 0.7) ? 0.0 : dice_number(dice, 0.0, 0.1);
    def.rolling = dice_chance(dice, 0.7) ? 0.0 : dice_number(dice, 0.0, 0.1);
    if (dice_chance(dice, 0.2)) {
        def.grain = dice_direction(dice);
        def.surface_velocity = dice_vector(dice, 2.0);
        def.friction_across = dice_number(dice, 0.0, 1.0);
    }
    return def;
}

// ---- shapes ----

static void give_points(Dice* dice, CnShapeDef* def, ShapeData* data) {
    def->point_count = 4 + dice_below(dice, 9);
    for (int i = 0; i < def->point_count; ++i) {
        data->points[i] = dice_vector(dice, 0.4);
    }
    def->points = data->points;
}

// A tetrahedron, its corners in the order that faces them outwards.
static void give_mesh(Dice* dice, CnShapeDef* def, ShapeData* data) {
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const CnVec3 corners[4] = {
        {1.0, 1.0, -0.3}, {-1.0, 1.0, -0.3}, {0.0, -1.0, -0.3}, {0.0, 0.0, 0.5}};
    for (int i = 0; i < 4; ++i) {
        data->points[i] = cn_vec3_scale(dice_number(dice, 0.5, 1.5), corners[i]);
        for (int k = 0; k < 3; ++k) {
            data->triangles[i][k] = faces[i][k] + (dice_chance(dice, dice->hostility) ? 9 : 0);
        }
    }
    def->points = data->points;
    def->point_count = 4;
    def->triangles = (const int(*)[3])data->triangles;
    def->triangle_count = 4;
}

static void give_heights(Dice* dice, CnShapeDef* def, ShapeData* data) {
    def->columns = def->rows = 3;
    for (int i = 0; i < 9; ++i) {
        data->heights[i] = dice_number(dice, -0.2, 0.2);
    }
    def->heights = data->heights;
    def->size.x = dice_number(dice, 1.0, 6.0);
    def->size.y = dice_number(dice, 1.0, 6.0);
    def->size.z = 0.0;
}

CnShapeDef random_shape(Session* session, CnBodyType type, ShapeData* data) {
    Dice* dice = &session->dice;
    bool any = type != CN_BODY_DYNAMIC || dice_chance(dice, dice->hostility);
    static const CnShapeType solids[] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                         CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX};
    CnShapeType kind =
        any ? (CnShapeType)dice_below(dice, CN_SHAPE_TYPE_COUNT) : solids[dice_below(dice, 5)];
    CnShapeDef def = cn_shape_def_default(kind);
    def.position = dice_chance(dice, 0.7) ? def.position : dice_vector(dice, 0.3);
    def.rotation = dice_rotation(dice);
    def.radius = dice_number(dice, 0.05, 0.5);
    def.length = dice_number(dice, 0.05, 0.8);
    def.size.x = dice_number(dice, 0.1, 0.8);
    def.size.y = dice_number(dice, 0.1, 0.8);
    def.size.z = dice_number(dice, 0.1, 0.8);
    if (kind == CN_SHAPE_PLANE && dice_chance(dice, 0.5)) {
        def.normal = dice_direction(dice);
    } else if (kind == CN_SHAPE_CONVEX) {
        give_points(dice, &def, data);
    } else if (kind == CN_SHAPE_MESH) {
        give_mesh(dice, &def, data);
    } else if (kind == CN_SHAPE_HEIGHT_FIELD) {
        give_heights(dice, &def, data);
    }
    def.material = dice_chance(dice, 0.7) ? def.material : session_material(session);
    def.sensor = dice_chance(dice, 0.1);
    if (dice_chance(dice, 0.2)) {
        def.category = (uint32_t)dice_below(dice, 4);
        def.mask = (uint32_t)dice_below(dice, 4);
        def.group = dice_below(dice, 5) - 2;
    }
    return def;
}

// ---- bodies ----

static void give_mass(Dice* dice, CnBodyDef* def) {
    def->has_mass = true;
    def->mass = dice_number(dice, 0.1, 20.0);
    def->center = dice_vector(dice, 0.1);
    for (int i = 0; i < 3; ++i) {
        def->inertia[i] = dice_number(dice, 0.5, 1.0);
    }
    if (dice_chance(dice, 0.3)) {
        def->inertia[3] = dice_number(dice, -0.05, 0.05);
    }
}

CnBodyDef random_body(Session* session, BodyData* data) {
    Dice* dice = &session->dice;
    CnBodyDef def = cn_body_def_default();
    def.name = dice_name(dice, data->name);
    def.type = dice_chance(dice, 0.75) ? CN_BODY_DYNAMIC : (CnBodyType)(1 + dice_below(dice, 2));
    def.position = cn_vec3_add(dice_vector(dice, 2.0), cn_vec3(0.0, 0.0, 1.5));
    def.rotation = dice_rotation(dice);
    if (def.type != CN_BODY_STATIC && dice_chance(dice, 0.7)) {
        def.velocity = dice_vector(dice, dice_chance(dice, 0.1) ? 100.0 : 3.0);
        def.angular_velocity = dice_vector(dice, 5.0);
    }
    def.shapes = data->shapes;
    def.shape_count = dice_chance(dice, 0.8) ? 1 : dice_below(dice, 4);
    for (int i = 0; i < def.shape_count; ++i) {
        data->shapes[i] = random_shape(session, def.type, &data->shape_data[i]);
    }
    if (def.type == CN_BODY_DYNAMIC && (def.shape_count == 0 || dice_chance(dice, 0.2))) {
        give_mass(dice, &def);
    }
    def.material = dice_chance(dice, 0.5) ? def.material : session_material(session);
    def.fast = dice_chance(dice, 0.15);
    def.exact = dice_chance(dice, 0.05);
    def.user = (uint64_t)session->operation;
    def.guard = dice_chance(dice, dice->hostility) ? 0 : def.guard;
    return def;
}

CnBodyState random_state(Session* session, const CnBodyState* before) {
    Dice* dice = &session->dice;
    CnBodyState state = *before;
    if (dice_chance(dice, 0.5)) {
        state.velocity = dice_vector(dice, 4.0);
        state.angular_velocity = dice_vector(dice, 4.0);
    } else {
        state.center = cn_vec3_add(dice_vector(dice, 2.0), cn_vec3(0.0, 0.0, 1.5));
        state.rotation = dice_rotation(dice);
    }
    return state;
}

// ---- joints ----

CnJointAxis random_axis(Session* session) {
    Dice* dice = &session->dice;
    CnJointAxis axis = {.motion = dice_chance(dice, 0.5) ? CN_AXIS_FREE : CN_AXIS_LOCKED};
    if (dice_chance(dice, 0.3)) {
        axis.limited = true;
        axis.lower = dice_number(dice, -1.0, 0.0);
        axis.upper = dice_number(dice, 0.0, 1.0);
        axis.restitution = dice_number(dice, 0.0, 1.0);
    }
    if (dice_chance(dice, 0.3)) {
        axis.motor = (CnMotor)(1 + dice_below(dice, CN_MOTOR_COUNT - 1));
        axis.target = dice_number(dice, -2.0, 2.0);
        axis.stiffness = dice_number(dice, 0.0, 1000.0);
        axis.damping = dice_number(dice, 0.0, 100.0);
        axis.max_force = dice_chance(dice, 0.3) ? 0.0 : dice_number(dice, 0.1, 100.0);
        axis.series = dice_chance(dice, 0.8) ? axis.series : session_series(session);
    }
    if (dice_chance(dice, 0.2)) {
        axis.spring_stiffness = dice_number(dice, 0.0, 500.0);
        axis.spring_damping = dice_number(dice, 0.0, 10.0);
        axis.spring_rest = dice_number(dice, -0.5, 0.5);
    } else if (dice_chance(dice, 0.1)) {
        axis.spring_hertz = dice_number(dice, 0.1, 10.0);
    }
    axis.friction = dice_chance(dice, 0.8) ? 0.0 : dice_number(dice, 0.0, 10.0);
    return axis;
}

// Where a body is; the origin for the world.
static CnVec3 place_of(Session* session, CnBodyId body) {
    CnBodyState state = {0};
    cn_body_state(session->world, body, &state);
    return state.center;
}

// An axis that a type of joint leaves free: what acts on any other is refused.
static CnAxis usual_axis(CnJointType type, CnAxis chosen) {
    switch (type) {
    case CN_JOINT_HINGE:
    case CN_JOINT_SCREW:
        return CN_AXIS_TURN_Z;
    case CN_JOINT_SLIDER:
    case CN_JOINT_DISTANCE:
    case CN_JOINT_SPRING:
        return CN_AXIS_Z;
    case CN_JOINT_CYLINDRICAL:
        return chosen < CN_AXIS_TURN_X ? CN_AXIS_Z : CN_AXIS_TURN_Z;
    case CN_JOINT_UNIVERSAL:
        return chosen < CN_AXIS_TURN_X ? CN_AXIS_TURN_X : CN_AXIS_TURN_Z;
    case CN_JOINT_BALL:
        return chosen < CN_AXIS_TURN_X ? CN_AXIS_TURN_Z : chosen;
    default:
        return chosen;
    }
}

CnJointDef random_joint(Session* session, char name[16]) {
    Dice* dice = &session->dice;
    CnJointDef def = cn_joint_def_default((CnJointType)dice_below(dice, CN_JOINT_TYPE_COUNT));
    def.name = dice_name(dice, name);
    def.body_a = dice_chance(dice, 0.2) ? (CnBodyId){0} : session_body(session);
    def.body_b = dice_chance(dice, 0.2) ? (CnBodyId){0} : session_body(session);
    CnVec3 place_a = place_of(session, def.body_a), place_b = place_of(session, def.body_b);
    def.point_a = dice_chance(dice, 0.5) ? cn_vec3_scale(0.5, cn_vec3_add(place_a, place_b))
                                         : cn_vec3_add(place_a, dice_vector(dice, 0.3));
    def.point_b = cn_vec3_add(place_b, dice_vector(dice, 0.3));
    def.axis = dice_direction(dice);
    def.axis_b =
        dice_chance(dice, 0.5) ? cn_vec3(def.axis.y, def.axis.z, def.axis.x) : dice_direction(dice);
    def.anchor_a = cn_vec3_add(def.point_a, dice_vector(dice, 2.0));
    def.anchor_b = cn_vec3_add(def.point_b, dice_vector(dice, 2.0));
    if (dice_chance(dice, 0.5)) {
        CnAxis axis = (CnAxis)dice_below(dice, CN_AXIS_COUNT);
        def.axes[axis == CN_AXIS_X ? axis : usual_axis(def.type, axis)] = random_axis(session);
    }
    def.length = dice_chance(dice, 0.5) ? 0.0 : dice_number(dice, 0.1, 2.0);
    def.ratio = dice_chance(dice, 0.5) ? def.ratio : dice_number(dice, -3.0, 3.0);
    def.pitch = dice_number(dice, 0.01, 0.2);
    def.swing_limit = dice_chance(dice, 0.7) ? 0.0 : dice_number(dice, 0.1, 2.0);
    def.series = session_series(session);
    def.strength = dice_chance(dice, 0.8) ? 0.0 : dice_number(dice, 1.0, 500.0);
    def.stroke_upper = dice_chance(dice, 0.7) ? 0.0 : dice_number(dice, 0.0, 0.5);
    def.collide = dice_chance(dice, 0.3);
    def.enabled = dice_chance(dice, 0.9);
    if (def.type == CN_JOINT_MIMIC) {
        def.body_a = def.body_b = (CnBodyId){0};
        def.leader = session_joint(session);
        def.follower = session_joint(session);
        def.leader_axis = (CnAxis)dice_below(dice, CN_AXIS_COUNT);
        def.follower_axis = (CnAxis)dice_below(dice, CN_AXIS_COUNT);
        def.offset = dice_chance(dice, 0.7) ? 0.0 : dice_number(dice, -0.1, 0.1);
    }
    return def;
}
