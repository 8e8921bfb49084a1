// stress.h - what the stress programs have in common: seeds, time, and who hangs.
#pragma once

#include "session.h"

// PROGRAM SEED COUNT [SECONDS]: COUNT seeds from SEED on; with SECONDS as many as fit. run_seed
// gives the number of findings. Ends with a line that counts; returns 1 when something was found.
int stress_main(int argc, char** argv, int (*run_seed)(uint64_t seed));

// A call of this session begins; NULL: it is over. What hangs, fails an assert or offends a
// sanitizer is told by seed and call before the program ends.
void stress_watch(const Session* session);
