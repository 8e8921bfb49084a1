// contact_codes.h - contacts of frames: only what changed since the frame before.
//
// A contact is matched with one of the frame before that has the same two bodies. Its numbers are
// rounded, read as integers in the order of floats, and those that differ are kept as differences:
// docs/recording.md, "Contacts". A stack at rest costs next to nothing, in time and in bytes.
#pragma once

#include "base/array.h"
#include "io/recording/bytes.h"
#include "world/contacts/contact_totals.h"

#define CN_CONTACT_COLUMNS CN_LOAD_NUMBERS // f32: point, normal, force, gap, friction, residual

// How far the numbers are rounded before they are compared.
typedef struct CnContactPrecision {
    double point, normal, gap; // multiples of the powers of two below these [m], [-], [m]
    double force;              // multiples of this share of the contact's largest component, or of
                               // FORCE_FLOOR of the largest of the frame; a power of two
    double residual_floor;     // smaller ones become 0 [m/s]; others keep 5 bits
} CnContactPrecision;

// The contacts of a frame as they are, and what they were rounded to: integers in the order of
// floats.
typedef CN_ARRAY(CnContactLoad) CnContactList;
typedef CN_ARRAY(int32_t) CnContactRows;
typedef struct CnContactFrame {
    CnContactList contacts;
    CnContactRows codes; // [contacts.count][CN_CONTACT_COLUMNS]
} CnContactFrame;

typedef struct CnContactCodes {
    CnAllocator allocator;
    CN_ARRAY(uint32_t) sources;                     // of each contact
    CN_ARRAY(uint16_t) masks;                       // which columns changed
    CN_ARRAY(uint32_t) bodies[2];                   // of contacts that are new
    CN_ARRAY(uint32_t) changes[CN_CONTACT_COLUMNS]; // of each column, for those that changed
    double force_floor;         // that forces of the last frame were rounded to at least [N]
    CnContactFrame before, now; // the last frame; the one being gathered
} CnContactCodes;

// How many of what a chunk holds besides contacts.
typedef struct CnContactCounts {
    size_t contacts, fresh; // fresh: have no source
    size_t changes[CN_CONTACT_COLUMNS];
} CnContactCounts;

void cn_contact_codes_init(CnContactCodes* codes, const CnAllocator* allocator);
void cn_contact_codes_destroy(CnContactCodes* codes);
void cn_contact_codes_clear(CnContactCodes* codes); // the next frame stands alone

// Copies contacts to now.contacts. False: no memory.
bool cn_contact_codes_set(CnContactCodes* codes, const CnContactLoad* contacts, int count);

// The contacts in now.contacts are those of the next frame; that array is empty afterwards. False:
// no memory.
bool cn_contact_codes_add(CnContactCodes* codes, const CnContactPrecision* precision);

CnContactCounts cn_contact_codes_counts(const CnContactCodes* codes);
size_t cn_contact_counts_size(const CnContactCounts* counts); // [bytes]
void cn_contact_codes_put(const CnContactCodes* codes, CnBytes* out);

// The other way: contacts [starts[frames]] of frames that begin at starts [frames + 1], from bytes
// of the size that the counts have. False: they contradict each other or name a body that does not
// exist.
bool cn_contact_codes_take(const unsigned char* bytes, const CnContactCounts* counts,
                           const uint32_t* starts, int frames, int body_count,
                           CnContactLoad* contacts);
