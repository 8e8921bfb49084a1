// interrupt.h - what Ctrl-C and SIGTERM do: finish the step first, and at once when asked again.
#pragma once

#include <stdbool.h>

// From here on SIGINT and SIGTERM end the program at once, with 128 + their number. Those that the
// program was started to ignore are still ignored.
void interrupt_watch(void);

// From here on the first of them only asks, and the second ends the program at once: for work whose
// files and reports are to be whole. Unless quiet a remark on stderr says so when it comes.
void interrupt_hold(bool quiet);

// Whether one has come since.
bool interrupt_asked(void);

// What the program ends with: 130 or 143 when one has come, else the given code.
int interrupt_code(int code);

// Around what must not be cut in the middle, such as a line of a file. Not to be nested.
void interrupt_block(void);
void interrupt_unblock(void);
