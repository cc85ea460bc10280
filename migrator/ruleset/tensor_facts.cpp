#include "migrator/ruleset/tensor_facts.h"

namespace migrator {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

// {"fp64": ["torch.float64", "torch.double"]}: to each of the names its word.
base::Result<Words> words_by_name(base::JsonObject& object, std::string_view key) {
    Words out;
    const base::Json* json = object.optional(key);
    if (json == nullptr) return out;
    TRY_ASSIGN(auto lists, base::JsonObject::of(object.document(), *json));
    for (const auto& [word, list] : lists.members()) {
        TRY_ASSIGN(auto names, lists.strings(word));
        for (std::string& name : names) out.emplace(std::move(name), word);
    }
    return out;
}

}  // namespace

base::Result<TensorFacts> TensorFacts::read(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TensorFacts out;
    TRY_ASSIGN(out.type, object.string("type"));
    TRY_ASSIGN(out.dtypes, words_by_name(object, "dtypes"));
    TRY_ASSIGN(out.made_by, words_by_name(object, "made_by"));
    TRY_ASSIGN(out.casts, object.strings("casts"));
    TRY_ASSIGN(out.same_dtype, object.strings("same_dtype"));
    TRY_ASSIGN(out.proof, object.strings("proof"));
    if (const base::Json* operators = object.optional("operators")) {
        TRY_ASSIGN(auto by_symbol, base::JsonObject::of(document, *operators));
        for (const auto& [symbol, method] : by_symbol.members()) {
            TRY_ASSIGN(out.operators[symbol], by_symbol.string(symbol));
        }
    }
    TRY(object.finish());
    return out;
}

bool TensorFacts::excludes(const std::vector<std::string>& accepted, std::string_view dtype) const {
    auto lists = [&](std::string_view word) {
        return std::find(accepted.begin(), accepted.end(), word) != accepted.end();
    };
    return !lists(dtype) && std::count_if(proof.begin(), proof.end(), lists) >= 2;
}

}  // namespace migrator
