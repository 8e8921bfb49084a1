// console.h - words for people on stderr; data has stdout to itself.
#pragma once

#include "cairn/base.h"
#include "command.h"

#include <stdio.h>

typedef struct Console {
    const char* command; // starts every message; "" for the program itself
    bool json;           // data goes out as JSON
    bool quiet;          // errors only
} Console;

typedef enum Color { COLOR_RED, COLOR_GREEN } Color;

// Escape sequences that start and end a colour; "" unless the stream is a terminal that wants it
// (NO_COLOR is not set, TERM is not "dumb").
const char* console_color(FILE* stream, Color color);
const char* console_plain(FILE* stream);

// "cairn run: error: ..." An error is shown even when quiet.
__attribute__((format(printf, 2, 3))) void console_error(const Console* console, const char* format,
                                                         ...);
__attribute__((format(printf, 2, 3))) void console_note(const Console* console, const char* format,
                                                        ...);

// Shows a failure of the library, and says which exit code it deserves.
ExitCode console_fail(const Console* console, const CnError* error);

// A world's remarks become notes; context is the Console.
CnLog console_log(Console* console);

// Seconds on a clock that never goes back.
double console_clock(void);
