// frame_block.c - the frames of one chunk, as they are gathered and as they are stored.
#include "io/recording/frame_block.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define HEADER_WORDS 8

int cn_column_quantum(int column) {
    static const int quantum[CN_BODY_NUMBERS] = {
        CN_QUANTUM_POSITION, CN_QUANTUM_POSITION, CN_QUANTUM_POSITION, CN_QUANTUM_ROTATION,
        CN_QUANTUM_ROTATION, CN_QUANTUM_ROTATION, CN_QUANTUM_ROTATION, CN_QUANTUM_VELOCITY,
        CN_QUANTUM_VELOCITY, CN_QUANTUM_VELOCITY, CN_QUANTUM_SPIN,     CN_QUANTUM_SPIN,
        CN_QUANTUM_SPIN};
    return quantum[column];
}

void cn_frame_block_init(CnFrameBlock* block, const CnAllocator* allocator) {
    *block = (CnFrameBlock){.allocator = *allocator};
}

void cn_frame_block_destroy(CnFrameBlock* block) {
    cn_array_free(&block->frames, &block->allocator);
    cn_array_free(&block->scalars, &block->allocator);
    cn_array_free(&block->bodies, &block->allocator);
    cn_array_free(&block->joints, &block->allocator);
    cn_array_free(&block->contacts, &block->allocator);
    cn_array_free(&block->body_hashes, &block->allocator);
}

void cn_frame_block_clear(CnFrameBlock* block) {
    block->frames.count = block->scalars.count = block->bodies.count = block->joints.count = 0;
    block->contacts.count = 0;
}

// How many of what; the sizes of all sections follow.
typedef struct Counts {
    size_t frames, bodies, joints, scalars, contacts;
} Counts;

static size_t size_of(const Counts* n) {
    return HEADER_WORDS * sizeof(uint32_t) + CN_QUANTA * sizeof(double) +
           n->frames * (sizeof(double) + 2 * sizeof(uint64_t)) +
           n->scalars * n->frames * sizeof(double) +
           (n->frames + n->bodies + n->frames + 1) * sizeof(uint32_t) +
           n->frames *
               (n->bodies * (CN_BODY_COLUMNS * 4 + 1) + n->joints * (CN_JOINT_COLUMNS * 4 + 1)) +
           n->contacts * (2 + CN_CONTACT_COLUMNS) * 4;
}

static Counts counts_of(const CnFrameBlock* block) {
    return (Counts){(size_t)block->frames.count, (size_t)block->body_count,
                    (size_t)block->joint_count, (size_t)block->scalar_count,
                    (size_t)block->contacts.count};
}

size_t cn_frame_block_size(const CnFrameBlock* block) {
    Counts counts = counts_of(block);
    return size_of(&counts);
}

// ---- writing ----

// A value times 1/quantum must fit an i32, with room for rounding.
#define LARGEST_INTEGER 2147483000.0

static bool choose_quanta(CnFrameBlock* block, const double quanta[CN_QUANTA]) {
    double largest[CN_QUANTA] = {0.0};
    for (int i = 0; i < block->bodies.count; ++i) {
        for (int c = 0; c < CN_BODY_NUMBERS; ++c) {
            double size = fabs(block->bodies.data[i].numbers[c]);
            int kind = cn_column_quantum(c);
            if (!isfinite(size)) {
                return false;
            }
            largest[kind] = size > largest[kind] ? size : largest[kind];
        }
    }
    for (int kind = 0; kind < CN_QUANTA; ++kind) {
        double quantum = quanta[kind];
        while (largest[kind] > LARGEST_INTEGER * quantum) {
            quantum *= 2.0;
        }
        block->quanta[kind] = quantum;
    }
    return true;
}

// Numbers of 4 bytes, plane by plane: number i of count goes to four places.
static void put_plane(unsigned char* planes, size_t count, size_t i, uint32_t number) {
    planes[i] = (unsigned char)(number & 0xFFu);
    planes[count + i] = (unsigned char)(number >> 8 & 0xFFu);
    planes[2 * count + i] = (unsigned char)(number >> 16 & 0xFFu);
    planes[3 * count + i] = (unsigned char)(number >> 24);
}

static uint32_t zigzag(uint32_t difference) {
    return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t integer_of(const CnFrameBlock* block, const CnFrameBody* body, int column) {
    if (column >= CN_BODY_NUMBERS) {
        return (uint32_t)body->island;
    }
    double quantum = block->quanta[cn_column_quantum(column)];
    return (uint32_t)(int32_t)floor(body->numbers[column] / quantum + 0.5);
}

static void put_bodies(const CnFrameBlock* block, CnBytes* out) {
    size_t frames = (size_t)block->frames.count, bodies = (size_t)block->body_count;
    size_t count = CN_BODY_COLUMNS * bodies * frames;
    unsigned char* planes = cn_bytes_extend(out, 4 * count);
    for (size_t b = 0; b < bodies && planes != NULL; ++b) {
        uint32_t before[CN_BODY_COLUMNS] = {0};
        for (size_t f = 0; f < frames; ++f) { // a body is fetched once, for all its columns
            const CnFrameBody* body = &block->bodies.data[f * bodies + b];
            for (size_t column = 0; column < CN_BODY_COLUMNS; ++column) {
                uint32_t now = integer_of(block, body, (int)column);
                put_plane(planes, count, (column * bodies + b) * frames + f,
                          zigzag(now - before[column]));
                before[column] = now;
            }
        }
    }
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_joints(const CnFrameBlock* block, CnBytes* out) {
    size_t frames = (size_t)block->frames.count, joints = (size_t)block->joint_count;
    size_t count = CN_JOINT_COLUMNS * joints * frames, at = 0;
    unsigned char* planes = cn_bytes_extend(out, 4 * count);
    for (int column = 0; column < CN_JOINT_COLUMNS && planes != NULL; ++column) {
        for (size_t j = 0; j < joints; ++j) {
            for (size_t f = 0; f < frames; ++f) {
                const CnFrameJoint* joint = &block->joints.data[f * joints + j];
                put_plane(planes, count, at++, bits_of(joint->numbers[column]));
            }
        }
    }
}

static void put_contacts(const CnFrameBlock* block, CnBytes* out) {
    size_t contacts = (size_t)block->contacts.count;
    unsigned char* planes = cn_bytes_extend(out, 4 * (2 + CN_CONTACT_COLUMNS) * contacts);
    unsigned char* numbers = planes == NULL ? NULL : planes + 4 * 2 * contacts;
    for (size_t i = 0; i < contacts && planes != NULL; ++i) {
        const CnFrameContact* contact = &block->contacts.data[i];
        for (size_t side = 0; side < 2; ++side) {
            put_plane(planes, 2 * contacts, side * contacts + i, (uint32_t)contact->bodies[side]);
        }
        for (size_t column = 0; column < CN_CONTACT_COLUMNS; ++column) {
            put_plane(numbers, CN_CONTACT_COLUMNS * contacts, column * contacts + i,
                      bits_of(contact->numbers[column]));
        }
    }
}

static void put_flags(const CnFrameBlock* block, CnBytes* out) {
    size_t frames = (size_t)block->frames.count;
    size_t bodies = (size_t)block->body_count, joints = (size_t)block->joint_count;
    unsigned char* flags = cn_bytes_extend(out, (bodies + joints) * frames);
    for (size_t b = 0; b < bodies && flags != NULL; ++b) {
        for (size_t f = 0; f < frames; ++f) {
            *flags++ = block->bodies.data[f * bodies + b].flags;
        }
    }
    for (size_t j = 0; j < joints && flags != NULL; ++j) {
        for (size_t f = 0; f < frames; ++f) {
            *flags++ = block->joints.data[f * joints + j].flags;
        }
    }
}

// What every frame has once.
static void put_heads(const CnFrameBlock* block, CnBytes* out) {
    int frames = block->frames.count;
    const CnFrameHead* heads = block->frames.data;
    for (int f = 0; f < frames; ++f) {
        cn_bytes_put(out, &heads[f].time, sizeof heads[f].time);
    }
    for (int f = 0; f < frames; ++f) {
        cn_bytes_put(out, &heads[f].step, sizeof heads[f].step);
    }
    for (int f = 0; f < frames; ++f) {
        cn_bytes_put(out, &heads[f].hash, sizeof heads[f].hash);
    }
    for (int s = 0; s < block->scalar_count; ++s) {
        for (int f = 0; f < frames; ++f) {
            cn_bytes_put(out, &block->scalars.data[f * block->scalar_count + s], sizeof(double));
        }
    }
    for (int f = 0; f < frames; ++f) {
        cn_bytes_put_u32(out, heads[f].worst_name);
    }
    cn_bytes_put(out, block->body_hashes.data, (size_t)block->body_count * sizeof(uint32_t));
    for (int f = 0; f < frames; ++f) {
        cn_bytes_put_u32(out, heads[f].contact_start);
    }
    cn_bytes_put_u32(out, (uint32_t)block->contacts.count);
}

CnStatus cn_frame_block_encode(CnFrameBlock* block, const double quanta[CN_QUANTA], CnBytes* out,
                               CnError* error) {
    const uint32_t header[HEADER_WORDS] = {
        (uint32_t)block->frames.count, (uint32_t)block->body_count, (uint32_t)block->joint_count,
        (uint32_t)block->scalar_count, (uint32_t)block->contacts.count};
    if (!choose_quanta(block, quanta)) {
        return cn_error_set(error, CN_INVALID, "a body's pose or velocity is not finite");
    }
    cn_bytes_reserve(out, out->size + cn_frame_block_size(block));
    cn_bytes_put(out, header, sizeof header);
    cn_bytes_put(out, block->quanta, sizeof block->quanta);
    put_heads(block, out);
    put_bodies(block, out);
    put_joints(block, out);
    put_contacts(block, out);
    put_flags(block, out);
    return out->failed ? cn_error_set(error, CN_NO_MEMORY, "no memory for frames") : CN_OK;
}

// ---- reading ----

static uint32_t read_u32(const unsigned char* at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool read_counts(const unsigned char* raw, size_t size, Counts* counts) {
    if (size < HEADER_WORDS * sizeof(uint32_t)) {
        return false;
    }
    *counts = (Counts){read_u32(raw), read_u32(raw + 4), read_u32(raw + 8), read_u32(raw + 12),
                       read_u32(raw + 16)};
    // No section may be larger than all: then nothing below overflows.
    size_t limit = size;
    return counts->frames >= 1 && counts->frames <= limit && counts->bodies <= limit &&
           counts->joints <= limit && counts->scalars <= limit && counts->contacts <= limit &&
           counts->bodies <= limit / counts->frames && counts->joints <= limit / counts->frames &&
           counts->scalars <= limit / counts->frames && size_of(counts) == size;
}

bool cn_frame_block_look(const unsigned char* raw, size_t size, int body_count, int joint_count,
                         int scalar_count, int* frames, const unsigned char** times) {
    Counts counts;
    if (!read_counts(raw, size, &counts) || counts.bodies != (size_t)body_count ||
        counts.joints != (size_t)joint_count || counts.scalars != (size_t)scalar_count) {
        return false;
    }
    *frames = (int)counts.frames;
    *times = raw + HEADER_WORDS * sizeof(uint32_t) + CN_QUANTA * sizeof(double);
    return true;
}

static uint32_t get_plane(const unsigned char* planes, size_t count, size_t i) {
    return planes[i] | (uint32_t)planes[count + i] << 8 | (uint32_t)planes[2 * count + i] << 16 |
           (uint32_t)planes[3 * count + i] << 24;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void take(const unsigned char** at, void* out, size_t size) {
    if (size > 0) { // an empty array has no address
        memcpy(out, *at, size);
    }
    *at += size;
}

static bool reserve_all(CnFrameBlock* block, const Counts* n) {
    const CnAllocator* allocator = &block->allocator;
    int frames = (int)n->frames;
    cn_frame_block_clear(block);
    if (!cn_array_reserve(&block->frames, allocator, frames) ||
        !cn_array_reserve(&block->scalars, allocator, frames * block->scalar_count) ||
        !cn_array_reserve(&block->bodies, allocator, frames * block->body_count) ||
        !cn_array_reserve(&block->joints, allocator, frames * block->joint_count) ||
        !cn_array_reserve(&block->contacts, allocator, (int)n->contacts) ||
        !cn_array_reserve(&block->body_hashes, allocator, block->body_count)) {
        return false;
    }
    block->frames.count = frames;
    block->scalars.count = frames * block->scalar_count;
    block->bodies.count = frames * block->body_count;
    block->joints.count = frames * block->joint_count;
    block->contacts.count = (int)n->contacts;
    block->body_hashes.count = block->body_count;
    return true;
}

// False when the contacts of a frame begin behind those of the next.
static bool take_heads(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    CnFrameHead* heads = block->frames.data;
    for (size_t f = 0; f < n->frames; ++f) {
        take(at, &heads[f].time, sizeof heads[f].time);
    }
    for (size_t f = 0; f < n->frames; ++f) {
        take(at, &heads[f].step, sizeof heads[f].step);
    }
    for (size_t f = 0; f < n->frames; ++f) {
        take(at, &heads[f].hash, sizeof heads[f].hash);
    }
    for (size_t s = 0; s < n->scalars; ++s) {
        for (size_t f = 0; f < n->frames; ++f) {
            take(at, &block->scalars.data[f * n->scalars + s], sizeof(double));
        }
    }
    for (size_t f = 0; f < n->frames; ++f) {
        take(at, &heads[f].worst_name, sizeof heads[f].worst_name);
    }
    take(at, block->body_hashes.data, n->bodies * sizeof(uint32_t));
    uint32_t before = 0, last;
    for (size_t f = 0; f < n->frames; ++f) {
        take(at, &heads[f].contact_start, sizeof heads[f].contact_start);
        if (heads[f].contact_start < before || heads[f].contact_start > n->contacts) {
            return false;
        }
        before = heads[f].contact_start;
    }
    take(at, &last, sizeof last);
    return last == n->contacts;
}

static void take_bodies(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    size_t count = CN_BODY_COLUMNS * n->bodies * n->frames, i = 0;
    for (int column = 0; column < CN_BODY_COLUMNS; ++column) {
        for (size_t b = 0; b < n->bodies; ++b) {
            uint32_t now = 0;
            for (size_t f = 0; f < n->frames; ++f) {
                uint32_t z = get_plane(*at, count, i++);
                now += z >> 1 ^ (0u - (z & 1u));
                CnFrameBody* body = &block->bodies.data[f * n->bodies + b];
                if (column < CN_BODY_NUMBERS) {
                    body->numbers[column] =
                        (double)(int32_t)now * block->quanta[cn_column_quantum(column)];
                } else {
                    body->island = (int32_t)now;
                }
            }
        }
    }
    *at += 4 * count;
}

static void take_joints(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    size_t count = CN_JOINT_COLUMNS * n->joints * n->frames, i = 0;
    for (int column = 0; column < CN_JOINT_COLUMNS; ++column) {
        for (size_t j = 0; j < n->joints; ++j) {
            for (size_t f = 0; f < n->frames; ++f) {
                block->joints.data[f * n->joints + j].numbers[column] =
                    float_of(get_plane(*at, count, i++));
            }
        }
    }
    *at += 4 * count;
}

// False when a contact is with a body that does not exist.
static bool take_contacts(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    bool ok = true;
    for (size_t side = 0; side < 2; ++side) {
        for (size_t i = 0; i < n->contacts; ++i) {
            int32_t body = (int32_t)get_plane(*at, 2 * n->contacts, side * n->contacts + i);
            block->contacts.data[i].bodies[side] = body;
            ok = ok && body >= -1 && body < (int32_t)n->bodies;
        }
    }
    *at += 4 * 2 * n->contacts;
    for (size_t column = 0; column < CN_CONTACT_COLUMNS; ++column) {
        for (size_t i = 0; i < n->contacts; ++i) {
            block->contacts.data[i].numbers[column] = float_of(
                get_plane(*at, CN_CONTACT_COLUMNS * n->contacts, column * n->contacts + i));
        }
    }
    *at += 4 * CN_CONTACT_COLUMNS * n->contacts;
    return ok;
}

static void take_flags(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    for (size_t b = 0; b < n->bodies; ++b) {
        for (size_t f = 0; f < n->frames; ++f) {
            block->bodies.data[f * n->bodies + b].flags = *(*at)++;
        }
    }
    for (size_t j = 0; j < n->joints; ++j) {
        for (size_t f = 0; f < n->frames; ++f) {
            block->joints.data[f * n->joints + j].flags = *(*at)++;
        }
    }
}

static bool are_quanta(const double quanta[CN_QUANTA]) {
    bool ok = true;
    for (int i = 0; i < CN_QUANTA; ++i) {
        ok = ok && isfinite(quanta[i]) && quanta[i] > 0.0;
    }
    return ok;
}

CnStatus cn_frame_block_decode(CnFrameBlock* block, const unsigned char* raw, size_t size,
                               CnError* error) {
    Counts counts;
    int frames;
    const unsigned char* at;
    if (!cn_frame_block_look(raw, size, block->body_count, block->joint_count, block->scalar_count,
                             &frames, &at) ||
        !read_counts(raw, size, &counts)) {
        return cn_error_set(error, CN_INVALID, "the frames have other counts than HEAD says");
    }
    if (!reserve_all(block, &counts)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for %d frames", frames);
    }
    memcpy(block->quanta, at - sizeof block->quanta, sizeof block->quanta);
    bool ok = are_quanta(block->quanta) && take_heads(block, &counts, &at);
    if (ok) {
        take_bodies(block, &counts, &at);
        take_joints(block, &counts, &at);
        ok = take_contacts(block, &counts, &at);
        take_flags(block, &counts, &at);
    }
    return ok ? CN_OK : cn_error_set(error, CN_INVALID, "the frames contradict themselves");
}
