#include "ckpt_convert/mapping/model_mapping.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "ckpt_convert/mapping/mapping_loader.h"

namespace ckpt {
namespace {

// A file of rules/config_defaults/.
struct ConfigDefaults : RuleFile<"config-defaults/1"> {
    using ByName = std::map<std::string, Json, std::less<>>;
    ByName model_types;  // by model type an object
    // Of the test that compares the file with transformers.
    ByName demanded, left_to_mapping_files;
};
constexpr auto record_of(const ConfigDefaults* file) {
    using base::field;
    return base::extended(
        record_of(static_cast<const RuleFile<"config-defaults/1">*>(file)), "config_defaults", "",
        field("model_types", &ConfigDefaults::model_types, "by model type what its class takes for absent keys")
            .needed(),
        field("demanded", &ConfigDefaults::demanded, "keys that have no default here, and why").needed(),
        field("left_to_mapping_files", &ConfigDefaults::left_to_mapping_files, "the same of others").needed());
}

// "; did you mean \"qwen3\"?" where `names` of a family, such as its model types, have a word like that.
template <class Names>
std::string alike(const std::vector<ModelMapping>& families, std::string_view word, Names names) {
    std::vector<std::string> known;
    for (const auto& family : families) {
        const std::vector<std::string> more = names(family);
        known.insert(known.end(), more.begin(), more.end());
    }
    return base::did_you_mean(word, known);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches_pattern(pattern, text); });
}

std::string ModelMapping::mtp_hf_name(const std::string& name) const {
    constexpr std::string_view kLayer = "{layer}.";
    std::size_t at = name.find(kLayer);
    return mtp.hf.empty() || at == name.npos ? name : mtp.hf + name.substr(at + kLayer.size());
}

std::string ModelMapping::mtp_mcore_name(const std::string& name, const Dialect& dialect) const {
    constexpr std::string_view kLayer = "decoder.layers.{local_layer}.";
    if (!name.starts_with(kLayer)) return name;
    for (const auto& [selector, prefix] : mtp.mcore) {
        if (selector.matches(dialect)) return prefix + name.substr(kLayer.size());
    }
    return name;
}

std::string ModelMapping::hf_form() const {
    auto found = std::find_if(hf.begin(), hf.end(), [](const StoredRule& rule) { return !rule.form.empty(); });
    return found == hf.end() ? "" : found->form;
}

std::vector<CoreVersion> ModelMapping::version_boundaries() const {
    std::set<CoreVersion> found;
    auto add = [&](const DialectSelector& selector) {
        found.insert(selector.boundaries().begin(), selector.boundaries().end());
    };
    for (const auto& rule : mcore) {
        add(rule.dialect);
        for (const auto& [selector, name] : rule.names) add(selector);
    }
    for (const auto& [selector, prefix] : mtp.mcore) add(selector);
    return {found.begin(), found.end()};
}

bool ModelMapping::ignores(std::string_view tensor) const {
    return std::any_of(ignore.begin(), ignore.end(),
                       [&](const std::string& pattern) { return matches_pattern(pattern, tensor); });
}

Status MappingRegistry::add_config_defaults(const base::DataStore& store, const std::string& path) {
    TRY_ASSIGN(ConfigDefaults file, base::read_rule_record<ConfigDefaults>(store, path));
    for (auto& [type, defaults] : file.model_types) {
        auto family = std::find_if(families_.begin(), families_.end(), [&type = type](const ModelMapping& mapping) {
            return base::contains(mapping.model_types, type);
        });
        if (family != families_.end()) family->config_defaults.emplace(type, std::move(defaults));
    }
    return {};
}

Result<MappingRegistry> MappingRegistry::load(const base::DataStore& store) {
    MappingRegistry registry;
    std::set<std::string> taken;
    base::RuleFiles files(store);
    for (const std::string& path : store.list("rules/models/", ".json")) {
        // Deeper down are blocks and cases.
        if (path.find('/', std::string_view("rules/models/").size()) != std::string::npos) continue;
        TRY_ASSIGN(ModelMapping mapping, load_mapping(files, path));
        for (const auto* names : {&mapping.model_types, &mapping.peer_names}) {
            for (const auto& name : *names) {
                std::string kind = names == &mapping.model_types ? "model type" : "name";
                if (taken.insert(kind + " " + name).second) continue;
                return base::fail(ErrorKind::rule_data,
                                  base::format("the {} \"{}\" belongs to two families", kind, name), mapping.origin);
            }
        }
        registry.families_.push_back(std::move(mapping));
    }
    for (const std::string& path : store.list("rules/config_defaults/", ".json")) {
        TRY(registry.add_config_defaults(store, path));
    }
    return registry;
}

Result<const ModelMapping*> MappingRegistry::for_config(const JsonDocument& config) const {
    const Json* type = config.root.find("model_type");
    if (type == nullptr || type->string() == nullptr) {
        return base::fail(ErrorKind::bad_input, "\"model_type\" is missing; name the family with --model-type-hf",
                          config.name);
    }
    for (const auto& family : families_) {
        const auto& types = family.model_types;
        if (std::find(types.begin(), types.end(), *type->string()) != types.end()) return &family;
    }
    return base::fail(
        ErrorKind::unsupported,
        base::format(
            "no mapping file knows the model type \"{}\"; if its tensors have the names of a family that "
            "`ckpt_convert models list` prints, give that with --model-type-hf, else write a mapping file of some "
            "lines, as docs/guides/add-a-model.md shows, and pass its directory with --rules{}",
            *type->string(),
            alike(families_, *type->string(), [](const ModelMapping& family) { return family.model_types; })),
        config.where(*type));
}

Result<const ModelMapping*> MappingRegistry::for_name(std::string_view name) const {
    for (const auto& family : families_) {
        const auto& peers = family.peer_names;
        if (family.family == name || std::find(peers.begin(), peers.end(), name) != peers.end()) return &family;
    }
    const auto names = [](const ModelMapping& family) {
        std::vector<std::string> out = family.peer_names;
        out.push_back(family.family);
        return out;
    };
    const std::string meant = alike(families_, name, names);
    return base::fail(ErrorKind::usage,
                      base::format("unknown family \"{}\"{}", name,
                                   meant.empty() ? "; `ckpt_convert models list` lists them" : meant));
}

}  // namespace ckpt
