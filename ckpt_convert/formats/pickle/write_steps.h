// The steps by which a value is written, so that a walk over values keeps what is left to do in a vector, and depth
// costs memory and not the program's stack.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

struct WriteStep {
    enum class Kind {
        value,  // write `ref`
        text,   // opcodes, a view of a constant
        close,  // the parts of `node` that must exist before it are done
        store,  // `node` is complete: memoise it if it is used again
    };
    Kind kind = Kind::value;
    std::uint32_t node = 0;  // the walker's number of a value
    Ref ref = nullptr;
    std::string_view text;
};

// Puts the steps of a value made of others onto `todo`, the first one last. `node` is the number of `ref`. Nothing for
// other values.
void push_steps(std::vector<WriteStep>& todo, Ref ref, std::uint32_t node);

}  // namespace ckpt::pickle
