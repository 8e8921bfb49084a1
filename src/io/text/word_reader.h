// word_reader.h - reads a file in memory by words, numbers and lines: meshes, heights, series.
#pragma once

#include "base/array.h"
#include "io/mesh/mesh_file.h"
#include "io/text/error_list.h"

typedef struct CnWordReader {
    const char* bytes; // the file; bytes[length] is 0
    size_t length, at; // at: the next byte
    size_t mark;       // where the last word or value began, for messages
    int line;          // line of `at`, from 1
    bool binary;       // messages name the byte instead of the line
    bool continues;    // a backslash at the end of a line joins it with the next (OBJ)
    const CnAllocator* allocator;
    CnErrorList* errors;
    CN_ARRAY(CnVec3) points;            // of meshes, in the order of the file
    CN_ARRAY(CnMeshTriangle) triangles; // of points
} CnWordReader;

// Part of the file's text.
typedef struct CnWord {
    const char* text; // without a null character at its end   [length]
    size_t length;
} CnWord;

// Each reads a whole file into points and triangles; false after an error was reported.
bool cn_mesh_read_obj(CnWordReader* reader);
bool cn_mesh_read_stl(CnWordReader* reader);
bool cn_mesh_read_ply(CnWordReader* reader);

// Reports an error at the present place; returns false.
__attribute__((format(printf, 2, 3))) bool cn_reader_report_error(CnWordReader* reader,
                                                                  const char* format, ...);

// The next word of this line; false at its end.
bool cn_reader_word(CnWordReader* reader, CnWord* word);
// The next word of this line or a later one; false at the end of the file.
bool cn_reader_word_below(CnWordReader* reader, CnWord* word);
// To the start of the next line; false at the end of the file.
bool cn_reader_next_line(CnWordReader* reader);

bool cn_word_is(CnWord word, const char* text); // ignores case

// A copy that a message may show, in quotes.
#define CN_WORD_SHOWN_SIZE 64
const char* cn_word_show(CnWord word, char shown[CN_WORD_SHOWN_SIZE]);

// A decimal number with optional sign, fraction and exponent; no hexadecimal, no "nan". Numbers
// that are too large give infinity. False: not a number. Needs a CnNumberScope around it.
bool cn_word_number(CnWord word, double* number);

// A whole number with at most 18 digits.
bool cn_word_integer(CnWord word, int64_t* number);

// One coordinate of a point. Reports an error if it is missing, not a number, not finite or too
// large.
bool cn_mesh_read_coordinate(CnWordReader* reader, const char* axis, double* coordinate);
bool cn_mesh_check_coordinate(CnWordReader* reader, const char* axis, double coordinate);

// Report an error when memory runs out.
bool cn_mesh_add_point(CnWordReader* reader, CnVec3 point);
bool cn_mesh_add_triangle(CnWordReader* reader, int a, int b, int c);

// Whether the length of the file matches the count in it, as in a binary STL file. No text matches:
// its bytes 80 to 83 would be a count above 0x09090909, of a file larger than CN_MESH_MAX_BYTES.
bool cn_stl_has_exact_size(const CnWordReader* reader);
