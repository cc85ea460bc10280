#include "ckpt_convert/formats/quoted_name.h"

#include <cstddef>

#include "base/json_writer.h"

namespace ckpt {
namespace {

constexpr std::size_t kMaxPrintedBytes = 200;

}  // namespace

std::string quoted_name(std::string_view name) {
    bool cut = name.size() > kMaxPrintedBytes;
    return "\"" + base::json_escape(name.substr(0, kMaxPrintedBytes)) + (cut ? "...\"" : "\"");
}

}  // namespace ckpt
