// value_form: how the values of a domain are written as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/ruleset/value.h"

namespace migrator {

// A token of a value's text that gets a new name.
struct ValueToken {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string replacement;
};

// The tokens to replace in `text`, which may have holes (kHole) and format fields ("%d", "{}"); empty when the text is
// not a value of this form, or needs no change.
//   device:  name [ ":" index ] { "," name [ ":" index ] }      "cuda", "cuda:{}", "cpu,cuda:0"
//   word:    name, one of the tokens                            "MULTI_GPU"
//   backend: name | device ":" name { "," device ":" name }     "nccl", "cpu:gloo,cuda:nccl"
std::vector<ValueToken> value_tokens(std::string_view text, const ValueRow& row);

// Whether one of the row's tokens stands somewhere in the text.
bool has_token(std::string_view text, const ValueRow& row);

// What the text is after the replacement.
std::string replaced(std::string_view text, const std::vector<ValueToken>& tokens);

}  // namespace migrator
