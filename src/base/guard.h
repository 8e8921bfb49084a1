// guard.h - the number that tells a def made by its default function from one that was not.
#pragma once

#define CN_DEF_GUARD 0x4341524eu // "CARN"
