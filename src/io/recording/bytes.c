// bytes.c - a buffer of bytes that grows, and its CRC-32.
#include "io/recording/bytes.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are written as they lie");

void cn_bytes_init(CnBytes* bytes, const CnAllocator* allocator) {
    *bytes = (CnBytes){.allocator = *allocator};
}

void cn_bytes_destroy(CnBytes* bytes) {
    cn_release(&bytes->allocator, bytes->data);
    bytes->data = NULL;
    bytes->size = bytes->capacity = 0;
}

bool cn_bytes_reserve(CnBytes* bytes, size_t wanted) {
    if (wanted <= bytes->capacity) {
        return !bytes->failed;
    }
    size_t capacity = bytes->capacity < wanted / 2 ? wanted : 2 * bytes->capacity;
    unsigned char* data =
        wanted > SIZE_MAX / 4 ? NULL : cn_allocate(&bytes->allocator, capacity, 1);
    if (data == NULL) {
        bytes->failed = true;
        return false;
    }
    if (bytes->size > 0) {
        memcpy(data, bytes->data, bytes->size);
    }
    cn_release(&bytes->allocator, bytes->data);
    bytes->data = data;
    bytes->capacity = capacity;
    return !bytes->failed;
}

void* cn_bytes_extend(CnBytes* bytes, size_t more) {
    if (more > SIZE_MAX - bytes->size || !cn_bytes_reserve(bytes, bytes->size + more)) {
        bytes->failed = true;
        return NULL;
    }
    unsigned char* end = bytes->data + bytes->size;
    bytes->size += more;
    return end;
}

void cn_bytes_put(CnBytes* bytes, const void* data, size_t size) {
    void* end = size > 0 ? cn_bytes_extend(bytes, size) : NULL;
    if (end != NULL) {
        memcpy(end, data, size);
    }
}

void cn_bytes_put_u32(CnBytes* bytes, uint32_t value) {
    cn_bytes_put(bytes, &value, sizeof value);
}

void cn_bytes_put_planes(CnBytes* bytes, const uint32_t* numbers, size_t count) {
    unsigned char* planes = cn_bytes_extend(bytes, 4 * count);
    for (size_t i = 0; i < count && planes != NULL; ++i) {
        cn_plane_set(planes, count, i, numbers[i]);
    }
}

// ---- CRC-32 ----

#define POLYNOMIAL UINT32_C(0xEDB88320) // reflected
#define SLICES 8

// table[s][b]: what byte b leaves in the remainder after s more bytes. Eight bytes are then eight
// look-ups that do not wait for each other. Making the tables costs as much as 2 kB of data.
static void make_tables(uint32_t table[SLICES][256]) {
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t rest = b;
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest & 1u) != 0 ? rest >> 1 ^ POLYNOMIAL : rest >> 1;
        }
        table[0][b] = rest;
    }
    for (int s = 1; s < SLICES; ++s) {
        for (int b = 0; b < 256; ++b) {
            uint32_t rest = table[s - 1][b];
            table[s][b] = rest >> 8 ^ table[0][rest & 0xFFu];
        }
    }
}

uint32_t cn_crc32(uint32_t crc, const void* data, size_t size) {
    uint32_t table[SLICES][256];
    const unsigned char* at = data;
    make_tables(table);
    crc = ~crc;
    for (; size >= SLICES; size -= SLICES, at += SLICES) {
        uint32_t low, high;
        memcpy(&low, at, sizeof low);
        memcpy(&high, at + 4, sizeof high);
        low ^= crc;
        crc = table[7][low & 0xFFu] ^ table[6][low >> 8 & 0xFFu] ^ table[5][low >> 16 & 0xFFu] ^
              table[4][low >> 24] ^ table[3][high & 0xFFu] ^ table[2][high >> 8 & 0xFFu] ^
              table[1][high >> 16 & 0xFFu] ^ table[0][high >> 24];
    }
    for (; size > 0; --size, ++at) {
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xFFu];
    }
    return ~crc;
}
