// frame_block.c - the frames of one chunk, as they are gathered and as they are stored.
#include "io/recording/frame_block.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define COUNT_WORDS 8 // of which the last is zero
#define CONTACT_EVERY_WORD 6
#define MOST_CONTACT_EVERY 10000u // frames of the longest chunk
#define HEADER_WORDS (COUNT_WORDS + CN_CONTACT_COLUMNS)

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
    cn_contact_codes_init(&block->codes, allocator);
}

void cn_frame_block_destroy(CnFrameBlock* block) {
    cn_array_free(&block->frames, &block->allocator);
    cn_array_free(&block->scalars, &block->allocator);
    cn_array_free(&block->bodies, &block->allocator);
    cn_array_free(&block->joints, &block->allocator);
    cn_array_free(&block->contacts, &block->allocator);
    cn_array_free(&block->starts, &block->allocator);
    cn_contact_codes_destroy(&block->codes);
    cn_array_free(&block->body_hashes, &block->allocator);
}

void cn_frame_block_clear(CnFrameBlock* block) {
    block->frames.count = block->scalars.count = block->bodies.count = block->joints.count = 0;
    block->contacts.count = 0;
    cn_contact_codes_clear(&block->codes);
}

// How many of what; the sizes of all sections follow.
typedef struct Counts {
    size_t frames, bodies, joints, scalars;
    CnContactCounts contacts;
} Counts;

// Without contacts.
static size_t fixed_size(const Counts* n) {
    return HEADER_WORDS * sizeof(uint32_t) + CN_QUANTA * sizeof(double) +
           n->frames * (sizeof(double) + 2 * sizeof(uint64_t)) +
           n->scalars * n->frames * sizeof(double) +
           (n->frames + n->bodies + n->frames + 1) * sizeof(uint32_t) +
           n->frames *
               (n->bodies * (CN_BODY_COLUMNS * 4 + 1) + n->joints * (CN_JOINT_COLUMNS * 4 + 1));
}

static size_t size_of(const Counts* n) {
    return fixed_size(n) + cn_contact_counts_size(&n->contacts);
}

static Counts counts_of(const CnFrameBlock* block) {
    return (Counts){(size_t)block->frames.count, (size_t)block->body_count,
                    (size_t)block->joint_count, (size_t)block->scalar_count,
                    cn_contact_codes_counts(&block->codes)};
}

size_t cn_frame_block_size(const CnFrameBlock* block) {
    Counts counts = counts_of(block);
    return fixed_size(&counts) + counts.contacts.contacts * sizeof(CnContactLoad);
}

// ---- writing ----

// A value times 1/quantum must fit an i32, with room for rounding.
#define LARGEST_INTEGER 2147483000.0

static bool choose_quanta(CnFrameBlock* block, const double quanta[CN_QUANTA]) {
    double sizes[CN_BODY_NUMBERS] = {0.0}, largest[CN_QUANTA] = {0.0};
    double poison = 0.0; // 0 times what is not finite is not a number
    for (int i = 0; i < block->bodies.count; ++i) {
        const double* numbers = block->bodies.data[i].numbers;
        for (int c = 0; c < CN_BODY_NUMBERS; ++c) {
            double size = fabs(numbers[c]);
            sizes[c] = size > sizes[c] ? size : sizes[c];
            poison += 0.0 * size;
        }
    }
    if (isnan(poison)) {
        return false;
    }
    for (int c = 0; c < CN_BODY_NUMBERS; ++c) {
        double* most = &largest[cn_column_quantum(c)];
        *most = sizes[c] > *most ? sizes[c] : *most;
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

static uint32_t zigzag(uint32_t difference) {
    return difference << 1 ^ (0u - (difference >> 31));
}

// To the nearest integer, the even one of two: doubles of this size have no fraction.
#define WHOLE_DOUBLE 0x1.8p52

static void integers_of(const CnFrameBody* body, const double inverse[CN_BODY_NUMBERS],
                        uint32_t integers[CN_BODY_COLUMNS]) {
    for (int k = 0; k < CN_BODY_NUMBERS; ++k) {
        double whole = body->numbers[k] * inverse[k] + WHOLE_DOUBLE - WHOLE_DOUBLE;
        integers[k] = (uint32_t)(int32_t)whole;
    }
    integers[CN_BODY_NUMBERS] = (uint32_t)body->island;
}

// Where the integers of a body in a frame go: planes of `count` numbers, its first column at
// `place`, each next one `stride` further.
typedef struct BodyPlanes {
    unsigned char* planes;
    size_t count, place, stride;
} BodyPlanes;

static void put_body(const CnFrameBody* body, const double inverse[CN_BODY_NUMBERS],
                     uint32_t before[CN_BODY_COLUMNS], const BodyPlanes* at) {
    uint32_t now[CN_BODY_COLUMNS];
    integers_of(body, inverse, now);
    for (size_t column = 0; column < CN_BODY_COLUMNS; ++column) {
        if (now[column] != before[column]) {
            cn_plane_set(at->planes, at->count, at->place + column * at->stride,
                         zigzag(now[column] - before[column]));
            before[column] = now[column];
        }
    }
}

// Neighbours in a frame are neighbours in memory, and their planes are few.
#define BODIES_AT_ONCE 16

// Most numbers of bodies at rest do not change: zeros are there already.
static void put_bodies(const CnFrameBlock* block, CnBytes* out) {
    size_t frames = (size_t)block->frames.count, bodies = (size_t)block->body_count;
    size_t count = CN_BODY_COLUMNS * bodies * frames;
    unsigned char* planes = cn_bytes_extend(out, 4 * count);
    double inverse[CN_BODY_NUMBERS];
    for (int k = 0; k < CN_BODY_NUMBERS; ++k) {
        inverse[k] = 1.0 / block->quanta[cn_column_quantum(k)];
    }
    if (planes != NULL && count > 0) {
        memset(planes, 0, 4 * count);
    }
    for (size_t b = 0; b < bodies && planes != NULL; b += BODIES_AT_ONCE) {
        uint32_t before[BODIES_AT_ONCE][CN_BODY_COLUMNS] = {{0}};
        size_t some = bodies - b < BODIES_AT_ONCE ? bodies - b : BODIES_AT_ONCE;
        for (size_t f = 0; f < frames; ++f) {
            for (size_t k = 0; k < some; ++k) {
                put_body(&block->bodies.data[f * bodies + b + k], inverse, before[k],
                         &(BodyPlanes){planes, count, (b + k) * frames + f, bodies * frames});
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
                cn_plane_set(planes, count, at++, bits_of(joint->numbers[column]));
            }
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
    cn_bytes_put_u32(out, (uint32_t)block->codes.sources.count);
}

static void put_header(const CnFrameBlock* block, CnBytes* out) {
    Counts n = counts_of(block);
    const size_t words[COUNT_WORDS] = {n.frames,
                                       n.bodies,
                                       n.joints,
                                       n.scalars,
                                       n.contacts.contacts,
                                       n.contacts.fresh,
                                       (size_t)block->contact_every};
    for (int i = 0; i < COUNT_WORDS; ++i) {
        cn_bytes_put_u32(out, (uint32_t)words[i]);
    }
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        cn_bytes_put_u32(out, (uint32_t)n.contacts.changes[k]);
    }
    cn_bytes_put(out, block->quanta, sizeof block->quanta);
}

CnStatus cn_frame_block_encode(CnFrameBlock* block, const double quanta[CN_QUANTA], CnBytes* out,
                               CnError* error) {
    Counts counts = counts_of(block);
    if (!choose_quanta(block, quanta)) {
        return cn_error_set(error, CN_INVALID, "a body's pose or velocity is not finite");
    }
    cn_bytes_reserve(out, out->size + size_of(&counts));
    put_header(block, out);
    put_heads(block, out);
    put_bodies(block, out);
    put_joints(block, out);
    cn_contact_codes_put(&block->codes, out);
    put_flags(block, out);
    return out->failed ? cn_error_set(error, CN_NO_MEMORY, "no memory for frames") : CN_OK;
}

CnStatus cn_frame_block_recode(CnFrameBlock* block, const CnFramePrecision* precision, CnBytes* out,
                               CnError* error) {
    double quanta[CN_QUANTA];
    bool ok = true;
    for (int i = 0; i < CN_QUANTA; ++i) {
        quanta[i] = fmax(precision->quanta[i], block->quanta[i]); // finer ones would be made up
    }
    cn_contact_codes_clear(&block->codes);
    // A recording that has fewer already keeps those it has.
    int every =
        block->contact_every > 1 || precision->contact_every < 1 ? 1 : precision->contact_every;
    for (int f = 0; f < block->frames.count && ok; ++f) {
        const uint32_t* start = block->starts.data + f - f % every; // of the frame that is kept
        block->frames.data[f].contact_start = (uint32_t)block->codes.sources.count;
        ok = cn_contact_codes_set(&block->codes, block->contacts.data + start[0],
                                  (int)(start[1] - start[0])) &&
             cn_contact_codes_add(&block->codes, &precision->contacts);
    }
    block->contact_every = every > 1 ? every : block->contact_every;
    return ok ? cn_frame_block_encode(block, quanta, out, error)
              : cn_error_set(error, CN_NO_MEMORY, "no memory for frames");
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
    *counts = (Counts){read_u32(raw),
                       read_u32(raw + 4),
                       read_u32(raw + 8),
                       read_u32(raw + 12),
                       {read_u32(raw + 16), read_u32(raw + 20), {0}}};
    // No section may be larger than all: then nothing below overflows.
    size_t limit = size;
    bool fits = counts->contacts.contacts <= limit && counts->contacts.fresh <= limit;
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        counts->contacts.changes[k] = read_u32(raw + 4 * (COUNT_WORDS + k));
        fits = fits && counts->contacts.changes[k] <= limit;
    }
    return fits && counts->frames >= 1 && counts->frames <= limit && counts->bodies <= limit &&
           counts->joints <= limit && counts->scalars <= limit &&
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
        !cn_array_reserve(&block->contacts, allocator, (int)n->contacts.contacts) ||
        !cn_array_reserve(&block->starts, allocator, frames + 1) ||
        !cn_array_reserve(&block->body_hashes, allocator, block->body_count)) {
        return false;
    }
    block->frames.count = frames;
    block->scalars.count = frames * block->scalar_count;
    block->bodies.count = frames * block->body_count;
    block->joints.count = frames * block->joint_count;
    block->contacts.count = (int)n->contacts.contacts;
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
        if (heads[f].contact_start < before || heads[f].contact_start > n->contacts.contacts) {
            return false;
        }
        block->starts.data[f] = before = heads[f].contact_start;
    }
    take(at, &last, sizeof last);
    block->starts.data[n->frames] = last;
    return heads[0].contact_start == 0 && last == n->contacts.contacts;
}

static void take_bodies(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    size_t count = CN_BODY_COLUMNS * n->bodies * n->frames, i = 0;
    for (int column = 0; column < CN_BODY_COLUMNS; ++column) {
        for (size_t b = 0; b < n->bodies; ++b) {
            uint32_t now = 0;
            for (size_t f = 0; f < n->frames; ++f) {
                uint32_t z = cn_plane_get(*at, count, i++);
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
                    float_of(cn_plane_get(*at, count, i++));
            }
        }
    }
    *at += 4 * count;
}

static bool take_contacts(CnFrameBlock* block, const Counts* n, const unsigned char** at) {
    const unsigned char* bytes = *at;
    *at += cn_contact_counts_size(&n->contacts);
    return cn_contact_codes_take(bytes, &n->contacts, block->starts.data, (int)n->frames,
                                 block->body_count, block->contacts.data);
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
    uint32_t every = read_u32(raw + CONTACT_EVERY_WORD * sizeof(uint32_t));
    block->contact_every = (int)every;
    bool ok =
        are_quanta(block->quanta) && every <= MOST_CONTACT_EVERY && take_heads(block, &counts, &at);
    if (ok) {
        take_bodies(block, &counts, &at);
        take_joints(block, &counts, &at);
        ok = take_contacts(block, &counts, &at);
        take_flags(block, &counts, &at);
    }
    return ok ? CN_OK : cn_error_set(error, CN_INVALID, "the frames contradict themselves");
}
