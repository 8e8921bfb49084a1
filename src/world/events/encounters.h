// encounters.h - which shapes met in a substep, in the order of their keys.
#pragma once

#include "world/world.h"

// Two shapes that met in this substep.
typedef struct CnEncounter {
    CnTouch touch;
    bool is_touching; // whatever was before; else only if they touched already
    CnVec3 point, normal;
    double gap;     // of that point [m]
    double speed;   // the fastest approach of a point that carries an impulse [m/s]
    double impulse; // normal, of all points [N s]
} CnEncounter;

// Contacts of a list, those of one pair after the other.
typedef struct CnContactStream {
    const CnContactArray* contacts;
    int next, end;
} CnContactStream;

// Where encounters come from: contacts of the solve and at the end of the substep, or overlaps.
typedef struct CnEncounterSource CnEncounterSource;
struct CnEncounterSource {
    const CnWorld* world;
    bool (*next)(CnEncounterSource* source,
                 CnEncounter* encounter); // in the order of keys; false: no more
    CnContactStream solved, last;
    const CnTouchArray* overlaps;
    int next_overlap;
};

// Negative, 0 or positive: the order of touches.
int cn_touch_compare(const uint64_t a[2], const uint64_t b[2]);

// For CnEncounterSource.next.
bool cn_encounter_next_contact(CnEncounterSource* source, CnEncounter* encounter);
bool cn_encounter_next_overlap(CnEncounterSource* source, CnEncounter* encounter);

// What is in the sensors where bodies are now. CN_OK or CN_NO_MEMORY.
CnStatus cn_encounter_find_overlaps(CnWorld* world, CnTouchArray* overlaps);
