// frame_block.h - the frames of one chunk, as they are gathered and as they are stored.
#pragma once

#include "io/recording/chunk.h"
#include "io/recording/contact_codes.h"

#define CN_BODY_COLUMNS 14 // position, rotation, velocity, angular velocity, island
#define CN_BODY_NUMBERS 13 // of these: in quanta
#define CN_JOINT_COLUMNS 6

enum { CN_QUANTUM_POSITION, CN_QUANTUM_ROTATION, CN_QUANTUM_VELOCITY, CN_QUANTUM_SPIN };
#define CN_QUANTA 4

#define CN_FLAG_ASLEEP 1u // of bodies
#define CN_FLAG_BROKEN 1u // of joints
#define CN_FLAG_DISABLED 2u

// Which of the quanta a body column counts in.
int cn_column_quantum(int column);

// A body in a frame.
typedef struct CnFrameBody {
    double numbers[CN_BODY_NUMBERS];
    int32_t island;
    uint8_t flags;
} CnFrameBody;

typedef struct CnFrameJoint {
    float numbers[CN_JOINT_COLUMNS];
    uint8_t flags;
} CnFrameJoint;

// Of every frame.
typedef struct CnFrameHead {
    double time; // [s]
    uint64_t step, hash;
    uint32_t worst_name;
    uint32_t contact_start;
} CnFrameHead;

// How exactly frames are kept: half of a quantum is the error.
typedef struct CnFramePrecision {
    double quanta[CN_QUANTA]; // of bodies
    CnContactPrecision contacts;
    int contact_every; // contacts are those of every so many frames; 0, 1: of all
} CnFramePrecision;

typedef struct CnFrameBlock {
    CnAllocator allocator;
    int body_count, joint_count, scalar_count;
    int contact_every; // contacts are those of every so many frames; 0: of all
    double quanta[CN_QUANTA];
    CN_ARRAY(CnFrameHead) frames;
    CN_ARRAY(double) scalars;         // [frames.count][scalar_count]
    CN_ARRAY(CnFrameBody) bodies;     // [frames.count][body_count]
    CN_ARRAY(CnFrameJoint) joints;    // [frames.count][joint_count]
    CnContactCodes codes;             // writing: the contacts of all frames
    CN_ARRAY(CnContactLoad) contacts; // reading: the same
    CN_ARRAY(uint32_t) starts;        // reading: of the contacts of each frame   [frames.count + 1]
    CN_ARRAY(uint32_t) body_hashes;   // of the last frame   [body_count]
} CnFrameBlock;

void cn_frame_block_init(CnFrameBlock* block, const CnAllocator* allocator);
void cn_frame_block_destroy(CnFrameBlock* block);
void cn_frame_block_clear(CnFrameBlock* block); // keeps the memory

// Bytes that the frames take when they are read: what limits a chunk.
size_t cn_frame_block_size(const CnFrameBlock* block);

// The raw bytes of FRMS. quanta: those of HEAD; the block's become what was used. CN_NO_MEMORY, or
// CN_INVALID when a number is not finite.
CnStatus cn_frame_block_encode(CnFrameBlock* block, const double quanta[CN_QUANTA], CnBytes* out,
                               CnError* error);

// The same frames, which were read, with another precision. CN_NO_MEMORY.
CnStatus cn_frame_block_recode(CnFrameBlock* block, const CnFramePrecision* precision, CnBytes* out,
                               CnError* error);

// Reads only how many frames there are and when, and whether sizes fit: true, with *frames and
// where their times begin.
bool cn_frame_block_look(const unsigned char* raw, size_t size, int body_count, int joint_count,
                         int scalar_count, int* frames, const unsigned char** times);

// The other way; the counts of the block say what is expected. CN_INVALID: the bytes do not fit.
CnStatus cn_frame_block_decode(CnFrameBlock* block, const unsigned char* raw, size_t size,
                               CnError* error);
