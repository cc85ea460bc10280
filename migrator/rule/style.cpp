#include "migrator/rule/style.h"

#include "base/check.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

constexpr std::string_view kFile = "rules/styles/portable.json";

}  // namespace

std::string_view name(StyleKind kind) {
    switch (kind) {
        case StyleKind::npu: return "npu";
        case StyleKind::portable: return "portable";
        case StyleKind::automatic: return "auto";
    }
    CHECK(false);
    return {};
}

std::string Style::target(std::string_view name, std::string_view on_npu) const {
    if (!name.starts_with(stands_for) || !on_npu.starts_with(counterpart)) return {};
    const std::string_view member = name.substr(stands_for.size());
    const bool same = on_npu.substr(counterpart.size()) == member && (member.empty() || member.front() == '.');
    return same ? helper + std::string(member) : std::string{};
}

bool Style::is_of_helper(std::string_view text) const {
    return !helper.empty() && text.starts_with(helper) &&
           (text.size() == helper.size() || text[helper.size()] == '.' || text[helper.size()] == '(');
}

base::Result<Style> load_style(const base::DataStore& store, StyleKind kind) {
    Style style;
    style.kind = kind;
    if (kind != StyleKind::portable) return style;
    TRY_ASSIGN(style, base::read_rule_record<Style>(store, std::string(kFile)));
    style.kind = kind;
    return style;
}

}  // namespace migrator
