// Interner: one value to stand for all strings of equal content.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "ckpt_convert/formats/pickle/pointer_map.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

class Interner {
public:
    // The first string seen with this content; any other value is its own. Looks at the text of a value only once, so
    // that a long string referred to very often costs no more than a short one.
    Ref canonical(Ref value) {
        const std::string* text = value->as<std::string>();
        if (text == nullptr) return value;
        auto [known, is_new] = by_value_.insert(value, value);
        if (is_new) *known = by_text_.try_emplace(*text, value).first->second;
        return *known;
    }

private:
    // The views are of strings in an Arena, which stay where they are.
    PointerMap<Ref> by_value_;
    std::unordered_map<std::string_view, Ref> by_text_;
};

}  // namespace ckpt::pickle
