// TensorFacts: how code shows the type of a tensor's elements, and which interface an operator is (key "tensors").
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"

namespace migrator {

struct TensorFacts {
    std::string type;  // "torch.Tensor"
    // Qualified names -> the word of the tables for it: "torch.float64" -> "fp64".
    std::map<std::string, std::string, std::less<>> dtypes;
    std::map<std::string, std::string, std::less<>> made_by;    // of a function's result: "torch.Tensor.double"
    std::map<std::string, std::string, std::less<>> operators;  // "@" -> "torch.Tensor.matmul"
    std::vector<std::string> casts;                             // methods whose first argument is the new type
    std::vector<std::string> same_dtype;                        // methods that compute nothing: views, moves
    std::vector<std::string> proof;  // a list of accepted types is a limit when it names two of these at least

    // Strict, as all rule files.
    static base::Result<TensorFacts> read(const base::JsonDocument& document, const base::Json& json);

    // Whether a value of this type is outside of what an interface accepts.
    bool excludes(const std::vector<std::string>& accepted, std::string_view dtype) const;
    bool computes(std::string_view function) const {
        return std::find(casts.begin(), casts.end(), function) == casts.end() &&
               std::find(same_dtype.begin(), same_dtype.end(), function) == same_dtype.end();
    }
};

}  // namespace migrator
