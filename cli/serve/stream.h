// stream.h - bytes that one thread writes and any number of readers follow, with a bounded memory.
//
// A recording as it grows. What describes the world (the preamble) is kept for readers that come
// late; of the frames the latest STREAM_KEPT bytes are. A reader that falls further behind is cut
// off.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Stream Stream;

Stream* stream_create(void); // NULL: no memory
void stream_destroy(Stream* stream);

// is_preamble: every reader gets this piece, however late it comes. False: no memory.
bool stream_write(Stream* stream, const void* bytes, size_t size, bool is_preamble);

// Readers are told that nothing follows. Then a new recording may begin.
void stream_end(Stream* stream);
void stream_restart(Stream* stream);

typedef struct StreamReader {
    uint64_t recording; // which one it reads; a restart makes another
    size_t preamble;    // bytes of the preamble read
    uint64_t frame;     // number of the next piece
    size_t offset;      // bytes of that piece read
} StreamReader;

typedef enum StreamResult { STREAM_BYTES, STREAM_WAIT, STREAM_END } StreamResult;

StreamReader stream_reader(Stream* stream);

// Copies what there is, at most capacity bytes. STREAM_WAIT: nothing yet.
StreamResult stream_read(Stream* stream, StreamReader* reader, void* bytes, size_t capacity,
                         size_t* size);
