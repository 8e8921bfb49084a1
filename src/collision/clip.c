// clip.c - the part of one face that lies over another.
#include "collision/clip.h"

void cn_face_polygon(const CnHull* hull, int face, CnPolygon* polygon) {
    const CnHullFace* f = &hull->faces[face];
    int count = f->count < CN_FACE_CORNERS ? f->count : CN_FACE_CORNERS;

    for (int i = 0; i < count; ++i) {
        int at = f->first + (count == f->count ? i : (int)((int64_t)i * f->count / count));
        polygon->side[i] = at;
        polygon->vertex[i] = hull->loop[at];
        polygon->points[i] = hull->vertices[hull->loop[at]];
    }
    polygon->count = count;
    polygon->inward = hull->inward == NULL || count < f->count ? NULL : &hull->inward[f->first];
}

// The planes that stand on the sides of the reference face, and one of them.
typedef struct Cut {
    const CnPolygon* reference;
    const CnPolygon* incident;
    const CnVec3* inward; // of each side, unit
    double tolerance;
    int side;
} Cut;

// Every corner there ever was: those of the incident face, and up to two for each cut. A polygon is
// a list of them, so that cutting moves bytes about and not corners.
#define POOL (3 * CN_FACE_CORNERS)
_Static_assert(POOL <= UINT8_MAX, "corners are counted in bytes");

typedef struct Corners {
    CnClipCorner pool[POOL];
    int pool_count;
    uint8_t lists[2][CN_CLIP_CORNERS];
    uint8_t *now, *then; // the polygon, and the one that it becomes
    int count;           // of now
} Corners;

static double inside(const Cut* cut, CnVec3 point) {
    CnVec3 from_side = cn_vec3_sub(point, cut->reference->points[cut->side]);
    return cn_vec3_dot(cut->inward[cut->side], from_side);
}

// How far each corner is inside; false when none is outside and the polygon stays as it is.
static bool measure(const Cut* cut, const Corners* corners, double depth[CN_CLIP_CORNERS]) {
    bool all_inside = true;
    for (int i = 0; i < corners->count; ++i) {
        depth[i] = inside(cut, corners->pool[corners->now[i]].point);
        all_inside &= depth[i] >= -cut->tolerance;
    }
    return !all_inside;
}

// The corner of the reference between two of its sides, of which `side` is cut later.
static int shared_vertex(const CnPolygon* reference, int earlier, int side) {
    bool closes = side == reference->count - 1 && earlier == 0;
    return reference->vertex[closes ? earlier : side];
}

// Where the side that leaves `from` goes through the plane on its way to `to`, a and b away from it
// on either side.
static void cross(const Cut* cut, const CnClipCorner* from, const CnClipCorner* to, double a,
                  double b, CnClipCorner* corner) {
    CnVec3 along = cn_vec3_sub(to->point, from->point);
    corner->point = cn_vec3_add_scaled(from->point, a / (a - b), along);
    corner->leaving = a > 0.0 ? ~cut->side : from->leaving;
    if (from->leaving >= 0) {
        corner->kind = CN_CORNER_OF_SIDES;
        corner->reference = cut->reference->side[cut->side];
        corner->incident = cut->incident->side[from->leaving];
    } else {
        corner->kind = CN_CORNER_OF_REFERENCE;
        corner->reference = shared_vertex(cut->reference, ~from->leaving, cut->side);
        corner->incident = 0;
    }
}

// A convex polygon gains at most one corner per cut. Round-off can make one that is not convex, of
// corners that nearly coincide; those that find no room are dropped.
static void cut_polygon(const Cut* cut, const double* depth, Corners* corners) {
    int count = 0;
    for (int i = 0; i < corners->count && count < CN_CLIP_CORNERS; ++i) {
        int following = i + 1 < corners->count ? i + 1 : 0;
        CnClipCorner* here = &corners->pool[corners->now[i]];
        double a = depth[i], b = depth[following];
        int leaving = here->leaving;

        if (a >= -cut->tolerance) {
            corners->then[count++] = corners->now[i];
            if (a <= cut->tolerance && b < -cut->tolerance) { // on the plane, where the cut begins
                leaving = ~cut->side;
            }
        }
        if (((a > cut->tolerance && b < -cut->tolerance) ||
             (a < -cut->tolerance && b > cut->tolerance)) &&
            count < CN_CLIP_CORNERS && corners->pool_count < POOL) {
            corners->then[count++] = (uint8_t)corners->pool_count;
            cross(cut, here, &corners->pool[corners->now[following]], a, b,
                  &corners->pool[corners->pool_count++]);
        }
        here->leaving = leaving;
    }
    uint8_t* swap = corners->now;
    corners->now = corners->then;
    corners->then = swap;
    corners->count = count;
}

static void stand_planes(const CnPolygon* reference, CnVec3 normal,
                         CnVec3 inward[CN_FACE_CORNERS]) {
    for (int i = 0; i < reference->count; ++i) {
        CnVec3 end = reference->points[i + 1 < reference->count ? i + 1 : 0];
        CnVec3 along = cn_vec3_sub(end, reference->points[i]);
        inward[i] = cn_vec3_normalize(cn_vec3_cross(normal, along));
    }
}

static void start(const CnPolygon* incident, Corners* corners) {
    for (int i = 0; i < incident->count; ++i) {
        corners->pool[i] = (CnClipCorner){
            .point = incident->points[i],
            .kind = CN_CORNER_OF_INCIDENT,
            .incident = incident->vertex[i],
            .leaving = i,
        };
        corners->lists[0][i] = (uint8_t)i;
    }
    corners->pool_count = corners->count = incident->count;
    corners->now = corners->lists[0];
    corners->then = corners->lists[1];
}

int cn_clip_face(const CnPolygon* reference, CnVec3 normal, const CnPolygon* incident,
                 double tolerance, CnClipCorner corners[CN_CLIP_CORNERS]) {
    Corners polygon;
    double depth[CN_CLIP_CORNERS];
    CnVec3 inward[CN_FACE_CORNERS];
    Cut cut;

    cut.reference = reference;
    cut.incident = incident;
    cut.tolerance = tolerance;
    start(incident, &polygon);
    if (reference->inward == NULL) {
        stand_planes(reference, normal, inward);
    }
    cut.inward = reference->inward == NULL ? inward : reference->inward;
    for (cut.side = 0; cut.side < reference->count && polygon.count > 0; ++cut.side) {
        if (measure(&cut, &polygon, depth)) {
            cut_polygon(&cut, depth, &polygon);
        }
    }
    for (int i = 0; i < polygon.count; ++i) {
        corners[i] = polygon.pool[polygon.now[i]];
    }
    return polygon.count;
}
