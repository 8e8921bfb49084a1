// collide_pairs.h - the pair functions behind the table, one file each.
#pragma once

#include "collision/collide.h"

typedef int CnCollideFunction(CnPlacedShape a, CnPlacedShape b, double margin,
                              CnManifoldPoint points[CN_MANIFOLD_POINTS]);

CnCollideFunction cn_collide_sphere_sphere;
CnCollideFunction cn_collide_sphere_box;
CnCollideFunction cn_collide_sphere_capsule;
CnCollideFunction cn_collide_sphere_cylinder;
CnCollideFunction cn_collide_box_capsule;
CnCollideFunction cn_collide_plane_sphere;
CnCollideFunction cn_collide_plane_capsule;
CnCollideFunction cn_collide_plane_cylinder;
CnCollideFunction cn_collide_capsule_capsule;
CnCollideFunction cn_collide_plane_polyhedron;
CnCollideFunction cn_collide_polyhedron_polyhedron; // a triangle or a box against a hull
CnCollideFunction cn_collide_convex;                // any two except planes

// A is one triangle of a surface, from cn_triangle_place().
CnCollideFunction cn_collide_triangle_sphere;
CnCollideFunction cn_collide_triangle_capsule;
