// describe.h - tables of options as man pages and as completion for bash.
#pragma once

#include "terminal/options.h"

// What options_parse() does with the table of a command in place of parsing.
typedef struct Description {
    FILE* out;
    void (*write)(const struct Description* self, const Usage* usage, const Option* common,
                  int common_count);
} Description;

// One man page: cairn-run(1) and its like.
void describe_man_page(const Description* self, const Usage* usage, const Option* common,
                       int common_count);

// The cases of one command in the completion function.
void describe_completion(const Description* self, const Usage* usage, const Option* common,
                         int common_count);

// The page of the program itself, and what stands around the cases of completion.
void describe_main_page(FILE* out);
void describe_completion_begin(FILE* out);
void describe_completion_end(FILE* out);
