// ItemIndex: where the string keys of the mappings under construction stand, so that a repeated key is found in
// constant time.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ckpt_convert/formats/pickle/interner.h"
#include "ckpt_convert/formats/pickle/pointer_map.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

class ItemIndex {
public:
    using Items = std::vector<std::pair<Ref, Ref>>;

    // Appends the pair, or replaces the value of an equal string key, as a Python dict does.
    void set(Items& items, Ref key, Ref value) {
        // From here on equal strings are equal pointers.
        key = interner_.canonical(key);
        std::size_t at = key->as<std::string>() != nullptr ? position(items, key) : items.size();
        if (at < items.size()) {
            items[at].second = value;
        } else {
            items.emplace_back(key, value);
        }
    }

private:
    // Below this a scan is cheaper than a hash table, and most mappings stay below it.
    static constexpr std::size_t kScanned = 16;

    // Where the key stands; the size of `items`, where it is going to stand, when it is new.
    std::size_t position(const Items& items, Ref key) {
        if (items.size() < kScanned) {
            std::size_t at = 0;
            while (at < items.size() && items[at].first != key) ++at;
            return at;
        }
        auto [index, is_new] = by_mapping_.try_emplace(&items);
        if (is_new) {
            for (std::size_t i = 0; i < items.size(); ++i) index->second.insert(items[i].first, i);
        }
        return *index->second.insert(key, items.size()).first;
    }

    Interner interner_;
    // By the mappings' item vectors, which stay where they are inside an Arena.
    std::unordered_map<const Items*, PointerMap<std::size_t>> by_mapping_;
};

}  // namespace ckpt::pickle
