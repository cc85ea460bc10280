#include "ckpt_convert/app/models.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "ckpt_convert/mapping/mapping_loader.h"

namespace ckpt {
namespace {

using base::Language;

std::string shape_text(const WeightRule& weight) {
    std::vector<std::string> extents;
    for (const Expression& extent : weight.shape) extents.push_back(extent.text());
    return "[" + base::joined(extents, ", ") + "]";
}

std::string condition_text(const Language& say, const std::optional<Expression>& when) {
    return when ? say.show("  if {}", when->text()) : "";
}

std::string unused_text(const Language& say, const std::optional<Expression>& unused) {
    return unused ? say.show("  (unused if {})", unused->text()) : "";
}

std::string stored_text(const Language& say, const StoredRule& rule) {
    std::string out;
    for (const auto& [selector, name] : rule.names) {
        std::string words = selector.text();
        out += base::show("  {}{}\n", name, words.empty() ? "" : "  (" + words + ")");
    }
    out += base::show("      = {}", base::joined(rule.weights, rule.interleaved() != nullptr ? " / " : " + "));
    if (rule.interleaved() != nullptr) out += say.format(", in {} rounds", rule.interleaved()->rounds.text());
    if (rule.axis != 0) out += say.format(", along axis {}", rule.axis.number);
    if (rule.shard) out += say.format(", TP splits axis {}", rule.shard->number);
    if (rule.padded() != nullptr) out += say.text(", padded");
    if (rule.unzipped() != nullptr) out += say.format(", slices of axis {} one after the other", rule.unzipped()->axis);
    if (rule.stacks_experts()) out += say.text(", all experts of a layer");
    if (rule.optional) out += say.text(", may be absent");
    if (!rule.dialect.text().empty()) out += say.format(", for {} only", rule.dialect.text());
    return out + condition_text(say, rule.when) + "\n";
}

}  // namespace

std::string list_models(const Language& say, const MappingRegistry& families, bool json) {
    if (!json) {
        std::string out;
        for (const auto& family : families.families()) {
            out += say.show("{:<12} {}\n             model types: {}\n", family.family, say.text(family.title),
                            base::joined(family.model_types, ", "));
        }
        return out;
    }
    base::JsonWriter out(1);
    out.begin_array();
    for (const auto& family : families.families()) {
        out.begin_object().key("family").string(family.family).key("title").string(family.title);
        out.key("model_types").begin_array();
        for (const auto& type : family.model_types) out.string(type);
        out.end_array().key("peer_names").begin_array();
        for (const auto& name : family.peer_names) out.string(name);
        out.end_array().end_object();
    }
    out.end_array();
    return std::move(out).take() + "\n";
}

Result<std::string> show_model(const Language& say, const MappingRegistry& families, const std::string& family) {
    TRY_ASSIGN(const ModelMapping* mapping, families.for_name(family));
    std::string out = say.show("{}: {}\nmodel types: {}\n", mapping->family, say.text(mapping->title),
                               base::joined(mapping->model_types, ", "));
    out += say.text("\nweights\n");
    for (const WeightRule& weight : mapping->weights) {
        out += base::show("  {:<24} {}{}{}{}\n", weight.name, shape_text(weight),
                          weight.each == Each::model   ? std::string()
                          : weight.each == Each::layer ? say.text("  of each layer")
                                                       : say.text("  of each expert"),
                          condition_text(say, weight.when), unused_text(say, weight.unused));
    }
    out += say.text("\nHugging Face\n");
    for (const StoredRule& rule : mapping->hf) out += stored_text(say, rule);
    out += say.text("\nMegatron mcore\n");
    for (const StoredRule& rule : mapping->mcore) out += stored_text(say, rule);
    out += say.text("\nsources\n");
    for (const std::string& source : mapping->source) out += base::show("  {}\n", source);
    return out;
}

Result<std::string> check_model(const Language& say, base::FileSystem& fs, const base::DataStore& store,
                                const Path& path) {
    base::DataStore with_file = store;
    std::string name = base::format("rules/models/{}", base::file_name(path));
    TRY(with_file.add(fs, path, name));
    base::RuleFiles files(with_file);
    TRY_ASSIGN(ModelMapping mapping, load_mapping(files, name));
    TRY_ASSIGN(MappingRegistry all, MappingRegistry::load(with_file));
    return say.show("{}: {} is sound: {} weights, {} Hugging Face tensors, {} mcore tensors\n", path, mapping.family,
                    mapping.weights.size(), mapping.hf.size(), mapping.mcore.size());
}

}  // namespace ckpt
