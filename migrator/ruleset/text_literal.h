// `string`: a string literal that is one of these, or that is a qualified name which a row knows.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// What becomes of texts, and of values that are texts.
struct TextFix {
    ByName<std::string> replace;     // "cuda" -> "npu"
    ByName<std::string> replace_by;  // expressions instead: "cuda" -> device_type; of names: parts of the new name
};
constexpr auto record_of(const TextFix*) {
    return base::record(
        "text_fix", "what becomes of a text", base::field("replace", &TextFix::replace, "old text to new text"),
        base::field("replace_by", &TextFix::replace_by, "old text to an expression, for the style `portable`"));
}

struct StringRow {
    const Rule* rule = nullptr;
    std::vector<std::string> values;
    bool qualified_names = false;
    TextFix fix{};

    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const StringRow*) {
    return base::record("string", "literals", base::field("values", &StringRow::values, "the whole text"),
                        base::field("qualified_names", &StringRow::qualified_names,
                                    "text that is a name which a row renames, like the `\"torch.cuda.FloatTensor\"` "
                                    "of `x.type()`"));
}

base::Status add(RuleSet& set, StringRow row, TextFix fix, const Adding& adding);

}  // namespace migrator
