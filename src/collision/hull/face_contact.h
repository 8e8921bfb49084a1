// face_contact.h - the contact of two convex polyhedra while its points are found.
#pragma once

#include "collision/hull/face_points.h"
#include "collision/hull/manifold.h"

typedef struct CnFaceContact {
    CnHullPair* pair;
    CnFacePair faces;
    double frame[3][4];  // of a face without outline
    CnVec3 normal;       // of all points, unit, out of the reference, in the frame of its hull
    CnFacePoints points; // in that of its face
} CnFaceContact;

// The normal from A to B, given in A's frame.
static inline void cn_contact_tilt_normal(CnFaceContact* contact, CnVec3 normal) {
    if (contact->faces.flipped) {
        normal = cn_vec3_negate(cn_mat3_apply(&contact->pair->seen[1].turn, normal));
    }
    contact->normal = normal;
    contact->faces.lean = cn_vec3_dot(cn_reference_face(&contact->faces)->normal, normal);
}

// Whether some point has this gap, the least possible, to within a share of the size.
static inline bool cn_contact_has_gap(const CnFaceContact* contact, double gap, double share) {
    return contact->points.least <= gap + share * contact->pair->size;
}

// Whether the contact is one of faces.
static inline bool cn_faces_are_near(const CnFacePair* faces) {
    return faces->lean > 1.0 - CN_FACE_CONTACT_TILT;
}

// A vector of the hull's frame in that of the face.
static inline CnVec3 cn_contact_to_face(const CnFacePair* faces, CnVec3 v) {
    return cn_vec3(cn_vec3_dot(cn_frame_vector(faces, 0), v),
                   cn_vec3_dot(cn_frame_vector(faces, 1), v),
                   cn_vec3_dot(cn_frame_vector(faces, 2), v));
}

// Of a reference that has no outline.
void cn_contact_lay_frame(CnFaceContact* contact);

// No gap is less than this. The axis that gives it may have lost a tie.
static inline double cn_greatest_separation(const CnSatAxes* axes) {
    double a = axes->face_a.separation, b = axes->face_b.separation, c = axes->edges.separation;
    double faces = a > b ? a : b;
    return faces > c ? faces : c;
}

// Outlines of boxes are made where they are needed.
static inline void cn_contact_lay_outline(CnHullPair* pair, int which, int face) {
    if (pair->hull[which] == &pair->storage[which].hull) {
        cn_box_lay_outline(&pair->storage[which], face);
    }
}

// The reference is a face of hull `reference`, which the axis names; the incident face is that of
// the other hull which is most opposed to it. The normal is that of the reference until it leans.
static inline void cn_contact_start(CnFaceContact* contact, int reference, const CnSatAxis* axis,
                                    double margin) {
    CnHullPair* pair = contact->pair;
    CnFacePair* faces = &contact->faces;
    int face = reference == 0 ? axis->a : axis->b, likely = reference == 0 ? axis->b : axis->a;
    const CnHull *hull = pair->hull[reference], *other = pair->hull[1 - reference];
    CnVec3 up = hull->faces[face].normal;
    CnVec3 down = cn_mat3_apply(&pair->seen[1 - reference].turn, cn_vec3_negate(up));
    faces->reference = hull;
    faces->incident = other;
    faces->face = face;
    faces->other = cn_hull_facing_likely(other, down, likely);
    faces->flipped = reference == 1;
    faces->pose = &pair->seen[reference];
    faces->lean = 1.0;
    faces->margin = margin;
    faces->tolerance = CN_TIE_TOLERANCE * pair->size;
    cn_contact_lay_outline(pair, reference, faces->face);
    cn_contact_lay_outline(pair, 1 - reference, faces->other);
    if (hull->outlines != NULL && hull->outlines[face].count > 0) {
        faces->frame = &hull->outlines[face].axes[0][0];
    } else {
        cn_contact_lay_frame(contact);
    }
    contact->normal = up;
}

// Replaces the points by those of the clipped faces, in scalar code; none if the normal is too far
// from that of the reference.
void cn_contact_clip(CnFaceContact* contact);

// Adds the deepest point, whose gap is the separation of the best axis, where no point of the faces
// has it. `least`: that separation, which an axis that lost a tie may have given.
void cn_contact_add_deepest(CnFaceContact* contact, const CnSatAxis* best, bool is_face,
                            double least);

typedef struct CnContactFunctions {
    // Replaces the points by those of the clipped faces.
    void (*put_faces)(CnFaceContact* contact);

    // Four points at most, one bit each.
    uint64_t (*keep)(const CnFaceContact* contact);

    // Writes those that have a bit in kept, in the world; returns how many.
    int (*write)(const CnFaceContact* contact, uint64_t kept, CnManifoldPoint* points);

    // cn_manifold_make()
    int (*make)(CnHullPair* pair, const CnSatAxes* axes, double margin, CnManifoldPoint* points);
} CnContactFunctions;

// One text (manifold_lanes.h) for two widths of registers; the same bits.
extern const CnContactFunctions cn_contact_functions_128;
extern const CnContactFunctions cn_contact_functions_256; // takes AVX2
