// TextSink: where a long text goes part by part, so that it never is in memory as a whole.
#pragma once

#include <functional>
#include <string_view>

namespace base {

using TextSink = std::function<void(std::string_view)>;
using TextSource = std::function<void(const TextSink&)>;  // gives its text, in any number of parts

}  // namespace base
