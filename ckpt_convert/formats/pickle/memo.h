// Memo: the numbered values of a pickle under construction.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// Numbers that grow by one, as all writers give them, go into a vector; wild ones into a map, so that a large number
// does not cost memory.
class Memo {
public:
    void put(std::uint64_t number, Value* value) {
        if (number < dense_.size()) {
            dense_[number] = value;
        } else if (number == dense_.size()) {
            dense_.push_back(value);
            sparse_.erase(number);
        } else {
            sparse_[number] = value;
        }
    }

    // nullptr when there is none.
    Value* get(std::uint64_t number) const {
        if (number < dense_.size()) return dense_[number];
        auto found = sparse_.find(number);
        return found == sparse_.end() ? nullptr : found->second;
    }

    std::uint64_t size() const { return dense_.size() + sparse_.size(); }

private:
    std::vector<Value*> dense_;
    std::unordered_map<std::uint64_t, Value*> sparse_;
};

}  // namespace ckpt::pickle
