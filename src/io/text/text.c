// text.c - checks UTF-8 sequences and shortens words.
#include "io/text/text.h"

#include <stdio.h>
#include <string.h>

// RFC 3629, table 3-7 of the Unicode standard: the range of the second byte excludes overlong
// forms, surrogates and code points above U+10FFFF.
int cn_text_sequence(const char* text, size_t length) {
    const unsigned char* byte = (const unsigned char*)text;
    int size = byte[0] < 0x80   ? 1
               : byte[0] < 0xc2 ? 0
               : byte[0] < 0xe0 ? 2
               : byte[0] < 0xf0 ? 3
                                : 4;
    if (size == 0 || byte[0] > 0xf4 || (size_t)size > length) {
        return 0;
    }
    for (int i = 1; i < size; ++i) {
        int low = 0x80, high = 0xbf;
        if (i == 1) {
            low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : low;
            high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : high;
        }
        if (byte[i] < low || byte[i] > high) {
            return 0;
        }
    }
    return size;
}

void cn_text_trim(char* text) {
    size_t length = strlen(text), start = length;
    while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        --start; // back over continuation bytes
    }
    if (start > 0 && (unsigned char)text[start - 1] >= 0xc0 &&
        cn_text_sequence(text + start - 1, length - start + 1) == 0) {
        text[start - 1] = 0;
    }
}

void cn_text_copy(char* destination, size_t size, const char* text) {
    snprintf(destination, size, "%s", text);
    cn_text_trim(destination);
}

const char* cn_text_show(const char* word, char shown[CN_SHOWN_SIZE]) {
    const size_t room = CN_SHOWN_SIZE - 3; // 48 bytes and the end
    cn_text_copy(shown, room, word);
    if (strlen(word) >= room) {
        strcat(shown, "...");
    }
    for (char* c = shown; *c != 0; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    return shown;
}
