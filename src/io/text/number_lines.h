// number_lines.h - plain text with numbers on its lines: what readers of heights and series share.
#pragma once

#include "io/mesh/mesh_reader.h"

#define CN_BLANKS " \t\v\f"

// To the next byte that is no blank, which is returned.
char cn_lines_skip_blanks(CnMeshReader* text);

// Does this byte end the line, as a comment does?
bool cn_lines_at_end(char next);

// Calls read_line at the start of every line, as long as it returns true. False when it did not,
// or after an error was reported about text that is none.
bool cn_lines_read(CnMeshReader* text, bool (*read_line)(void* reader), void* reader);
