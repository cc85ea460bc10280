// Strict JSON: what is read is written as the same values.
#include "base/json.h"

#include "base/json_writer.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

std::string written(const base::Json& value) {
    base::JsonWriter out(0);
    out.value(value);
    return std::move(out).take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const auto document = base::parse_json(text, "input");
    if (!document) return 0;
    const std::string first = written(document->root);
    const auto again = base::parse_json(first, "written");
    fuzz::require(again.has_value(), "what is written is read");
    fuzz::require(written(again->root) == first, "equal values are written alike");
    fuzz::require(base::parse_json(text, "input", base::kPythonJson).has_value(), "Python's JSON is a larger language");
    return 0;
}
