// meshes.c - small solids, written in six file formats.
#include "support/shapes/meshes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const Mesh mesh_cube = {
    8,
    6,
    {{0, 0, 0},
     {0.5, 0, 0},
     {0.5, 0.5, 0},
     {0, 0.5, 0},
     {0, 0, 0.5},
     {0.5, 0, 0.5},
     {0.5, 0.5, 0.5},
     {0, 0.5, 0.5}},
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
};

const Mesh mesh_tetrahedron = {
    4,
    4,
    {{0, 0, 0}, {0.5, 0, 0}, {0, 0.75, 0}, {0, 0, 1.25}},
    {{0, 2, 1, -1}, {0, 1, 3, -1}, {0, 3, 2, -1}, {1, 2, 3, -1}},
};

static int corner_count(const int quad[4]) {
    return quad[3] < 0 ? 3 : 4;
}

__attribute__((format(printf, 2, 3))) static void print(MeshText* file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    file->length += (size_t)vsnprintf(file->bytes + file->length, sizeof file->bytes - file->length,
                                      format, arguments);
    va_end(arguments);
}

static void put(MeshText* file, uint32_t value, unsigned size, int big_endian) {
    for (unsigned i = 0; i < size; ++i) {
        file->bytes[file->length++] = (char)(value >> 8u * (big_endian ? size - 1u - i : i));
    }
}

static void put_float(MeshText* file, double value, int big_endian) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(file, bits, sizeof bits, big_endian);
}

static void write_obj(const Mesh* mesh, MeshText* file) {
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const double* x = mesh->vertices[i];
        print(file, "v %.17g %.17g %.17g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i < mesh->quad_count; ++i) {
        print(file, "f");
        for (int k = 0; k < corner_count(mesh->quads[i]); ++k) {
            print(file, " %d", mesh->quads[i][k] + 1);
        }
        print(file, "\n");
    }
}

static void write_facet(const Mesh* mesh, const int corner[3], int binary, MeshText* file) {
    for (int k = 0; k < 3 && binary; ++k) {
        put_float(file, 0.0, 0); // the normal, which nobody reads
    }
    if (!binary) {
        print(file, "facet normal 0 0 0\n outer loop\n");
    }
    for (int k = 0; k < 3; ++k) {
        const double* x = mesh->vertices[corner[k]];
        if (binary) {
            put_float(file, x[0], 0);
            put_float(file, x[1], 0);
            put_float(file, x[2], 0);
        } else {
            print(file, "  vertex %.17g %.17g %.17g\n", x[0], x[1], x[2]);
        }
    }
    if (binary) {
        put(file, 0, 2, 0);
    } else {
        print(file, " endloop\nendfacet\n");
    }
}

static void write_stl(const Mesh* mesh, int binary, MeshText* file) {
    uint32_t count = 0;
    for (int i = 0; i < mesh->quad_count; ++i) {
        count += (uint32_t)corner_count(mesh->quads[i]) - 2;
    }
    print(file, binary ? "%-80s" : "solid %s\n", "test");
    if (binary) {
        put(file, count, 4, 0);
    }
    for (int i = 0; i < mesh->quad_count; ++i) {
        const int* quad = mesh->quads[i];
        for (int k = 2; k < corner_count(quad); ++k) {
            write_facet(mesh, (int[3]){quad[0], quad[k - 1], quad[k]}, binary, file);
        }
    }
    if (!binary) {
        print(file, "endsolid test\n");
    }
}

static void write_ply_header(const Mesh* mesh, const char* format, MeshText* file) {
    print(file,
          "ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
          "property float z\nelement face %d\nproperty list uchar int vertex_indices\n"
          "end_header\n",
          format, mesh->vertex_count, mesh->quad_count);
}

static void write_ply_text(const Mesh* mesh, MeshText* file) {
    write_ply_header(mesh, "ascii", file);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const double* x = mesh->vertices[i];
        print(file, "%.17g %.17g %.17g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i < mesh->quad_count; ++i) {
        print(file, "%d", corner_count(mesh->quads[i]));
        for (int k = 0; k < corner_count(mesh->quads[i]); ++k) {
            print(file, " %d", mesh->quads[i][k]);
        }
        print(file, "\n");
    }
}

static void write_ply_binary(const Mesh* mesh, int big_endian, MeshText* file) {
    write_ply_header(mesh, big_endian ? "binary_big_endian" : "binary_little_endian", file);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            put_float(file, mesh->vertices[i][k], big_endian);
        }
    }
    for (int i = 0; i < mesh->quad_count; ++i) {
        put(file, (uint32_t)corner_count(mesh->quads[i]), 1, big_endian);
        for (int k = 0; k < corner_count(mesh->quads[i]); ++k) {
            put(file, (uint32_t)mesh->quads[i][k], 4, big_endian);
        }
    }
}

MeshText mesh_write(const Mesh* mesh, MeshEncoding encoding) {
    MeshText file = {.length = 0};
    if (encoding == MESH_OBJ) {
        write_obj(mesh, &file);
    } else if (encoding == MESH_PLY_TEXT) {
        write_ply_text(mesh, &file);
    } else if (encoding == MESH_PLY_LITTLE || encoding == MESH_PLY_BIG) {
        write_ply_binary(mesh, encoding == MESH_PLY_BIG, &file);
    } else {
        write_stl(mesh, encoding == MESH_STL_BINARY, &file);
    }
    return file;
}
