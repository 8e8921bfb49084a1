// clip.c - the part of one face that lies over another.
#include "collision/hull/clip.h"

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

// What a corner is, and which side leaves it.
typedef struct Name {
    CnCornerKind kind;
    int reference, incident, leaving; // as in CnClipCorner
} Name;

typedef struct Corners {
    double x[POOL], y[POOL], z[POOL]; // [pool_count] [m]
    Name names[POOL];
    int pool_count;
    uint8_t lists[2][CN_CLIP_CORNERS + 1]; // the first follows the last once more
    uint8_t *now, *then;                   // the polygon, and the one that it becomes
    int count;                             // of now
} Corners;

// How far a corner is inside the side that cuts [m].
static double depth_of(const Cut* cut, const Corners* corners, int i) {
    CnVec3 point = cn_vec3(corners->x[i], corners->y[i], corners->z[i]);
    return cn_vec3_dot(cut->inward[cut->side],
                       cn_vec3_sub(point, cut->reference->points[cut->side]));
}

// The corner of the reference between two of its sides, of which `side` is cut later.
static int shared_vertex(const CnPolygon* reference, int earlier, int side) {
    bool closes = side == reference->count - 1 && earlier == 0;
    return reference->vertex[closes ? earlier : side];
}

// Where the side that leaves `from` goes through the plane on its way to `to`, a and b inside it: a
// new corner.
static int cross(const Cut* cut, Corners* corners, int from, int to, double a, double b) {
    double part = a / (a - b);
    int added = corners->pool_count++;
    int leaving = corners->names[from].leaving;
    Name* name = &corners->names[added];
    corners->x[added] = corners->x[from] + part * (corners->x[to] - corners->x[from]);
    corners->y[added] = corners->y[from] + part * (corners->y[to] - corners->y[from]);
    corners->z[added] = corners->z[from] + part * (corners->z[to] - corners->z[from]);
    name->leaving = a > 0.0 ? ~cut->side : leaving;
    if (leaving >= 0) {
        name->kind = CN_CORNER_OF_SIDES;
        name->reference = cut->reference->side[cut->side];
        name->incident = cut->incident->side[leaving];
    } else {
        name->kind = CN_CORNER_OF_REFERENCE;
        name->reference = shared_vertex(cut->reference, ~leaving, cut->side);
        name->incident = 0;
    }
    return added;
}

// A convex polygon gains at most one corner per cut. Round-off can make one that is not convex, of
// corners that nearly coincide; those that find no room are dropped.
static void cut_polygon(const Cut* cut, Corners* corners) {
    uint8_t *now = corners->now, *then = corners->then;
    int old = corners->count, count = 0, here = now[0];
    double a = depth_of(cut, corners, here), tolerance = cut->tolerance;
    now[old] = now[0];
    for (int i = 1; i <= old && count < CN_CLIP_CORNERS; ++i) {
        int following = now[i];
        double b = depth_of(cut, corners, following);
        then[count] = (uint8_t)here;
        count += a >= -tolerance ? 1 : 0;
        if (b < -tolerance || a < -tolerance) {
            bool crosses = a > tolerance || b > tolerance;
            if (crosses && count < CN_CLIP_CORNERS && corners->pool_count < POOL) {
                then[count++] = (uint8_t)cross(cut, corners, here, following, a, b);
            } else if (!crosses && a >= -tolerance) { // on the plane, where the cut begins
                corners->names[here].leaving = ~cut->side;
            }
        }
        here = following;
        a = b;
    }
    corners->now = then;
    corners->then = now;
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
        corners->x[i] = incident->points[i].x;
        corners->y[i] = incident->points[i].y;
        corners->z[i] = incident->points[i].z;
        corners->names[i] = (Name){CN_CORNER_OF_INCIDENT, 0, incident->vertex[i], i};
        corners->lists[0][i] = (uint8_t)i;
    }
    corners->pool_count = corners->count = incident->count;
    corners->now = corners->lists[0];
    corners->then = corners->lists[1];
}

int cn_clip_face(const CnPolygon* reference, CnVec3 normal, const CnPolygon* incident,
                 double tolerance, CnClipCorner corners[CN_CLIP_CORNERS]) {
    Corners polygon;
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
        cut_polygon(&cut, &polygon);
    }
    for (int i = 0; i < polygon.count; ++i) {
        int k = polygon.now[i];
        const Name* name = &polygon.names[k];
        corners[i] = (CnClipCorner){
            .point = cn_vec3(polygon.x[k], polygon.y[k], polygon.z[k]),
            .kind = name->kind,
            .reference = name->reference,
            .incident = name->incident,
            .leaving = name->leaving,
        };
    }
    return polygon.count;
}
