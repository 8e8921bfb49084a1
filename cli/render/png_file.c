// png_file.c - a picture as a PNG file.
#include "render/png_file.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

bool png_write(const char* path, const uint8_t* rgb, int width, int height, CnError* error) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    char part[4096];
    bool fits = snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part;
    bool ok = fits && png_image_write_to_file(&image, part, 0, rgb, 0, NULL) != 0 &&
              rename(part, path) == 0;
    if (!ok) {
        remove(part);
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message, "%s cannot be written%s%s", path,
                 image.message[0] != 0 ? ": " : "", image.message);
    }
    return ok;
}
