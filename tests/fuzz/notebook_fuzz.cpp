// Notebooks: every byte of the code has its place in the JSON, and the result is JSON again.
#include "base/json.h"
#include "migrator/source/notebook.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/rewriting.h"

namespace {

void check_places(const migrator::CellText& text, std::size_t json_bytes) {
    for (std::size_t i = 0; i < text.text().size(); ++i) {
        const auto place = text.in_json({i, i + 1});
        if (place) fuzz::require(place->begin < place->end && place->end <= json_bytes, "a byte has its place");
        fuzz::require(text.place(i).in_json.end <= json_bytes, "a line has its place");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    if (const auto code = migrator::NotebookCode::read(text, "a.ipynb")) {
        check_places(code->python(), size);
        check_places(code->shell(), size);
    }
    const migrator::FileOutcome outcome = fuzz::check_rewriting("a.ipynb", text);
    if (outcome.changed())
        fuzz::require(base::parse_json(outcome.rewritten, "rewritten").has_value(), "what is rewritten is JSON");
    return 0;
}
