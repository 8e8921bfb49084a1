// mesh_stl.h - telling binary STL files from texts.
#pragma once

#include "io/mesh/mesh_reader.h"

// Whether the file is exactly as long as the count in it says. No text is: its bytes 80 to 83 would
// have to spell a count above 0x09090909, of a file beyond CN_MESH_MAX_BYTES.
bool cn_stl_has_exact_size(const CnMeshReader* reader);
