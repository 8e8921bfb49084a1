// clip.c - the part of one face that lies over another.
#include "collision/clip.h"

#include <string.h>

void cn_face_polygon(const CnHull* hull, int face, CnPolygon* polygon) {
    const CnHullFace* f = &hull->faces[face];
    int count = f->count < CN_FACE_CORNERS ? f->count : CN_FACE_CORNERS;

    for (int i = 0; i < count; ++i) {
        int at = f->first + (int)((int64_t)i * f->count / count);
        polygon->side[i] = at;
        polygon->vertex[i] = hull->loop[at];
        polygon->points[i] = hull->vertices[hull->loop[at]];
    }
    polygon->count = count;
}

// A plane that stands on one side of the reference face.
typedef struct Cut {
    const CnPolygon* reference;
    const CnPolygon* incident;
    int side;
    CnVec3 inward; // unit
    double tolerance;
} Cut;

typedef struct Corners {
    CnClipCorner* data; // [CN_CLIP_CORNERS]
    int count;
} Corners;

// A convex polygon gains at most one corner per cut. Round-off can make one that is not convex, of
// corners that nearly coincide; those that find no room are dropped.
static void push(Corners* corners, CnClipCorner corner) {
    if (corners->count < CN_CLIP_CORNERS) {
        corners->data[corners->count++] = corner;
    }
}

static double inside(const Cut* cut, CnVec3 point) {
    return cn_vec3_dot(cut->inward, cn_vec3_sub(point, cut->reference->points[cut->side]));
}

// The corner of the reference between two of its sides, of which `side` is cut later.
static int shared_vertex(const CnPolygon* reference, int earlier, int side) {
    bool closes = side == reference->count - 1 && earlier == 0;
    return reference->vertex[closes ? earlier : side];
}

// Where the side that leaves `from` goes through the plane on its way to `to`, a and b away from it
// on either side.
static CnClipCorner cross(const Cut* cut, const CnClipCorner* from, const CnClipCorner* to,
                          double a, double b) {
    CnVec3 along = cn_vec3_sub(to->point, from->point);
    CnClipCorner corner = {
        .point = cn_vec3_add_scaled(from->point, a / (a - b), along),
        .leaving = a > 0.0 ? ~cut->side : from->leaving,
    };
    if (from->leaving >= 0) {
        corner.kind = CN_CORNER_OF_SIDES;
        corner.reference = cut->reference->side[cut->side];
        corner.incident = cut->incident->side[from->leaving];
    } else {
        corner.kind = CN_CORNER_OF_REFERENCE;
        corner.reference = shared_vertex(cut->reference, ~from->leaving, cut->side);
    }
    return corner;
}

static void cut_polygon(const Cut* cut, const Corners* before, Corners* after) {
    after->count = 0;
    for (int i = 0; i < before->count; ++i) {
        const CnClipCorner* here = &before->data[i];
        const CnClipCorner* next = &before->data[i + 1 < before->count ? i + 1 : 0];
        double a = inside(cut, here->point);
        double b = inside(cut, next->point);

        if (a >= -cut->tolerance) {
            CnClipCorner kept = *here;
            if (a <= cut->tolerance && b < -cut->tolerance) { // on the plane, where the cut begins
                kept.leaving = ~cut->side;
            }
            push(after, kept);
        }
        if ((a > cut->tolerance && b < -cut->tolerance) ||
            (a < -cut->tolerance && b > cut->tolerance)) {
            push(after, cross(cut, here, next, a, b));
        }
    }
}

int cn_clip_face(const CnPolygon* reference, CnVec3 normal, const CnPolygon* incident,
                 double tolerance, CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnClipCorner spare[CN_CLIP_CORNERS];
    Corners now = {corners, incident->count}, then = {spare, 0};

    for (int i = 0; i < incident->count; ++i) {
        corners[i] = (CnClipCorner){
            .point = incident->points[i],
            .kind = CN_CORNER_OF_INCIDENT,
            .incident = incident->vertex[i],
            .leaving = i,
        };
    }
    for (int i = 0; i < reference->count && now.count > 0; ++i) {
        CnVec3 end = reference->points[i + 1 < reference->count ? i + 1 : 0];
        CnVec3 along = cn_vec3_sub(end, reference->points[i]);
        Cut cut = {
            .reference = reference,
            .incident = incident,
            .side = i,
            .inward = cn_vec3_normalize(cn_vec3_cross(normal, along)),
            .tolerance = tolerance,
        };
        cut_polygon(&cut, &now, &then);
        Corners swap = now;
        now = then;
        then = swap;
    }
    if (now.data != corners) {
        memcpy(corners, now.data, (size_t)now.count * sizeof *corners);
    }
    return now.count;
}
