#include "migrator/syntax/parse_memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <tree_sitter/api.h>

namespace migrator {
namespace {

constexpr std::size_t kUnit = 16;     // sizes are rounded up to it, and blocks begin at multiples of it
constexpr std::size_t kClasses = 64;  // blocks of up to 63 units are pooled
constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::size_t kChunksKept = 16;  // for the next file

// In front of every block: how many units it has, 0 for one that is not pooled, which has its size behind it.
struct alignas(kUnit) Header {
    std::uint64_t units;
    std::uint64_t bytes;
};

struct FreeBlock {
    FreeBlock* next;
};

class Pool {
public:
    void* allocate(std::size_t bytes) {
        note(bytes);
        const std::size_t units = std::max<std::size_t>(1, (bytes + kUnit - 1) / kUnit);
        if (units >= kClasses) return with_header(std::malloc(sizeof(Header) + bytes), {0, bytes});
        if (FreeBlock* block = free_[units]) {
            free_[units] = block->next;
            return block;
        }
        const std::size_t whole = sizeof(Header) + units * kUnit;
        if (static_cast<std::size_t>(end_ - at_) < whole && !next_chunk()) return nullptr;
        char* block = at_;
        at_ += whole;
        return with_header(block, {units, bytes});
    }

    void release(void* memory) {
        Header* header = header_of(memory);
        if (header->units == 0) {
            std::free(header);
            return;
        }
        auto* block = static_cast<FreeBlock*>(memory);
        block->next = free_[header->units];
        free_[header->units] = block;
    }

    static std::size_t room(void* memory) {
        const Header* header = header_of(memory);
        return header->units == 0 ? header->bytes : header->units * kUnit;
    }

    void note(std::size_t bytes) { asked_for_ += bytes; }
    std::uint64_t asked_for() const { return asked_for_; }

    // No block is in use any more.
    void reset() {
        if (chunks_.size() > kChunksKept) chunks_.resize(kChunksKept);
        free_.fill(nullptr);
        used_ = 0;
        asked_for_ = 0;
        at_ = end_ = nullptr;
    }

private:
    static Header* header_of(void* memory) { return static_cast<Header*>(memory) - 1; }

    static void* with_header(void* block, Header header) {
        if (block == nullptr) return nullptr;
        *static_cast<Header*>(block) = header;
        return static_cast<Header*>(block) + 1;
    }

    bool next_chunk() {
        if (used_ == chunks_.size()) {
            ChunkPtr chunk(static_cast<char*>(std::malloc(kChunkBytes)));
            if (chunk == nullptr) return false;
            chunks_.push_back(std::move(chunk));
        }
        at_ = chunks_[used_++].get();
        end_ = at_ + kChunkBytes;
        return true;
    }

    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    using ChunkPtr = std::unique_ptr<char, Free>;

    std::vector<ChunkPtr> chunks_;
    std::size_t used_ = 0;
    std::uint64_t asked_for_ = 0;
    char* at_ = nullptr;
    char* end_ = nullptr;
    std::array<FreeBlock*, kClasses> free_{};
};

Pool& pool() {
    thread_local Pool mine;
    return mine;
}

// tree-sitter does not look at what it gets. Its C is compiled so that exceptions may pass through it.
void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* pool_malloc(std::size_t bytes) { return checked(pool().allocate(bytes)); }

void* pool_calloc(std::size_t count, std::size_t size) {
    if (size != 0 && count > SIZE_MAX / size) throw std::bad_alloc();
    return std::memset(pool_malloc(count * size), 0, count * size);
}

void pool_free(void* memory) {
    if (memory != nullptr) pool().release(memory);
}

void* pool_realloc(void* memory, std::size_t bytes) {
    if (memory == nullptr) return pool_malloc(bytes);
    const std::size_t room = Pool::room(memory);
    if (bytes <= room) return pool().note(bytes), memory;
    void* moved = pool_malloc(bytes);
    std::memcpy(moved, memory, room);
    pool_free(memory);
    return moved;
}

}  // namespace

void use_parse_memory() {
    static const bool done = (ts_set_allocator(pool_malloc, pool_calloc, pool_realloc, pool_free), true);
    (void)done;
}

void reset_parse_memory() { pool().reset(); }

std::uint64_t parse_memory_asked_for() { return pool().asked_for(); }

}  // namespace migrator
