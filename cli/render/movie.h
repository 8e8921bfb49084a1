// movie.h - pictures as a film, through the program ffmpeg.
#pragma once

#include "cairn/base.h"

#include <stdint.h>

typedef struct Movie Movie;

// The ending of path says the format: .mp4 or .gif. NULL: ffmpeg is missing or does not start.
Movie* movie_open(const char* path, int width, int height, double frame_rate, CnError* error);
bool movie_add(Movie* movie, const uint8_t* rgb, CnError* error);
// Waits until the file is whole. False: ffmpeg failed; there is no file then.
bool movie_close(Movie* movie, CnError* error);
