// clip.h - the part of one face that lies over another.
#pragma once

#include "geometry/hull/hull.h"

// Corners kept of one face. A loop with more is thinned to this many, evenly: an inscribed polygon
// whose points are still points of the face, with 0.6 % less area where the loop is a circle. Two
// such faces cut each other in at most twice as many corners.
#define CN_FACE_CORNERS 32
#define CN_CLIP_CORNERS (2 * CN_FACE_CORNERS)

typedef struct CnPolygon {
    CnVec3 points[CN_FACE_CORNERS]; // counter-clockwise from outside [m]
    int vertex[CN_FACE_CORNERS];    // in the hull
    int side[CN_FACE_CORNERS];      // where the side that leaves this corner starts in hull->loop
    int count;
    const CnVec3* inward; // across each side, in the plane: unit [count], or NULL: not known
} CnPolygon;

void cn_face_polygon(const CnHull* hull, int face, CnPolygon* polygon);

// What a corner of the cut face is.
typedef enum CnCornerKind {
    CN_CORNER_OF_INCIDENT,  // a vertex of the incident face, over the reference
    CN_CORNER_OF_REFERENCE, // a vertex of the reference face, seen on the incident one
    CN_CORNER_OF_SIDES      // where two sides cross
} CnCornerKind;

typedef struct CnClipCorner {
    CnVec3 point; // on the incident face [m]
    CnCornerKind kind;
    int reference; // vertex or side, as in CnPolygon; unused for a vertex of the other
    int incident;
    int leaving; // the side that leaves it: an index into incident, or ~index into reference
} CnClipCorner;

// Cuts the incident polygon with the planes that stand on the sides of the reference along its
// unit normal (Sutherland and Hodgman). Corners within tolerance [m] of a plane count as on it:
// they stay what they are, wherever round-off puts them. Returns how many corners are left.
int cn_clip_face(const CnPolygon* reference, CnVec3 normal, const CnPolygon* incident,
                 double tolerance, CnClipCorner corners[CN_CLIP_CORNERS]);
