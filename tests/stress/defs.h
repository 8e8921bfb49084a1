// defs.h - random defs: mostly what a user would write, now and then what none should.
#pragma once

#include "session.h"

CnMaterialDef random_material(Session* session, char name[16]);

// Arrays that a shape points to.
typedef struct ShapeData {
    CnVec3 points[12];
    int triangles[4][3];
    double heights[9];
} ShapeData;
CnShapeDef random_shape(Session* session, CnBodyType type, ShapeData* data);

typedef struct BodyData {
    char name[16];
    CnShapeDef shapes[3];
    ShapeData shape_data[3];
} BodyData;
CnBodyDef random_body(Session* session, BodyData* data);

CnBodyState random_state(Session* session, const CnBodyState* before);
CnJointAxis random_axis(Session* session);
CnJointDef random_joint(Session* session, char name[16]);
