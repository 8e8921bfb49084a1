// event.h - what happened in the last step: who met whom, who parted, who broke.
//
//     CnEvent events[64];
//     int count = cn_world_events(world, events, 64);
//
// Events are those of the last cn_world_step(), all its substeps together, in a fixed order: by
// type, then by bodies and shapes in the order of creation. They never depend on threads.
#pragma once

#include "cairn/world.h"

typedef enum CnEventType {
    CN_EVENT_CONTACT_BEGIN, // two shapes touch that did not before the step
    CN_EVENT_CONTACT_END,   // they no longer do, or one of them is gone
    CN_EVENT_CONTACT_HIT,   // they met faster than the world's hit_speed
    CN_EVENT_SENSOR_BEGIN,  // shape_b overlaps the sensor shape_a and did not before
    CN_EVENT_SENSOR_END,    // it no longer does, or one of them is gone
    CN_EVENT_TYPE_COUNT
} CnEventType;

// "contact_begin", ...
CN_API const char* cn_event_type_name(CnEventType type);

typedef struct CnEvent {
    CnEventType type;
    double time;             // at the end of the step or substep that saw it [s]
    CnBodyId body_a, body_b; // may be stale by now in an end
    int shape_a, shape_b;    // which of the bodies' shapes
    CnVec3 point;            // contacts that begin or hit: the deepest point, world [m]
    CnVec3 normal;           // idem: unit, from A to B
    double speed;            // hit: at which they approached, before the impact [m/s]; else 0
    double impulse;          // hit: normal impulse of all points together [N s]; else 0
} CnEvent;

// The count is all of them; at most capacity are written.
CN_API int cn_world_events(const CnWorld* world, CnEvent* events, int capacity);
