#include "ckpt_convert/mapping/naming.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

const SplitTensors* split_of(const List<SplitTensors>& all, const StoredRule& rule, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const SplitTensors& one) {
        return matches_any(one.names, name) && one.endings.size() == rule.weights.size() &&
               std::holds_alternative<OneAfterTheOther>(rule.join);
    });
    return found == all.end() ? nullptr : &*found;
}

void add_parts(NamedRules& out, const StoredRule& rule, const std::string& name, const SplitTensors& split) {
    for (std::size_t i = 0; i < split.endings.size(); ++i) {
        auto part = std::make_unique<StoredRule>(rule);
        part->names = {{DialectSelector(), name + split.endings[i]}};
        part->weights = {rule.weights[i]};
        part->apart.reset();
        out.rules.push_back(part.get());
        out.made.push_back(std::move(part));
    }
}

}  // namespace

std::string NamedNumber::name_with(std::string_view layer) const {
    constexpr std::string_view kLayer = "{layer}";
    std::string out = name;
    if (const std::size_t at = out.find(kLayer); at != out.npos) out.replace(at, kLayer.size(), layer);
    return out;
}

Status CoreNames::check(const base::JsonPlace& at) {
    if (core.empty()) return {};
    TRY_ASSIGN(version, CoreVersion::parse(core, ErrorKind::rule_data, at.document.name));
    return {};
}

Dialect CoreNames::dialect(const std::string& target) const {
    Dialect out;
    out.target = target;
    out.core = version;
    out.layers = layers;
    out.grouped = grouped;
    return out;
}

tl::unexpected<base::Error> Naming::lacks(const ModelMapping& mapping, std::string_view weight) const {
    return base::fail(ErrorKind::unsupported, base::format("{} of the family {} has no known name in {}; {}", weight,
                                                           mapping.family, title, instead));
}

bool Naming::ignores(std::string_view tensor) const {
    return matches_any(ignore, tensor) || std::any_of(numbers.begin(), numbers.end(), [&](const NamedNumber& one) {
               return matches_pattern(one.name_with("*"), tensor);
           });
}

Result<NamedRules> Naming::rules_for(const ModelMapping& mapping, const Dialect& dialect) const {
    if (!families.empty() && !base::contains(families, mapping.family))
        return base::fail(ErrorKind::unsupported,
                          base::format("the names of {} are not known for models of the family {}; {}", title,
                                       mapping.family, instead));
    NamedRules out;
    for (const NamedTensor& tensor : tensors) {
        if (tensor.families.empty() || base::contains(tensor.families, mapping.family)) out.rules.push_back(&tensor);
    }
    for (const StoredRule& rule : mapping.mcore) {
        const std::string* stored = has_core() ? rule.name(dialect) : nullptr;
        if (stored == nullptr) continue;
        for (const OtherForm& other : other_forms) {
            if (matches_any(other.names, *stored))
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} of the family {} has another form in {}: {}; {}", *stored,
                                               mapping.family, title, other.because, instead));
        }
        if (const SplitTensors* parts = split_of(split, rule, *stored)) add_parts(out, rule, *stored, *parts);
        else out.rules.push_back(&rule);
    }
    return out;
}

Result<Namings> Namings::load(const base::DataStore& store) {
    Namings out;
    for (const std::string& path : store.list("rules/names/", ".json")) {
        TRY_ASSIGN(Naming naming, base::read_rule_record<Naming>(store, path));
        if (naming.tensors.empty() == naming.core.empty())
            return base::fail(ErrorKind::rule_data, "there must be either \"tensors\" or \"core\"", store.origin(path));
        out.all_.push_back(std::make_unique<const Naming>(std::move(naming)));
    }
    return out;
}

const Naming* Namings::find(std::string_view name) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one->name == name; });
    return found == all_.end() ? nullptr : found->get();
}

std::vector<std::string> Namings::names() const {
    std::vector<std::string> out;
    for (const auto& one : all_) {
        if (one->dcp) out.push_back(one->name);
    }
    return out;
}

}  // namespace ckpt
