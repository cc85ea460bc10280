#include "ckpt_convert/mapping/target.h"

#include <algorithm>

#include "base/checked_math.h"
#include "base/format.h"
#include "base/nearest_word.h"

namespace ckpt {
namespace {

constexpr const char* kPaddingFile = "rules/targets/vocab_padding.json";

template <class Item>
Result<const Item*> by_name(const std::vector<Item>& items, std::string_view name, std::string_view option) {
    std::vector<std::string> names;
    for (const Item& item : items) {
        if (item.name == name) return &item;
        names.push_back(item.name);
    }
    return base::fail(ErrorKind::usage, base::format("{}: \"{}\" is not a value{}", option, name,
                                                     base::did_you_mean_or_all(name, names)));
}

}  // namespace

Result<VocabFill> vocab_fill(std::string_view name, ErrorKind kind, const std::string& where) {
    if (name == "zero") return VocabFill::zero;
    if (name == "last-row") return VocabFill::last_row;
    if (name == "mean") return VocabFill::mean;
    return base::fail(kind, base::format("\"{}\" is not one of zero, last-row and mean", name), where);
}

std::optional<std::uint64_t> VocabPadding::padded(std::uint64_t vocab, int tp) const {
    auto step = times_tp ? base::checked_mul(divisor, static_cast<std::uint64_t>(tp)) : std::optional(divisor);
    if (!step || vocab == 0) return std::nullopt;
    return base::checked_mul((vocab - 1) / *step + 1, *step);
}

Status VocabPadding::check(const base::JsonPlace& at) const {
    return divisor < 1 ? at.error("\"divisor\" must be at least 1") : Status();
}

Status Target::check(const base::JsonPlace& at) const {
    return layers == "local" || layers == "te" ? Status() : at.error("\"layers\" must be \"local\" or \"te\"");
}

Result<TargetRegistry> TargetRegistry::load(const base::DataStore& store) {
    TargetRegistry registry;
    for (const std::string& path : store.list("rules/targets/", ".json")) {
        if (path == kPaddingFile) continue;
        TRY_ASSIGN(registry.targets_.emplace_back(), base::read_rule_record<Target>(store, path));
    }
    if (std::ranges::count_if(registry.targets_, &Target::is_default) != 1)
        return base::fail(ErrorKind::rule_data, "one target must be \"default\"", "rules/targets/");
    TRY_ASSIGN(registry.paddings_, (read_rule_list<"vocab-padding/1", "rules", VocabPadding>(store, kPaddingFile)));
    for (const std::string_view choice : kPaddingChoices) {
        if (std::ranges::count(registry.paddings_, choice, &VocabPadding::taken) != 1)
            return base::fail(ErrorKind::rule_data, base::format("one rule must have \"taken\": \"{}\"", choice),
                              kPaddingFile);
    }
    return registry;
}

const Target& TargetRegistry::default_target() const { return *std::ranges::find_if(targets_, &Target::is_default); }

Result<const Target*> TargetRegistry::target(std::string_view name) const {
    return name.empty() ? &default_target() : by_name(targets_, name, "--target");
}

Result<const VocabPadding*> TargetRegistry::padding(std::string_view name, bool has_divisor) const {
    if (!name.empty()) return by_name(paddings_, name, "--vocab-padding");
    return &*std::ranges::find(paddings_, has_divisor ? kWithDivisor : kByDefault, &VocabPadding::taken);
}

}  // namespace ckpt

base::Result<ckpt::VocabFill> base::InJson<ckpt::VocabFill>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string name, read_json<std::string>(at));
    return ckpt::vocab_fill(name, at.kind, at.document.where(at.json));
}

base::Result<ckpt::CoreVersion> base::InJson<ckpt::CoreVersion>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string text, read_json<std::string>(at));
    return ckpt::CoreVersion::parse(text, at.kind, at.document.where(at.json));
}
