// manifold_lanes.h - contact points of two convex polyhedra, where faces give them.
//
// The file that includes it says for which registers: math/simd.h. What is rare is in manifold.c.
#pragma once

#include "collision/hull/choose_lanes.h"
#include "collision/hull/cut_lanes.h"
#include "collision/hull/face_contact.h"

#include <stddef.h>

static CN_LANE_TARGET uint64_t choose(const CnFlatPoints* points) {
    return choose_points(points);
}

// Of five points or more, with those that pad them, there are the twelve that few points take.
static CN_LANE_TARGET uint64_t choose_along(const CnFacePoints* points, const CnVec3 axes[2],
                                            double size) {
    double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS];
    CnVec3 right = axes[0], ahead = axes[1];
    for (int k = 0; k < points->count || k < 12; k += CN_LANES) {
        CnLanes px = cn_lanes_load(points->x + k), py = cn_lanes_load(points->y + k);
        CnLanes pz = cn_lanes_load(points->z + k);
        cn_lanes_store(right.x * px + right.y * py + right.z * pz, x + k);
        cn_lanes_store(ahead.x * px + ahead.y * py + ahead.z * pz, y + k);
    }
    return choose_points(&(CnFlatPoints){x, y, points->gap, points->count, size});
}

static CN_LANE_TARGET void put_faces(CnFaceContact* contact) {
    if (!cn_faces_are_near(&contact->faces) || !cut(&contact->faces, &contact->points)) {
        cn_contact_clip(contact);
    }
}

// Of points that are seen along another normal than that of the face.
CN_LANE_FUNCTION uint64_t choose_leaning(const CnFaceContact* contact) {
    CnVec3 axes[2];
    cn_tangent_basis(cn_contact_to_face(&contact->faces, contact->normal), &axes[0], &axes[1]);
    return choose_along(&contact->points, axes, contact->pair->size);
}

// Of more than four points those that cn_choose_four() takes.
CN_LANE_FUNCTION uint64_t choose_kept(const CnFaceContact* contact) {
    const CnFacePoints* points = &contact->points;
    if (points->count <= CN_MANIFOLD_POINTS) {
        return (UINT64_C(1) << points->count) - 1;
    }
    if (contact->faces.lean < 1.0) {
        return choose_leaning(contact);
    }
    return choose(
        &(CnFlatPoints){points->x, points->y, points->gap, points->count, contact->pair->size});
}

// The axes and the origin of a frame in the world.
typedef struct WorldFrame {
    CnDouble4 right, ahead, up, origin;
} WorldFrame;

CN_LANE_FUNCTION CnDouble4 to_world(const CnDouble4 axes[3], CnVec3 v) {
    return v.x * axes[0] + v.y * axes[1] + v.z * axes[2];
}

CN_LANE_FUNCTION WorldFrame frame_in_world(const CnPlacedPolyhedron* placed,
                                           const CnDouble4 axes[3], const CnFacePair* faces) {
    return (WorldFrame){
        .right = to_world(axes, cn_frame_vector(faces, 0)),
        .ahead = to_world(axes, cn_frame_vector(faces, 1)),
        .up = to_world(axes, cn_frame_vector(faces, 2)),
        .origin = cn_double4_load(placed->center) + to_world(axes, cn_frame_vector(faces, 3)),
    };
}

_Static_assert(offsetof(CnManifoldPoint, normal) == 3 * sizeof(double) &&
                   offsetof(CnManifoldPoint, gap) == 6 * sizeof(double),
               "point, normal and gap follow each other: what one row has too much the next puts "
               "right");

// From the frame of the reference to the world. In B's frame normals point out of B.
CN_LANE_FUNCTION int write_points(const CnFaceContact* contact, uint64_t kept,
                                  CnManifoldPoint* points) {
    const CnFacePair* faces = &contact->faces;
    const CnFacePoints* from = &contact->points;
    const CnPlacedPolyhedron* placed = contact->pair->placed[faces->flipped ? 1 : 0];
    double sign = faces->flipped == contact->pair->reversed ? 1.0 : -1.0;
    CnDouble4 axes[3];
    for (int k = 0; k < 3; ++k) {
        axes[k] = cn_double4_load(placed->axes[k]);
    }
    WorldFrame frame = frame_in_world(placed, axes, faces);
    CnDouble4 normal = sign * to_world(axes, contact->normal);
    int count = 0;
    for (uint64_t left = kept; left != 0; left &= left - 1, ++count) {
        int i = __builtin_ctzll(left);
        CnDouble4 way = from->x[i] * frame.right + from->y[i] * frame.ahead + from->z[i] * frame.up;
        CnDouble4 at = frame.origin + way;
        CnDouble4 facing = __builtin_shufflevector(normal, cn_double4(from->gap[i]), 0, 1, 2, 7);
        memcpy(&points[count].point, &at, sizeof at);
        memcpy(&points[count].normal, &facing, sizeof facing);
        points[count].feature = from->feature[i];
    }
    return count;
}

static CN_LANE_TARGET uint64_t keep(const CnFaceContact* contact) {
    return choose_kept(contact);
}

static CN_LANE_TARGET int write_kept(const CnFaceContact* contact, uint64_t kept,
                                     CnManifoldPoint* points) {
    return write_points(contact, kept, points);
}

static CN_LANE_TARGET int make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                               CnManifoldPoint* points) {
    const CnSatAxis* face = cn_better_face(axes, pair->size);
    const CnSatAxis* best = cn_manifold_axis(axes, pair->size);
    int reference = face == &axes->face_a ? 0 : 1;
    if (!isfinite(best->separation)) {
        return 0; // a pose that is not finite
    }
    CnFaceContact contact;
    contact.pair = pair;
    cn_contact_start(&contact, reference, face, margin);
    if (best != face) {
        cn_contact_tilt_normal(&contact, best->normal);
    }
    put_faces(&contact);
    double least = cn_greatest_separation(axes);
    bool shown = cn_contact_has_gap(&contact, least, CN_COINCIDENCE_TOLERANCE);
    // Edges of disjoint hulls are as near as their axis shows only if they face each other.
    if (!shown || (best != face && least > 0.0)) {
        cn_contact_add_deepest(&contact, best, best == face, least);
    }
    return contact.points.count == 0 ? 0 : write_points(&contact, choose_kept(&contact), points);
}
