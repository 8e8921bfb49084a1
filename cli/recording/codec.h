// codec.h - the compressors that the program brings for recordings.
#pragma once

#include "cairn/recording.h"

// zstd, or zlib in a build without it.
CnCodec codec_for_writing(void);
// Takes longer and makes less: for what is written once and sent.
CnCodec codec_for_pages(void);

// A recording with all codecs at hand.
CnRecording* codec_open_recording(const char* path, CnError* error);
