// change.h - single values of a scene file that are replaced before it is loaded.
#pragma once

#include "io/text/json.h"

// "bodies.block.mass=2": elements of arrays by name or index, members of objects by key. A key that
// is not there is added; whether the scene has such a key is for the loader to say. The value is
// JSON, or else a string. False after an error was reported.
bool cn_json_change(const CnJson* top, const char* change, CnArena* arena, CnErrorList* errors);
