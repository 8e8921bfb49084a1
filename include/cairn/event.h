// event.h - what happened in the last step: who met whom, who parted, who is in a sensor.
//
//     CnEvent events[64];
//     int count = cn_world_events(world, events, 64);
//
// Events are those of the last cn_world_step() that succeeded, all its substeps together, in a
// fixed order: by type; contacts found by collision before those given by hand; by the
// indices in the ids of shapes (contacts given by hand: of contacts; sleep and wake: of bodies); by
// time. They never depend on threads.
//
// Two shapes touch from the substep on in which a contact point between them carries an impulse or
// has no gap left at the end, as long as one carries an impulse or is nearer than contact_margin at
// the end. Beginning and ending differ so that things at rest against each other, whose gap is zero
// give or take round-off, touch once and for all. docs/manual/events.md.
#pragma once

#include "cairn/joint.h"
#include "cairn/world.h"

typedef enum CnEventType {
    CN_EVENT_CONTACT_BEGIN, // two shapes touch that did not before
    CN_EVENT_CONTACT_END,   // they no longer do, or one of them is gone
    CN_EVENT_CONTACT_HIT,   // they met faster than the world's hit_speed
    CN_EVENT_SENSOR_BEGIN,  // shape_b overlaps the sensor shape_a and did not before
    CN_EVENT_SENSOR_END,    // it no longer does, or one of them is gone
    CN_EVENT_JOINT_BROKE,   // a joint carried more than its strength, and acts no more
    CN_EVENT_SLEEP,         // body_a fell asleep, with its island
    CN_EVENT_WAKE,          // body_a woke
    CN_EVENT_TYPE_COUNT
} CnEventType;

// "contact_begin", ...
CN_API const char* cn_event_type_name(CnEventType type);

typedef struct CnEvent {
    CnEventType type;
    double time;                // at the end of the substep that saw it [s]
    CnBodyId body_a, body_b;    // none: the immovable world; may be stale by now in an end
    CnShapeId shape_a, shape_b; // of the bodies; none: contacts given by hand, joints. May be stale
    CnContactId contact;        // given by hand; none: found by collision. May be stale in an end
    CnJointId joint;            // the one that broke
    CnVec3 point;               // contacts that begin or hit: the deepest point, world [m]; joints:
                                // their point on A
    CnVec3 normal;              // contacts that begin or hit: unit, from A to B
    double speed;               // hit: at which they approached, before the impact, in single
                                // precision [m/s]; else 0
    double impulse;             // hit: normal impulse of all points over the step, up to the pair's
                                // next hit if it has one in the same step [N s]; broke: that of the
                                // joint's force over the step; else 0
} CnEvent;

// The count is all of them; at most capacity are written.
CN_API int cn_world_events(const CnWorld* world, CnEvent* events, int capacity);

// The bodies with a shape in a sensor after the last step, in the order of shapes; those removed
// since are left out. Returns how many there are, -1 when there is no such sensor; at most capacity
// are written.
CN_API int cn_world_sensor_overlaps(const CnWorld* world, CnShapeId sensor, CnBodyId* bodies,
                                    int capacity);
