// test_memory.c - the allocator hook is called safely.
#include "base/memory.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <string.h>

static bool is_zero(const unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void memory_is_zeroed_and_aligned_to_32_bytes(void) {
    FailingAllocator state = {0};
    CnAllocator custom = failing_allocator(&state), zeroed = {0};
    const CnAllocator* allocators[] = {&custom, &zeroed, NULL};

    for (int i = 0; i < 3; ++i) {
        for (size_t size = 1; size < 200; ++size) {
            unsigned char* memory = cn_allocate(allocators[i], 1, size);
            CHECK(memory != NULL);
            CHECK_INT((uintptr_t)memory % 64, 0);
            CHECK(is_zero(memory, size));
            cn_release(allocators[i], memory);
        }
    }
    CHECK_INT(state.requests, 199);
    CHECK_INT(state.live, 0);
}

// Sizes around 2 MB, from where large pages are asked for.
static void large_blocks_are_zeroed_aligned_and_whole(void) {
    const size_t page = (size_t)2 << 20;
    const size_t sizes[] = {page - 1, page, page + 1, 3 * page - 64, 3 * page + 64};
    for (int i = 0; i < 5; ++i) {
        unsigned char* memory = cn_allocate(NULL, 1, sizes[i]);
        CHECK(memory != NULL);
        CHECK_INT((uintptr_t)memory % 64, 0);
        CHECK(is_zero(memory, sizes[i]));
        memset(memory, 0xff, sizes[i]); // all of it can be written
        cn_release(NULL, memory);
    }
}

// For allocators that call it: any alignment that is a power of two, any size.
static void the_default_allocator_can_be_called(void) {
    CnAllocator source = cn_allocator_default();
    const size_t sizes[] = {1, 100, 4097, ((size_t)2 << 20) + 5};
    for (int i = 0; i < 4; ++i) {
        for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
            unsigned char* memory = source.allocate(sizes[i], alignment, source.context);
            CHECK(memory != NULL && (uintptr_t)memory % alignment == 0);
            memset(memory, 0xff, sizes[i]);
            source.release(memory, source.context);
        }
    }
}

static void a_text_of_fifteen_letters_takes_16_bytes(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    char* text = cn_allocate_text(&allocator, 16);
    CHECK(text != NULL && (uintptr_t)text % CN_TEXT_ALIGNMENT == 0);
    memset(text, 'a', 16);
    cn_release(&allocator, text);
    CHECK_INT(state.live, 0);
    CHECK(cn_allocate_text(&allocator, SIZE_MAX) == NULL); // rounding up would wrap
    CHECK_INT(state.requests, 1);
}

static void zero_elements_are_still_a_valid_pointer(void) {
    void* none = cn_allocate(NULL, 0, 8);
    void* empty = cn_allocate(NULL, 8, 0);
    CHECK(none != NULL && empty != NULL);
    cn_release(NULL, none);
    cn_release(NULL, empty);
}

static void a_size_that_overflows_is_refused_without_asking(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CHECK(cn_allocate(&allocator, SIZE_MAX / 4, 8) == NULL);
    CHECK(cn_allocate(&allocator, 1, SIZE_MAX) == NULL); // rounding up would wrap
    CHECK_INT(state.requests, 0);
}

static void a_refusal_is_passed_on_and_null_is_released_quietly(void) {
    FailingAllocator state = {.refuse_at = 1};
    CnAllocator allocator = failing_allocator(&state);
    CHECK(cn_allocate(&allocator, 1, 8) == NULL);
    cn_release(&allocator, NULL);
    CHECK_INT(state.live, 0);
}

TEST_MAIN("base/memory", TEST(memory_is_zeroed_and_aligned_to_32_bytes),
          TEST(large_blocks_are_zeroed_aligned_and_whole),
          TEST(the_default_allocator_can_be_called), TEST(a_text_of_fifteen_letters_takes_16_bytes),
          TEST(zero_elements_are_still_a_valid_pointer),
          TEST(a_size_that_overflows_is_refused_without_asking),
          TEST(a_refusal_is_passed_on_and_null_is_released_quietly))
