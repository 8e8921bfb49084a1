// fuzz.h - the entry point that libFuzzer and replay.c call with the bytes of one file.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A broken promise ends the program, in every build, so that libFuzzer keeps the input.
#define PROMISE(condition) ((condition) ? (void)0 : abort())
