#include "ckpt_convert/target/training_args.h"

#include "base/page_template.h"

namespace ckpt {
namespace {

constexpr const char* kTemplate = "templates/launch/training_args.sh";

void replace(std::string& text, std::string_view mark, const std::string& value) {
    std::size_t at = text.find(mark);
    if (at != std::string::npos) text.replace(at, mark.size(), value);
}

}  // namespace

Result<std::string> training_args(const base::DataStore& store, const std::vector<std::string>& flags,
                                  const std::string& title) {
    TRY_ASSIGN(const std::string_view text, base::template_text(store, kTemplate));
    std::string lines;
    for (const std::string& flag : flags) lines += "    " + flag + "\n";
    std::string out(text);
    replace(out, "{{title}}", title);
    replace(out, "{{flags}}\n", lines);
    return out;
}

}  // namespace ckpt
