// raster.h - triangles, lines and the ground into a picture: shaded, with one soft shadow.
#pragma once

#include "render/picture.h"

typedef struct Camera {
    CnVec3 eye;                // [m]
    CnVec3 right, down, ahead; // unit vectors
    double focus;              // half the height of the picture lies at this share of the distance
    int wide, high;            // of the picture [samples]
} Camera;

// Looks from one place to another, z up. aspect is that of the picture; angle: of the whole height
// [-] as the tangent of its half.
Camera camera_look(CnVec3 from, CnVec3 to, double half_tangent, const Picture* picture);

typedef struct Corner {
    CnVec3 place, normal; // world
} Corner;

// The light comes from a direction; the shadow is a map of depths seen from there.
typedef struct Light {
    CnVec3 toward;     // unit, to the light
    CnVec3 across, up; // unit, span the map
    CnVec3 center;     // of the lit ball
    double radius;     // [m]
    int size;          // of the map
    float* depth;      // nearest to the light, along it [m]   [size][size]
} Light;

bool light_create(Light* light, CnVec3 center, double radius); // false: no memory
void light_destroy(Light* light);
void light_add(Light* light, const CnVec3 corners[3]);
double light_share(const Light* light, CnVec3 place); // 0 in the shadow, 1 in the light

typedef struct Drawing {
    Picture* picture;
    Camera camera;
    const Light* light;
} Drawing;

void draw_triangle(const Drawing* drawing, const Corner corners[3], Tint tint);

// width [samples]; in front of faces that are as far away
void draw_line(const Drawing* drawing, CnVec3 from, CnVec3 to, double width, Tint tint);

// A plane as a grid that fades out, with the shadow on it. cell: between two lines [m]
typedef struct GridPlane {
    CnVec3 point, normal, across, along; // across and along are unit and lie in the plane
    double cell, reach;                  // [m]
} GridPlane;

void draw_plane(const Drawing* drawing, const GridPlane* plane, Tint line);
