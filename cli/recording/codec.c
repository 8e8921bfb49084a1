// codec.c - the compressors that the program brings for recordings.
#include "recording/codec.h"

#include <zlib.h>

#define CODEC_ZSTD 1u
#define CODEC_ZLIB 2u

#if CAIRN_ZSTD
#include <zstd.h>

// Higher levels make recordings a few per cent smaller, and writing them twice as long.
#define LEVEL 1
#define PAGE_LEVEL 9

static size_t zstd_bound(size_t size, void* context) {
    (void)context;
    return ZSTD_compressBound(size);
}

static size_t zstd_compress(const void* raw, size_t size, void* stored, size_t capacity,
                            void* context) {
    int level = context == NULL ? LEVEL : *(const int*)context;
    size_t written = ZSTD_compress(stored, capacity, raw, size, level);
    return ZSTD_isError(written) ? 0 : written;
}

static bool zstd_decompress(const void* stored, size_t size, void* raw, size_t raw_size,
                            void* context) {
    (void)context;
    size_t read = ZSTD_decompress(raw, raw_size, stored, size);
    return !ZSTD_isError(read) && read == raw_size;
}
#endif

static bool zlib_decompress(const void* stored, size_t size, void* raw, size_t raw_size,
                            void* context) {
    uLongf read = (uLongf)raw_size;
    (void)context;
    return uncompress(raw, &read, stored, (uLong)size) == Z_OK && read == raw_size;
}

static size_t zlib_bound(size_t size, void* context) {
    (void)context;
    return compressBound((uLong)size);
}

static size_t zlib_compress(const void* raw, size_t size, void* stored, size_t capacity,
                            void* context) {
    uLongf written = (uLongf)capacity;
    (void)context;
    return compress2(stored, &written, raw, (uLong)size, Z_DEFAULT_COMPRESSION) == Z_OK ? written
                                                                                        : 0;
}

static const CnCodec codecs[] = {
#if CAIRN_ZSTD
    {CODEC_ZSTD, zstd_bound, zstd_compress, zstd_decompress, NULL},
#endif
    {CODEC_ZLIB, zlib_bound, zlib_compress, zlib_decompress, NULL},
};

CnCodec codec_for_writing(void) {
    return codecs[0];
}

CnCodec codec_for_pages(void) {
    CnCodec codec = codecs[0];
#if CAIRN_ZSTD
    static int level = PAGE_LEVEL;
    codec.context = &level;
#endif
    return codec;
}

CnRecording* codec_open_recording(const char* path, CnError* error) {
    return cn_recording_open(path, codecs, (int)(sizeof codecs / sizeof codecs[0]), error);
}
