// number_lines.h - plain text with numbers on its lines, shared by readers of heights and series.
#pragma once

#include "io/text/word_reader.h"

#define CN_BLANKS " \t\v\f"

// Skips blanks and returns the next byte.
char cn_lines_skip_blanks(CnWordReader* text);

// Whether this byte ends the line or begins a comment.
bool cn_lines_at_end(char next);

// Calls read_line at the start of every line until it returns false. False if it did, or after
// reporting that the file is not text.
bool cn_lines_read(CnWordReader* text, bool (*read_line)(void* reader), void* reader);
