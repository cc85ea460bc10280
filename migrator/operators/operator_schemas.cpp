#include "migrator/operators/operator_schemas.h"

#include "base/text.h"
#include "migrator/operators/operator_rows.h"

namespace migrator {
namespace {

// "Tensor(a!)[] self=None" -> type "Tensor[]", name "self", with a default.
SchemaArgument parse_argument(std::string_view text) {
    SchemaArgument out;
    if (const std::size_t equals = text.find('='); equals != text.npos) {
        out.has_default = true;
        text = text.substr(0, equals);
    }
    const std::size_t blank = text.rfind(' ');
    out.name = text.substr(blank + 1);
    const std::string_view type = text.substr(0, blank);
    const std::size_t open = type.find('(');
    out.type = type.substr(0, open);
    if (open != type.npos) out.type += type.substr(type.find(')') + 1);
    return out;
}

// The parts between the commas that stand in no bracket and no text.
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> out;
    int depth = 0;
    bool is_text = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        if (c == '"') is_text = !is_text;
        if (!is_text && (c == '(' || c == '[')) ++depth;
        if (!is_text && (c == ')' || c == ']')) --depth;
        if (i < text.size() && (c != ',' || depth > 0 || is_text)) continue;
        if (const std::string_view part = base::trimmed(text.substr(begin, i - begin)); !part.empty())
            out.push_back(part);
        begin = i + 1;
    }
    return out;
}

}  // namespace

OperatorSchema parse_operator_schema(std::string_view text) {
    text = text.substr(0, text.rfind(") ->"));
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
    OperatorSchema out;
    bool keyword_only = false;
    for (const std::string_view part : parts_of(text)) {
        if (part == "*") {
            keyword_only = true;
            continue;
        }
        out.push_back(parse_argument(part));
        out.back().keyword_only = keyword_only;
    }
    return out;
}

base::Result<OperatorSchemas> OperatorSchemas::load(const base::DataStore& store) {
    TRY_ASSIGN(const SchemasFile file, base::read_rule_record<SchemasFile>(store, "rules/operators/schemas.json"));
    OperatorSchemas out;
    for (const SchemaRow& row : file.schemas) {
        for (const std::string& text : row.takes) out.by_name_[row.name].push_back(parse_operator_schema(text));
        out.names_.push_back(row.name);
    }
    return out;
}

const std::vector<OperatorSchema>* OperatorSchemas::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace migrator
