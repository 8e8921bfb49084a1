// structure.h - what a world is made of, as digests: whether a state fits.
#pragma once

#include "world/state/stream.h"

typedef enum CnStructureGroup {
    CN_STRUCTURE_BODIES,
    CN_STRUCTURE_SHAPES,
    CN_STRUCTURE_MATERIALS,
    CN_STRUCTURE_SERIES,
    CN_STRUCTURE_FORCES,
    CN_STRUCTURE_CONTACTS, // given by hand
    CN_STRUCTURE_JOINTS,
    CN_STRUCTURE_CONSTRAINTS, // that are no parts of joints
    CN_STRUCTURE_GROUP_COUNT
} CnStructureGroup;

typedef struct CnStructure {
    int count[CN_STRUCTURE_GROUP_COUNT];
    uint64_t digest[CN_STRUCTURE_GROUP_COUNT];
    bool has_filter, has_material; // contact hooks of the user's
    bool has_policy;               // of the warm start
} CnStructure;

CnStructure cn_structure_of(const CnWorld* world);
void cn_stream_structure(CnStateStream* stream, CnStructure* structure);

// CN_INVALID, with a sentence: a state of the one does not fit into a world of the other.
CnStatus cn_structure_compare(const CnStructure* state, const CnStructure* world, CnError* error);
