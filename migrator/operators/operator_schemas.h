// OperatorSchemas: what the operators of torch_npu take (rules/operators/schemas.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "base/string_map.h"

namespace migrator {

struct SchemaArgument {
    std::string type;  // as torch writes it, without marks of aliases: "Tensor?", "int[2]", "str"
    std::string name;
    bool has_default = false;
    bool keyword_only = false;
};

// One overload, its arguments in their order.
using OperatorSchema = std::vector<SchemaArgument>;

// Of "(Tensor self, float p=0.5, *, int[2]? size=None) -> Tensor".
OperatorSchema parse_operator_schema(std::string_view text);

class OperatorSchemas {
public:
    // All failures are rule_data.
    static base::Result<OperatorSchemas> load(const base::DataStore& store);

    // By the name without its namespace; nullptr: there is no such operator.
    const std::vector<OperatorSchema>* find(std::string_view name) const;
    const std::vector<std::string>& names() const { return names_; }

private:
    base::StringMap<std::vector<OperatorSchema>> by_name_;
    std::vector<std::string> names_;
};

}  // namespace migrator
