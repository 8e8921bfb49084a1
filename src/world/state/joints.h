// joints.h - joints and constraints of a world, with their parts, to and from bytes.
#pragma once

#include "world/state/memory.h"

// All that steps and calls change of them. Reading: parts of axes that the world has not are made,
// those that the state has not are dropped.
void cn_stream_joints(CnStateStream* stream, CnWorld* world);
