// chunk.c - the chunks that a recording is made of: docs/recording.md.
#include "io/recording/chunk.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// Where the parts of a chunk's header are [bytes].
#define CODEC_AT 4
#define STORED_AT 8
#define RAW_AT 16
#define CRC_AT 24
#define ZERO_AT 28

void cn_recording_write_header(CnBytes* out) {
    cn_bytes_put(out, CN_RECORDING_MAGIC, strlen(CN_RECORDING_MAGIC));
    cn_bytes_put_u32(out, CN_RECORDING_VERSION);
    cn_bytes_put_u32(out, 0);
}

static size_t padding_of(size_t size) {
    return (CN_CHUNK_ALIGNMENT - size % CN_CHUNK_ALIGNMENT) % CN_CHUNK_ALIGNMENT;
}

// The stored bytes behind the header; returns the codec they went through.
static uint32_t store(const void* raw, size_t size, const CnCodec* codec, CnBytes* out) {
    size_t start = out->size;
    if (codec->number != 0 && size > 0) {
        size_t bound = codec->bound(size, codec->context);
        void* room = cn_bytes_extend(out, bound);
        size_t stored = room == NULL ? 0 : codec->compress(raw, size, room, bound, codec->context);
        if (stored > 0 && stored < size) {
            out->size = start + stored;
            return codec->number;
        }
        out->size = start;
    }
    cn_bytes_put(out, raw, size);
    return 0;
}

bool cn_chunk_encode(const char* kind, const void* raw, size_t size, const CnCodec* codec,
                     CnBytes* out) {
    static const unsigned char zeros[CN_CHUNK_HEADER] = {0};
    size_t start = out->size;
    cn_bytes_put(out, zeros, CN_CHUNK_HEADER);
    uint32_t number = store(raw, size, codec, out);
    if (out->failed) {
        return false;
    }
    uint64_t stored_size = out->size - start - CN_CHUNK_HEADER, raw_size = size;
    unsigned char* header = out->data + start;
    memcpy(header, kind, 4);
    memcpy(header + CODEC_AT, &number, sizeof number);
    memcpy(header + STORED_AT, &stored_size, sizeof stored_size);
    memcpy(header + RAW_AT, &raw_size, sizeof raw_size);
    uint32_t crc = cn_crc32(0, header, CRC_AT);
    crc = cn_crc32(crc, header + CN_CHUNK_HEADER, (size_t)stored_size);
    memcpy(header + CRC_AT, &crc, sizeof crc);
    cn_bytes_put(out, zeros, padding_of((size_t)stored_size));
    return !out->failed;
}

static CnChunkOutcome complain(char* remark, size_t size, size_t offset, const char* what) {
    snprintf(remark, size, "byte %zu: %s", offset, what);
    return CN_CHUNK_BAD;
}

static bool is_zero(const unsigned char* bytes, size_t size) {
    unsigned char all = 0;
    for (size_t i = 0; i < size; ++i) {
        all |= bytes[i];
    }
    return all == 0;
}

CnChunkOutcome cn_chunk_next(const unsigned char* bytes, size_t size, size_t* offset,
                             CnChunk* chunk, char* remark, size_t remark_size) {
    size_t start = *offset, left = size - start;
    const unsigned char* header = bytes + start;
    uint64_t stored_size, raw_size;
    uint32_t crc;
    if (left == 0) {
        return CN_CHUNK_END;
    }
    if (left < CN_CHUNK_HEADER) {
        return complain(remark, remark_size, start, "the file ends in the header of a chunk");
    }
    memcpy(&stored_size, header + STORED_AT, sizeof stored_size);
    memcpy(&raw_size, header + RAW_AT, sizeof raw_size);
    memcpy(&crc, header + CRC_AT, sizeof crc);
    *chunk = (CnChunk){.offset = start, .stored = header + CN_CHUNK_HEADER};
    memcpy(chunk->kind, header, 4);
    memcpy(&chunk->codec, header + CODEC_AT, sizeof chunk->codec);
    left -= CN_CHUNK_HEADER;
    if (stored_size > left || padding_of((size_t)stored_size) > left - stored_size) {
        return complain(remark, remark_size, start, "the file ends in a chunk");
    }
    chunk->stored_size = (size_t)stored_size;
    chunk->raw_size = (size_t)raw_size;
    if (cn_crc32(cn_crc32(0, header, CRC_AT), chunk->stored, chunk->stored_size) != crc ||
        !is_zero(header + ZERO_AT, CN_CHUNK_HEADER - ZERO_AT) ||
        !is_zero(chunk->stored + stored_size, padding_of(chunk->stored_size))) {
        return complain(remark, remark_size, start, "a chunk is damaged: its checksum differs");
    }
    *offset = start + CN_CHUNK_HEADER + chunk->stored_size + padding_of(chunk->stored_size);
    return CN_CHUNK_WHOLE;
}

static const CnCodec* find_codec(uint32_t number, const CnCodec* codecs, int count) {
    for (int i = 0; i < count; ++i) {
        if (codecs[i].number == number) {
            return &codecs[i];
        }
    }
    return NULL;
}

CnStatus cn_chunk_decode(const CnChunk* chunk, const CnCodec* codecs, int codec_count, CnBytes* out,
                         CnError* error) {
    const CnCodec* codec = find_codec(chunk->codec, codecs, codec_count);
    if (chunk->codec != 0 && codec == NULL) {
        return cn_error_set(
            error, CN_UNSUPPORTED,
            "chunk %s at byte %zu is compressed with codec %u, which is not at hand", chunk->kind,
            chunk->offset, chunk->codec);
    }
    if (chunk->raw_size > CN_CHUNK_MAX_RAW) {
        return cn_error_set(error, CN_INVALID, "chunk %s at byte %zu has %zu bytes; at most %zu",
                            chunk->kind, chunk->offset, chunk->raw_size, CN_CHUNK_MAX_RAW);
    }
    // Before memory is asked for: a damaged size may be anything.
    bool fits = codec != NULL || chunk->raw_size == chunk->stored_size;
    out->size = 0;
    void* raw = fits ? cn_bytes_extend(out, chunk->raw_size + 1) : NULL;
    if (fits && raw == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a chunk of %zu bytes",
                            chunk->raw_size);
    }
    if (!fits || (codec != NULL && !codec->decompress(chunk->stored, chunk->stored_size, raw,
                                                      chunk->raw_size, codec->context))) {
        return cn_error_set(error, CN_INVALID, "chunk %s at byte %zu does not give %zu bytes",
                            chunk->kind, chunk->offset, chunk->raw_size);
    }
    if (codec == NULL && chunk->raw_size > 0) {
        memcpy(raw, chunk->stored, chunk->raw_size);
    }
    out->size = chunk->raw_size;
    out->data[out->size] = 0; // for those that are text
    return CN_OK;
}
