// text.h - makes words of any bytes fit to be shown in messages.
#pragma once

#include "cairn/base.h"

#define CN_SHOWN_SIZE 52 // a word in a message: up to 48 bytes of it, an ellipsis, the end

// The word as a message may show it: control characters become '?', long words end in "...".
const char* cn_text_show(const char* word, char shown[CN_SHOWN_SIZE]);

// Removes an incomplete UTF-8 sequence at the end of a text that was cut.
void cn_text_trim(char* text);

// Copies as much of text as fits, whole characters only.
void cn_text_copy(char* destination, size_t size, const char* text);

// The length of the well-formed UTF-8 sequence at text, of at most length bytes; 0: not one.
int cn_text_sequence(const char* text, size_t length);
