// mesh_file.h - surfaces made of triangles, from OBJ, STL and PLY files.
#pragma once

#include "cairn/math.h"

// A file may have this many bytes. It bounds all else: every point and every triangle takes at
// least one byte of a file, so that counts fit an int and memory is a small multiple of the file.
#define CN_MESH_MAX_BYTES ((size_t)1 << 28)

// A coordinate beyond this [m] is a mistake; up to it, moments of volume (fifth powers) are finite.
#define CN_MESH_MAX_COORDINATE 1e12

typedef struct CnMeshTriangle {
    int corner[3]; // counter-clockwise from outside
} CnMeshTriangle;

// Vertices are numbered in the order in which triangles first use them, so that a surface is the
// same whichever format it was written in.
typedef struct CnTriangleSoup {
    int vertex_count, triangle_count;
    CnVec3* vertices;          // finite, no two equal, all used [m]   [vertex_count]
    CnMeshTriangle* triangles; // no corner twice   [triangle_count]
    int flat_count;            // triangles left out because two of their corners coincide
} CnTriangleSoup;

// Reads a file ("-": standard input) whose format is found from its content, with the extension as
// a hint. Faces with more than three corners become fans from their first corner. On failure *soup
// is empty and the sentence names the file and the line, or the byte in binary files.
CnStatus cn_mesh_load(const char* path, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error);

// The same from memory; label stands for the path.
CnStatus cn_mesh_parse(const char* bytes, size_t length, const char* label,
                       const CnAllocator* allocator, CnTriangleSoup* soup, CnError* error);

// The same from points and triangles that are already in memory; corners are indices of points.
CnStatus cn_mesh_weld(const CnVec3* points, int point_count, const int (*triangles)[3],
                      int triangle_count, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error);
void cn_mesh_free(CnTriangleSoup* soup, const CnAllocator* allocator);

// CN_OK when every edge has two triangles that run along it in opposite directions: the surface
// is closed and all of it has the same side outside. Otherwise the sentence names the first edge.
CnStatus cn_mesh_check_closed(const CnTriangleSoup* soup, const CnAllocator* allocator,
                              CnError* error);

// The volume inside a closed surface [m^3]; a sentence when it is open or turned inside out.
CnStatus cn_mesh_volume(const CnTriangleSoup* soup, const CnAllocator* allocator, double* volume,
                        CnError* error);

// CN_OK when a closed surface with positive volume is its own convex hull, whose volume the caller
// knows [m^3]; otherwise the sentence names the deepest dent or the missing volume. What rounding
// of coordinates to single precision does to flat faces is not called a dent.
CnStatus cn_mesh_check_convex(const CnTriangleSoup* soup, double hull_volume,
                              const CnAllocator* allocator, CnError* error);
