// stream.c - bytes that one thread writes and any number of readers follow, with a bounded memory.
#include "serve/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_KEPT ((size_t)64 << 20) // of frames [bytes]: a minute of 1,000 bodies with contacts
#define STREAM_PIECES 8192             // two minutes at 60 frames a second, one frame to a piece

typedef struct StreamPiece {
    size_t size;
    unsigned char bytes[];
} StreamPiece;

// Frames are pieces, numbered; number n is at n % STREAM_PIECES. The preamble is one array.
struct Stream {
    pthread_mutex_t lock;
    unsigned char* preamble;
    size_t preamble_size;
    StreamPiece* pieces[STREAM_PIECES];
    uint64_t first; // number of the oldest piece that is kept
    uint64_t count; // pieces written, dropped ones too
    size_t kept;    // bytes of pieces
    uint64_t recording;
    bool has_ended;
};

Stream* stream_create(void) {
    Stream* stream = calloc(1, sizeof *stream);
    if (stream != NULL) {
        pthread_mutex_init(&stream->lock, NULL);
    }
    return stream;
}

static void drop_first(Stream* stream) {
    StreamPiece** piece = &stream->pieces[stream->first % STREAM_PIECES];
    stream->kept -= (*piece)->size;
    stream->first += 1;
    free(*piece);
    *piece = NULL;
}

static void drop_all(Stream* stream) {
    while (stream->first < stream->count) {
        drop_first(stream);
    }
    free(stream->preamble);
    stream->preamble = NULL;
    stream->preamble_size = 0;
}

void stream_destroy(Stream* stream) {
    if (stream != NULL) {
        drop_all(stream);
        pthread_mutex_destroy(&stream->lock);
        free(stream);
    }
}

static bool add_to_preamble(Stream* stream, const void* bytes, size_t size) {
    unsigned char* grown = realloc(stream->preamble, stream->preamble_size + size);
    if (grown == NULL) {
        return false;
    }
    memcpy(grown + stream->preamble_size, bytes, size);
    stream->preamble = grown;
    stream->preamble_size += size;
    return true;
}

static bool add_piece(Stream* stream, const void* bytes, size_t size) {
    StreamPiece* piece = malloc(sizeof *piece + size);
    if (piece == NULL) {
        return false;
    }
    piece->size = size;
    memcpy(piece->bytes, bytes, size);
    while (stream->first < stream->count &&
           (stream->kept + size > STREAM_KEPT || stream->count - stream->first == STREAM_PIECES)) {
        drop_first(stream);
    }
    stream->pieces[stream->count % STREAM_PIECES] = piece;
    stream->count += 1;
    stream->kept += size;
    return true;
}

bool stream_write(Stream* stream, const void* bytes, size_t size, bool is_preamble) {
    pthread_mutex_lock(&stream->lock);
    bool ok = is_preamble ? add_to_preamble(stream, bytes, size) : add_piece(stream, bytes, size);
    pthread_mutex_unlock(&stream->lock);
    return ok;
}

void stream_end(Stream* stream) {
    pthread_mutex_lock(&stream->lock);
    stream->has_ended = true;
    pthread_mutex_unlock(&stream->lock);
}

void stream_restart(Stream* stream) {
    pthread_mutex_lock(&stream->lock);
    drop_all(stream);
    stream->first = stream->count = 0;
    stream->recording += 1;
    stream->has_ended = false;
    pthread_mutex_unlock(&stream->lock);
}

// A reader that comes late gets all frames that are still kept.
StreamReader stream_reader(Stream* stream) {
    pthread_mutex_lock(&stream->lock);
    StreamReader reader = {.recording = stream->recording, .frame = stream->first};
    pthread_mutex_unlock(&stream->lock);
    return reader;
}

static size_t copy_part(const unsigned char* from, size_t size, size_t* offset, void* to,
                        size_t capacity) {
    size_t part = size - *offset < capacity ? size - *offset : capacity;
    memcpy(to, from + *offset, part);
    *offset += part;
    return part;
}

// A name in the preamble may be added after the frames began; a reader gets it before the frames
// that follow, because the preamble is looked at first, between two pieces.
static StreamResult read_some(Stream* stream, StreamReader* reader, void* bytes, size_t capacity,
                              size_t* size) {
    if (reader->recording != stream->recording || reader->frame < stream->first) {
        return STREAM_END;
    }
    if (reader->offset == 0 && reader->preamble < stream->preamble_size) {
        *size =
            copy_part(stream->preamble, stream->preamble_size, &reader->preamble, bytes, capacity);
        return STREAM_BYTES;
    }
    if (reader->frame == stream->count) {
        return stream->has_ended ? STREAM_END : STREAM_WAIT;
    }
    const StreamPiece* piece = stream->pieces[reader->frame % STREAM_PIECES];
    *size = copy_part(piece->bytes, piece->size, &reader->offset, bytes, capacity);
    if (reader->offset == piece->size) {
        reader->frame += 1;
        reader->offset = 0;
    }
    return STREAM_BYTES;
}

StreamResult stream_read(Stream* stream, StreamReader* reader, void* bytes, size_t capacity,
                         size_t* size) {
    pthread_mutex_lock(&stream->lock);
    StreamResult result = read_some(stream, reader, bytes, capacity, size);
    pthread_mutex_unlock(&stream->lock);
    return result;
}
