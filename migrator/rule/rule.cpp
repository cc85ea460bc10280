#include "migrator/rule/rule.h"

#include "base/check.h"
#include "base/format.h"

namespace migrator {

std::string_view name(RulePlace place) {
    switch (place) {
        case RulePlace::anywhere: return "";
        case RulePlace::training_program: return "training_program";
        case RulePlace::training_loop: return "training_loop";
    }
    CHECK(false);
    return {};
}

std::string_view name(Once once) { return once == Once::project ? "project" : ""; }

// Every {word} of the message is one that fill_message knows.
base::Status Rule::check(const base::JsonPlace& at) const {
    for (std::size_t open = message.find('{'); open != message.npos; open = message.find('{', open + 1)) {
        const std::size_t close = message.find('}', open);
        const std::string word = message.substr(open, close == message.npos ? close : close - open + 1);
        if (word != "{name}" && word != "{to}" && word != "{note}")
            return at.error(
                base::format("the message has {}, but only {{name}}, {{to}} and {{note}} are filled in", word));
    }
    return {};
}

}  // namespace migrator

base::Result<migrator::VersionRange> base::InJson<migrator::VersionRange>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string text, read_json<std::string>(at));
    auto range = migrator::VersionRange::parse(text);
    if (!range) return at.error(format("\"{}\" is \"{}\", which is not a range such as \">=2.1,!=2.3\"", at.key, text));
    return std::move(*range);
}
