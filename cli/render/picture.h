// picture.h - a picture while it is drawn: colours and depths, finer than the file it becomes.
#pragma once

#include "cairn/math.h"

#include <stdint.h>

#define SAMPLES 2 // per pixel, across and down: edges are smooth

typedef struct Tint {
    float r, g, b; // 0 to 1, as on the screen
} Tint;

typedef struct Picture {
    int width, height; // of the file [pixels]
    int wide, high;    // of the arrays: SAMPLES times as many
    Tint* tint;        // [high][wide]
    float* depth;      // distance along the view [m]; infinity: nothing is there   [high][wide]
} Picture;

bool picture_create(Picture* picture, int width, int height); // false: no memory
void picture_destroy(Picture* picture);

// A vertical gradient, and nothing in front of it.
void picture_clear(Picture* picture, Tint top, Tint bottom);

// The mean of the samples of each pixel: rgb [height][width][3].
void picture_reduce(const Picture* picture, uint8_t* rgb);

// Dark text from (x, y) on [pixels of the file]; size: pixels to a dot.
void picture_text(uint8_t* rgb, int width, int height, int x, int y, int size, const char* text);

#define TEXT_WIDTH 6 // of a letter with the gap behind it [dots]
#define TEXT_HEIGHT 7

static inline Tint tint_mix(Tint a, Tint b, float share) {
    return (Tint){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b)};
}
