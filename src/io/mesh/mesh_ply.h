// mesh_ply.h - the header of a PLY file: its elements and their properties.
#pragma once

#include "io/text/word_reader.h"

#define CN_PLY_MAX_ELEMENTS 16   // kinds of elements; files have two to four
#define CN_PLY_MAX_PROPERTIES 64 // of one element; scans with colours and normals have a dozen

typedef enum CnPlyKind { CN_PLY_SIGNED, CN_PLY_UNSIGNED, CN_PLY_FLOAT } CnPlyKind;

typedef struct CnPlyType {
    const char *name, *other_name;
    CnPlyKind kind;
    unsigned size; // in a binary file [bytes]
} CnPlyType;

// What a property means to us.
typedef enum CnPlyRole {
    CN_PLY_X,
    CN_PLY_Y,
    CN_PLY_Z,
    CN_PLY_CORNERS,
    CN_PLY_ROLE_COUNT,
    CN_PLY_SKIPPED = CN_PLY_ROLE_COUNT
} CnPlyRole;

typedef struct CnPlyProperty {
    const CnPlyType* type;
    const CnPlyType* count_type; // of a list's length; NULL: one value
    CnPlyRole role;
} CnPlyProperty;

typedef struct CnPlyElement {
    CnWord name;
    int64_t count;
    int property_count;
    CnPlyProperty properties[CN_PLY_MAX_PROPERTIES];
} CnPlyElement;

typedef struct CnPlyHeader {
    bool has_format, is_text, big_endian;
    int element_count;
    CnPlyElement elements[CN_PLY_MAX_ELEMENTS];
    const CnPlyElement *vertices, *faces; // of elements
} CnPlyHeader;

// Reads from "ply" to the line end after "end_header". Checks that there are vertices with x, y and
// z and faces with a list of corners, and that the rest of the file is long enough for the
// announced counts.
bool cn_ply_read_header(CnWordReader* reader, CnPlyHeader* header);
