// meshes.h - small solids, written in six file formats.
#pragma once

#include <stddef.h>

// Faces have four corners, or three and -1, counter-clockwise from outside.
typedef struct Mesh {
    int vertex_count, quad_count;
    double vertices[8][3]; // [m]
    int quads[6][4];
} Mesh;

extern const Mesh mesh_cube;        // of edge 1/2 m
extern const Mesh mesh_tetrahedron; // the corner of a box of 1/2 x 3/4 x 5/4 m

typedef enum MeshEncoding {
    MESH_OBJ,
    MESH_STL_TEXT,
    MESH_STL_BINARY,
    MESH_PLY_TEXT,
    MESH_PLY_LITTLE,
    MESH_PLY_BIG,
    MESH_ENCODING_COUNT
} MeshEncoding;

// A file in memory.
typedef struct MeshText {
    char bytes[16384];
    size_t length;
} MeshText;

MeshText mesh_write(const Mesh* mesh, MeshEncoding encoding);
