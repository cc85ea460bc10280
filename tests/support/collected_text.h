// What a source of text gives, as one text.
#pragma once

#include <string>

#include "base/text_sink.h"

namespace test {

inline std::string collected(const base::TextSource& text) {
    std::string out;
    text([&](std::string_view part) { out += part; });
    return out;
}

}  // namespace test
