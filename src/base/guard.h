// guard.h - marks defs that were made by their default function.
#pragma once

#define CN_DEF_GUARD 0x4341524eu // "CARN"
