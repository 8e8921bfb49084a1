// mesh_file.h - surfaces made of triangles, from OBJ, STL and PLY files.
#pragma once

#include "cairn/math.h"

// The largest file in bytes. Every point and every triangle takes at least one byte of a file, so
// counts fit an int and memory is a small multiple of the file.
#define CN_MESH_MAX_BYTES ((size_t)1 << 28)

// A larger coordinate [m] is a mistake; below it, moments of volume (fifth powers) are finite.
#define CN_MESH_MAX_COORDINATE 1e12

typedef struct CnMeshTriangle {
    int corner[3]; // counter-clockwise from outside
} CnMeshTriangle;

// Vertices are numbered in the order in which triangles first use them, so that a surface does not
// depend on the file format.
typedef struct CnTriangleSoup {
    int vertex_count, triangle_count;
    CnVec3* vertices;          // finite, no two equal, all used [m]   [vertex_count]
    CnMeshTriangle* triangles; // with three different corners   [triangle_count]
    int flat_count;            // triangles left out because two of their corners coincide
} CnTriangleSoup;

// Reads a file ("-": standard input). The format is found from the content, with the extension as a
// hint. Faces with more than three corners are split into triangles that share the first corner. On
// failure *soup is empty and the error names the file and the line, or the byte in binary files.
CnStatus cn_mesh_load(const char* path, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error);

// The same from memory; label is shown instead of the path.
CnStatus cn_mesh_parse(const char* bytes, size_t length, const char* label,
                       const CnAllocator* allocator, CnTriangleSoup* soup, CnError* error);

// The same from points and triangles that are already in memory; corners are indices of points.
CnStatus cn_mesh_weld(const CnVec3* points, int point_count, const int (*triangles)[3],
                      int triangle_count, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error);
void cn_mesh_free(CnTriangleSoup* soup, const CnAllocator* allocator);

// CN_OK if every edge has two triangles that run along it in opposite directions: the surface is
// closed and consistently oriented. Otherwise the error names the first bad edge.
CnStatus cn_mesh_check_closed(const CnTriangleSoup* soup, const CnAllocator* allocator,
                              CnError* error);

// The volume inside a closed surface [m^3]; an error if it is open or turned inside out.
CnStatus cn_mesh_volume(const CnTriangleSoup* soup, const CnAllocator* allocator, double* volume,
                        CnError* error);

// CN_OK if a closed surface with positive volume is its own convex hull, whose volume the caller
// knows [m^3]. Otherwise the error names the deepest dent or the missing volume. Dents that
// rounding of coordinates to single precision can make in flat faces are ignored.
CnStatus cn_mesh_check_convex(const CnTriangleSoup* soup, double hull_volume,
                              const CnAllocator* allocator, CnError* error);
