// chunk.h - the chunks that a recording is made of: docs/recording.md.
#pragma once

#include "cairn/recording.h"
#include "io/recording/bytes.h"

#define CN_RECORDING_MAGIC "CAIRNREC"
#define CN_RECORDING_VERSION 2u
#define CN_RECORDING_HEADER ((size_t)16)

#define CN_CHUNK_HEADER ((size_t)32)
#define CN_CHUNK_ALIGNMENT ((size_t)8)
#define CN_CHUNK_MAX_RAW ((size_t)1 << 30) // a limit on purpose, not the machine's [bytes]

typedef struct CnChunk {
    char kind[5]; // four letters
    uint32_t codec;
    size_t stored_size, raw_size;
    const unsigned char* stored;
    size_t offset; // of its header in the file
} CnChunk;

// Bytes of the file header.
void cn_recording_write_header(CnBytes* out);

// One chunk with header and padding. It is stored as it is where the codec does not make it
// smaller. False: no memory.
bool cn_chunk_encode(const char* kind, const void* raw, size_t size, const CnCodec* codec,
                     CnBytes* out);

typedef enum CnChunkOutcome { CN_CHUNK_WHOLE, CN_CHUNK_END, CN_CHUNK_BAD } CnChunkOutcome;

// The chunk at *offset, which moves on to the next. CN_CHUNK_BAD: it is cut off or damaged, and
// remark [size] says which.
CnChunkOutcome cn_chunk_next(const unsigned char* bytes, size_t size, size_t* offset,
                             CnChunk* chunk, char* remark, size_t remark_size);

// The raw bytes of a chunk, in out, of which it becomes all. CN_UNSUPPORTED: codec is not among
// codecs; CN_INVALID: it does not give what the chunk says.
CnStatus cn_chunk_decode(const CnChunk* chunk, const CnCodec* codecs, int codec_count, CnBytes* out,
                         CnError* error);
