// convert.c - what the converters of recordings share.
#include "recording/convert.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool convert_fail(const char* path, CnError* error) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", path,
             strerror(errno));
    return false;
}

bool convert_fail_memory(CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory to convert the recording");
    return false;
}

void buffer_put(Buffer* buffer, const void* data, size_t size) {
    if (buffer->size + size > buffer->capacity) {
        size_t capacity = 2 * buffer->capacity + size + 1024;
        unsigned char* larger = buffer->failed ? NULL : realloc(buffer->data, capacity);
        if (larger == NULL) {
            buffer->failed = true;
            return;
        }
        buffer->data = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void buffer_say(Buffer* buffer, const char* format, ...) {
    char line[512]; // names are put by themselves: all that is said here is short
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) {
        buffer->failed = true;
        return;
    }
    buffer_put(buffer, line, (size_t)length);
}

void buffer_free(Buffer* buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}

void convert_body_label(const CnRecordingInfo* info, int body, char* label, size_t size) {
    if (info->bodies[body].name[0] != '\0') {
        snprintf(label, size, "%s", info->bodies[body].name);
    } else {
        snprintf(label, size, "body %d", body);
    }
}
