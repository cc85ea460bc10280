// OneOf: checks that a value of an option is one of a list, and names the one that was meant.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/nearest_word.h"
#include "base/text.h"

namespace command_line {

class OneOf : public CLI::Validator {
public:
    explicit OneOf(const std::vector<std::string>& values)
        : Validator(
              [values](std::string& value) {
                  if (base::contains(values, value)) return std::string();
                  return base::format("\"{}\" is not a value{}", value, base::did_you_mean_or_all(value, values));
              },
              "{" + base::joined(values, ",") + "}") {}
};

}  // namespace command_line
