// reader.h - numbers from the bytes of one input; zeros once they are used up.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Reader {
    const uint8_t* data;
    size_t size, used;
} Reader;

static inline bool reader_take(Reader* reader, void* out, size_t size) {
    memset(out, 0, size);
    if (reader->size - reader->used < size) {
        reader->used = reader->size;
        return false;
    }
    memcpy(out, reader->data + reader->used, size);
    reader->used += size;
    return true;
}

static inline uint8_t reader_byte(Reader* reader) {
    uint8_t byte;
    reader_take(reader, &byte, sizeof byte);
    return byte;
}

// A whole number from -128 to 127: small ones meet exactly, in planes and on lines.
static inline double reader_small(Reader* reader) {
    int8_t value;
    reader_take(reader, &value, sizeof value);
    return (double)value;
}

static inline double reader_medium(Reader* reader) {
    int16_t value;
    reader_take(reader, &value, sizeof value);
    return (double)value;
}

static inline double reader_float(Reader* reader) {
    float value;
    reader_take(reader, &value, sizeof value);
    return (double)value;
}

static inline double reader_double(Reader* reader) {
    double value;
    reader_take(reader, &value, sizeof value);
    return value;
}
