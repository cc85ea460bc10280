#include "ckpt_convert/mapping/parameter_names.h"

#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {
namespace {

struct ParameterOrder : RuleFile<"parameter-order/1"> {
    std::vector<std::string> layer, names;
};
constexpr auto record_of(const ParameterOrder* file) {
    using base::field;
    return base::extended(record_of(static_cast<const RuleFile<"parameter-order/1">*>(file)), "parameter_order", "",
                          field("layer", &ParameterOrder::layer, "the parameters of a layer"),
                          field("names", &ParameterOrder::names, "all; `{layer}` stands for those of a layer"));
}

}  // namespace

Result<std::vector<std::string>> load_parameter_names(const base::DataStore& store) {
    constexpr std::string_view kLayer = "{layer}";
    TRY_ASSIGN(const ParameterOrder file,
               base::read_rule_record<ParameterOrder>(store, "rules/parameters/megatron.json"));
    std::vector<std::string> out;
    for (const std::string& name : file.names) {
        if (!name.ends_with(kLayer)) {
            out.push_back(name);
            continue;
        }
        for (const std::string& rest : file.layer) out.push_back(name.substr(0, name.size() - kLayer.size()) + rest);
    }
    return out;
}

}  // namespace ckpt
