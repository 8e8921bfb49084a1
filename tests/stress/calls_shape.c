// calls_shape.c - calls about shapes and geometry, made at random.
#include "calls.h"

#include "checks.h"
#include "defs.h"

static CallResult result_of(Session* session, CnStatus status, const CnError* error) {
    check_refusal(session, status != CN_OK, error);
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

// Half of those that could share a geometry do.
static CnShapeDef random_def(Session* session, CnBodyType type, ShapeData* data) {
    CnShapeDef def = random_shape(session, type, data);
    bool has_geometry = def.points != NULL || def.heights != NULL;
    if (has_geometry && dice_chance(&session->dice, 0.5)) {
        def.geometry = session_geometry(session);
        if (!dice_chance(&session->dice, session->dice.hostility)) {
            def.points = NULL;
            def.triangles = NULL;
            def.heights = NULL;
        }
    }
    return def;
}

CallResult call_add_shape(Session* session) {
    CnError error = {0};
    ShapeData data;
    CnBodyId body = session_body(session);
    if (cn_body_shapes(session->world, body, NULL, 0) >= 4) {
        return CALL_READ;
    }
    CnShapeDef def = random_def(session, cn_body_type(session->world, body), &data);
    CnShapeId id = cn_body_add_shape(session->world, body, &def, &error);
    check_refusal(session, id.index == 0, &error);
    if (id.index == 0) {
        return CALL_FAILED;
    }
    SESSION_KEEP(session->shapes, id);
    return CALL_DONE;
}

CallResult call_remove_shape(Session* session) {
    CnError error = {0};
    CnShapeId id = session_shape(session);
    return result_of(session, cn_shape_remove(session->world, id, &error), &error);
}

CallResult call_set_filter(Session* session) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnShapeId id = session_shape(session);
    uint32_t category = (uint32_t)dice_below(dice, 4), mask = (uint32_t)dice_below(dice, 4);
    int group = dice_below(dice, 5) - 2;
    return result_of(
        session, cn_shape_set_filter(session->world, id, category, mask, group, &error), &error);
}

CallResult call_set_shape_material(Session* session) {
    CnError error = {0};
    CnShapeId id = session_shape(session);
    CnMaterialId material = session_material(session);
    return result_of(session, cn_shape_set_material(session->world, id, material, &error), &error);
}

CallResult call_read_shapes(Session* session) {
    enum { POINTS = 20, TRIANGLES = 30 };
    Dice* dice = &session->dice;
    CnError error = {0};
    CnShapeInfo info;
    CnShapeId id = session_shape(session);
    CnVec3 points[POINTS];
    int triangles[TRIANGLES][3];
    CnTriangles out = {points, triangles, POINTS, TRIANGLES, 0, 0};
    CnStatus read = cn_shape_read(session->world, id, &info);
    int resolution = dice_chance(dice, dice->hostility) ? -1 : 3 + dice_below(dice, 30);
    CnStatus status = cn_shape_triangles(session->world, id, resolution,
                                         dice_number(dice, 1.0, 10.0), &out, &error);
    check_refusal(session, status != CN_OK, &error);
    if ((read == CN_STALE) != (status == CN_STALE)) {
        session_find(session, "a shape is there for some calls only");
    }
    if (status == CN_OK && (out.point_count < 3 || out.triangle_count < 1)) {
        session_find(session, "%d points and %d triangles", out.point_count, out.triangle_count);
    }
    return CALL_READ;
}

CallResult call_create_geometry(Session* session) {
    CnError error = {0};
    ShapeData data;
    CnWorld* world = session->world;
    CnShapeDef def = random_shape(session, CN_BODY_STATIC, &data);
    CnGeometryId id;
    if (def.type == CN_SHAPE_MESH) {
        id = cn_geometry_create_mesh(world, def.points, def.point_count, def.triangles,
                                     def.triangle_count, &error);
    } else if (def.type == CN_SHAPE_HEIGHT_FIELD) {
        id = cn_geometry_create_height_field(world, def.heights, def.columns, def.rows, def.size.x,
                                             def.size.y, &error);
    } else {
        id = cn_geometry_create_hull(world, def.points, def.point_count, &error);
    }
    check_refusal(session, id.index == 0, &error);
    if (id.index == 0) {
        return CALL_FAILED;
    }
    SESSION_KEEP(session->geometries, id);
    return CALL_DONE;
}

CallResult call_release_geometry(Session* session) {
    CnError error = {0};
    CnGeometryId id = session_geometry(session);
    return result_of(session, cn_geometry_release(session->world, id, &error), &error);
}
