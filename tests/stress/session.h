// session.h - one world that gets random calls, and what was found wrong with it.
#pragma once

#include "cairn/cairn.h"
#include "dice.h"
#include "support/failing_allocator.h"

#define SESSION_IDS 24

// Ids that were given out, removed or not: the latest of each kind.
#define ID_LIST(Id)                                                                                \
    struct {                                                                                       \
        Id ids[SESSION_IDS];                                                                       \
        int count; /* given out so far */                                                          \
    }

typedef enum CallResult {
    CALL_DONE,   // changed the world
    CALL_FAILED, // was refused: nothing may have changed
    CALL_READ,   // asked: nothing may have changed
} CallResult;

typedef struct Session {
    uint64_t seed;
    int operation;
    const char* call; // the one that is being made
    double hostility;
    CnStepDef step;
    Dice dice; // of this operation
    FailingAllocator memory;
    bool refusing; // memory may run out
    CnTaskPool* pool;
    CnWorld* world;
    ID_LIST(CnMaterialId) materials;
    ID_LIST(CnSeriesId) series;
    ID_LIST(CnBodyId) bodies;
    ID_LIST(CnForceId) forces;
    ID_LIST(CnContactId) contacts;
    ID_LIST(CnConstraintId) constraints;
    ID_LIST(CnJointId) joints;
    ID_LIST(CnShapeId) shapes;
    ID_LIST(CnGeometryId) geometries;
    int findings;
} Session;

void session_prepare(Session* session, uint64_t seed);

// Its world, with settings drawn from the seed. False: refused, which hostile settings may be.
bool session_create(Session* session, int threads);

// Frees everything; memory that is left over is a finding.
void session_end(Session* session);

// Says what is wrong, with what it takes to see it again.
void session_find(Session* session, const char* format, ...) __attribute__((format(printf, 2, 3)));

// A file that only this process has, in TMPDIR or /tmp; path [size].
void session_path(const char* name, char* path, size_t size);

// Ids to ask for: one of the list, which may be stale; now and then none, or one never given out.
CnMaterialId session_material(Session* session);
CnSeriesId session_series(Session* session);
CnBodyId session_body(Session* session);
CnForceId session_force(Session* session);
CnContactId session_contact(Session* session);
CnConstraintId session_constraint(Session* session);
CnJointId session_joint(Session* session);
CnShapeId session_shape(Session* session);
CnGeometryId session_geometry(Session* session);

#define SESSION_KEEP(list, id) ((list).ids[(list).count % SESSION_IDS] = (id), (list).count += 1)
