// clip_boxes.h - the part of one face of a box that lies over a face of another, in closed form.
#pragma once

#include "collision/clip.h"
#include "math/mat3.h"

// Faces numbered as in cn_box_hull: 2 k + (at +axis k).
typedef struct CnBoxFaces {
    CnVec3 half_reference, half_incident; // half edges of the two boxes [m]
    CnMat3 turn;                          // from the axes of the incident box to the reference's
    CnVec3 offset;                        // of its centre, in the reference's frame [m]
    int reference, incident;              // faces
} CnBoxFaces;

// Vertices of the incident face (4), where its edges enter and leave (8), vertices of the reference
// (4); at most 8 of them at once but for round-off.
#define CN_BOX_CORNERS 16

// The face of a box that faces a direction most; of equals, to within CN_TIE, the first.
int cn_box_facing(CnVec3 direction);

// The corners that cn_clip_face would leave, named and ordered alike.
int cn_clip_boxes(const CnBoxFaces* faces, double tolerance, CnClipCorner corners[CN_BOX_CORNERS]);
