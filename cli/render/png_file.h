// png_file.h - a picture as a PNG file.
#pragma once

#include "cairn/base.h"

#include <stdint.h>

// rgb [height][width][3]. The file is written whole or not at all; equal pictures give equal bytes.
bool png_write(const char* path, const uint8_t* rgb, int width, int height, CnError* error);
