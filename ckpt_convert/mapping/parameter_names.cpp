#include "ckpt_convert/mapping/parameter_names.h"

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"

namespace ckpt {

base::Result<std::vector<std::string>> load_parameter_names(const base::DataStore& store) {
    constexpr const char* kNamesFile = "rules/parameters/megatron.json";
    constexpr std::string_view kLayer = "{layer}";
    TRY_ASSIGN(base::JsonDocument document, base::read_rule_file(store, kNamesFile));
    TRY_ASSIGN(base::JsonObject object, base::JsonObject::of(document, document.root));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != "parameter-order/1") return object.error("\"schema\" must be \"parameter-order/1\"");
    TRY(object.string("about"));
    TRY(object.strings("source"));
    TRY_ASSIGN(auto of_layer, object.strings("layer"));
    TRY_ASSIGN(auto names, object.strings("names"));
    TRY(object.finish());
    std::vector<std::string> out;
    for (const std::string& name : names) {
        if (!name.ends_with(kLayer)) {
            out.push_back(name);
            continue;
        }
        for (const std::string& rest : of_layer) out.push_back(name.substr(0, name.size() - kLayer.size()) + rest);
    }
    return out;
}

}  // namespace ckpt
