// choices.h - the names the library gives its solvers, schemes and others, as choices of options.
#pragma once

// Each returns NULL after the last name.
const char* choice_solver(int index);
const char* choice_scheme(int index);
const char* choice_stabilisation(int index);
const char* choice_measure(int index);
const char* choice_friction(int index);

// The index of a name among choices, -1 when it is none of them.
int choice_find(const char* (*choice)(int index), const char* name);
