#include "ckpt_convert/target/peft_config.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace ckpt {
namespace {

// The ends of a module's name, the shortest first: "q_proj", "self_attn.q_proj", "layers.0.self_attn.q_proj" ...; none begins with
// a number.
std::vector<std::string_view> ends_of(std::string_view module) {
    std::vector<std::string_view> out;
    for (std::size_t dot = module.rfind('.'); dot != module.npos && dot > 0; dot = module.rfind('.', dot - 1)) {
        std::string_view end = module.substr(dot + 1);
        if (!end.empty() && (end[0] < '0' || end[0] > '9')) out.push_back(end);
    }
    out.push_back(module);
    return out;
}

// The names of modules that have adapters, with their ranks, and of those that have none.
struct Modules {
    std::map<std::string, std::uint64_t, std::less<>> adapted;
    std::set<std::string, std::less<>> other_ends;
};

Modules modules_of(const AdapterFactors& factors, const Layout& weights, const AdapterFormat& format) {
    Modules out;
    for (const LayoutTensor& tensor : weights.tensors) {
        auto module = format.weights.stem(tensor.name);
        if (!module || tensor.optional) continue;
        std::uint64_t rank = factors.ranks[tensor.pieces.front().logical];
        if (rank > 0) out.adapted.emplace(*module, rank);
        else
            for (std::string_view end : ends_of(*module)) out.other_ends.emplace(end);
    }
    return out;
}

}  // namespace

Result<std::string> adapter_says(const AdapterSource& adapter) {
    TRY_ASSIGN(const std::uint64_t rank, adapter.rank());
    base::JsonWriter json(2);
    json.begin_object().key("r").unsigned_integer(rank).key("lora_alpha").number(*adapter.scale.alpha);
    json.key("task_type").string("CAUSAL_LM");
    if (adapter.scale.root) json.key("use_rslora").boolean(true);
    json.end_object();
    return std::move(json).take() + "\n";
}

std::string peft_config(const AdapterSource& adapter, const Layout& weights, const AdapterFormat& format) {
    Modules modules = modules_of(adapter.factors, weights, format);
    std::set<std::string_view> targets;
    for (const auto& [module, rank] : modules.adapted) {
        auto ends = ends_of(module);
        targets.insert(*std::find_if(ends.begin(), ends.end() - 1,
                                     [&](std::string_view end) { return !modules.other_ends.contains(end); }));
    }
    std::uint64_t rank = modules.adapted.begin()->second;
    base::JsonWriter json(2);
    json.begin_object().key("peft_type").string("LORA").key("task_type").string("CAUSAL_LM");
    json.key("base_model_name_or_path").null().key("inference_mode").boolean(true);
    json.key("r")
        .unsigned_integer(rank)
        .key("lora_alpha")
        .number(*adapter.scale.alpha)
        .key("use_rslora")
        .boolean(adapter.scale.root)
        .key("lora_dropout")
        .number(0)
        .key("bias")
        .string("none");
    json.key("fan_in_fan_out").boolean(false).key("rank_pattern").begin_object();
    for (const auto& [module, other] : modules.adapted) {
        if (other != rank) json.key(module).unsigned_integer(other);
    }
    json.end_object().key("alpha_pattern").begin_object().end_object().key("target_modules").begin_array();
    for (std::string_view target : targets) json.string(target);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

}  // namespace ckpt
