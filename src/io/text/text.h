// text.h - putting words that users wrote into messages, whatever bytes they hold.
#pragma once

#include "cairn/base.h"

#define CN_SHOWN_SIZE 52 // a word in a message: up to 48 bytes of it, an ellipsis, the end

// The word as a message may show it: control characters become '?', long words end in "...".
const char* cn_text_show(const char* word, char shown[CN_SHOWN_SIZE]);

// Takes away an incomplete UTF-8 sequence that cutting a text to size left at its end.
void cn_text_trim(char* text);

// As much of text as fits, whole characters only.
void cn_text_copy(char* destination, size_t size, const char* text);

// The length of the well-formed UTF-8 sequence at text, of at most length bytes; 0: not one.
int cn_text_sequence(const char* text, size_t length);
