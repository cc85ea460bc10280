#include "migrator/project/skeletons.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kTemplates = "templates/skeleton/";
constexpr std::string_view kFallbacks = "rules/custom_ops/skeletons/";
constexpr std::string_view kSpace = "npu_skeleton";  // of what had no name space of its own
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"and", "as",       "assert", "async", "await",   "break",  "class", "continue", "def",   "del",  "elif",   "else",
     "for", "except",   "from",   "False", "finally", "global", "if",    "import",   "in",    "is",   "lambda", "None",
     "not", "nonlocal", "or",     "pass",  "raise",   "return", "True",  "try",      "while", "with", "yield"});

using Values = std::map<std::string, std::string, std::less<>>;

// {{mark}} stands for a value; what has none stays.
std::string filled(std::string_view text, const Values& values) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find("{{");
        const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
        const auto value = close == text.npos ? values.end() : values.find(text.substr(open + 2, close - open - 2));
        const std::size_t end = value != values.end() ? open : close == text.npos ? text.size() : close;
        out += text.substr(0, end);
        if (value != values.end()) out += value->second;
        text.remove_prefix(value != values.end() ? close + 2 : end);
        if (value == values.end() && !text.empty()) {
            out += text.substr(0, 2);
            text.remove_prefix(2);
        }
    }
    return out;
}

std::string identifier(std::string_view text) {
    std::string out;
    for (const char c : text) out += base::is_word_char(c) ? c : '_';
    if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out.insert(out.begin(), '_');
    return base::contains(kKeywords, std::string_view(out)) ? out + "_" : out;
}

// A text of the project inside a Python literal.
std::string harmless(std::string_view text) {
    std::string out = base::printable(text);
    for (char& c : out) c = c == '"' ? '\'' : c == '\\' ? '/' : c;
    return out;
}
std::string quoted(std::string_view text) { return base::format("\"{}\"", harmless(text)); }

// "const at::Tensor &" -> "Tensor", "std::vector<at::Tensor>" -> "vector<Tensor>"
std::string plain_type(std::string_view type) {
    std::string out;
    std::string word;
    const auto end_word = [&] {
        if (word != "const") out += word;
        word.clear();
    };
    for (std::size_t i = 0; i < type.size(); ++i) {
        if (base::is_word_char(type[i])) {
            word += type[i];
        } else if (type.substr(i, 2) == "::") {
            word.clear();
            ++i;
        } else {
            end_word();
            if (type[i] == '<' || type[i] == '>' || type[i] == ',') out += type[i];
        }
    }
    end_word();
    return out;
}

class SkeletonWriter {
public:
    SkeletonWriter(const RuleSet& rules, const base::DataStore& store) : rules_(rules), store_(store) {}

    SkeletonFile file(const ProjectOperator& op) {
        const std::string called = called_name(op);
        SkeletonFile out{unique(identifier(called)), {}};
        Values values{
            {"called", harmless(called)}, {"places", places(op)}, {"space", std::string(kSpace)}, {"op", out.name}};
        if (const std::string_view* fallback = fallback_of(op)) {
            values["function"] = op.known->skeleton;
            values["computes"] = op.known->computes;
            values["to"] = op.known->to;
            out.text = filled(
                           "\"\"\"{{called}}, with operators of PyTorch: {{computes}}. {{places}}\n\n"
                           "On the NPU there also is {{to}}.\n\"\"\"\n\n",
                           values) +
                       std::string(*fallback) + filled(part("known.txt"), values);
        } else {
            out.text = stub(op, values);
        }
        return out;
    }

    std::string row(const ProjectOperator& op, const SkeletonFile& file) const {
        const std::string to = op.known == nullptr ? "" : base::format("`{}`. {}", op.known->to, op.known->note);
        return base::format("| `{}` | {}.py | {} | {} |\n", harmless(called_name(op)), file.name,
                            fallback_of(op) != nullptr ? "a fallback" : "a stub: to be written", to);
    }

    std::string_view part(std::string_view name) const {
        const std::string_view* text = store_.find(base::format("{}{}", kTemplates, name));
        CHECK(text != nullptr);
        return *text;
    }

private:
    // "torch.ops.ns.scale" is "ns.scale".
    static std::string called_name(const ProjectOperator& op) {
        const std::string& subject = op.row.bindings.front().name;
        const std::size_t colons = subject.find("::");
        if (colons == subject.npos) return op.row.name;
        return base::format("{}.{}", subject.substr(0, colons), subject.substr(colons + 2));
    }

    std::string unique(std::string name) {
        for (std::size_t number = 2; !names_.insert(name).second; ++number) {
            const std::size_t end = number == 2 ? name.size() : name.rfind('_');
            name = base::format("{}_{}", name.substr(0, end), number);
        }
        return name;
    }

    const std::string_view* fallback_of(const ProjectOperator& op) const {
        if (op.known == nullptr || op.known->skeleton.empty()) return nullptr;
        return store_.find(base::format("{}{}.py", kFallbacks, op.known->skeleton));
    }

    static std::string places(const ProjectOperator& op) {
        std::string out = base::format("Bound at {}", op.row.bindings.front().place);
        for (const NamedPlace& kernel : op.row.kernels)
            out += base::format(", kernel {} at {}", kernel.name, kernel.place);
        return harmless(out) + ".";
    }

    std::string stub(const ProjectOperator& op, Values values) const {
        const std::string& subject = op.row.bindings.front().name;
        const std::size_t colons = subject.find("::");
        if (colons != subject.npos) {
            values["space"] = identifier(subject.substr(0, colons));
            values["op"] = identifier(subject.substr(colons + 2));
        }
        values["function"] = values["op"];
        std::vector<std::string> names;
        for (const CppParameter& each : op.signature.parameters) {
            std::string name = identifier(each.name.empty() ? base::format("argument_{}", names.size()) : each.name);
            while (base::contains(names, name)) name += "_";
            names.push_back(std::move(name));
        }
        std::string parameters;
        for (std::size_t i = 0; i < names.size(); ++i)
            parameters += base::format("{}{}{}", i == 0 ? "" : ", ", names[i], harmless(fallback(op.signature, i)));
        values["parameters"] = op.signature.known ? parameters : "*arguments";
        values["signature"] = op.row.signature.empty() ? "Its signature is not known." : harmless(op.row.signature);
        const auto schema = schema_of(op.signature, names);
        values["schema"] = schema ? quoted(*schema) : "None";
        const auto& from = op.row.kernels.empty() ? op.row.bindings : op.row.kernels;
        values["reason"] =
            quoted(base::format("{} of {} is not written for the NPU yet", from.front().name, from.front().place));
        return filled(part("stub.txt"), values);
    }

    // nullopt where a type has none.
    std::optional<std::string> schema_of(const CppSignature& signature, const std::vector<std::string>& names) const {
        if (!signature.known) return std::nullopt;
        std::string out;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto type = type_of(signature, signature.parameters[i].type);
            if (!type) return std::nullopt;
            out += base::format("{}{} {}{}", i == 0 ? "" : ", ", *type, names[i], fallback(signature, i));
        }
        const auto result = type_of(signature, signature.result);
        if (!result) return std::nullopt;
        return base::format("({}) -> {}", out, *result);
    }

    std::optional<std::string> type_of(const CppSignature& signature, std::string_view type) const {
        if (signature.is_schema) return std::string(type);
        const auto found = rules_.operator_places.types.find(plain_type(type));
        return found == rules_.operator_places.types.end() ? std::nullopt : std::optional(found->second);
    }

    // Defaults of schemas are those of Python as well.
    static std::string fallback(const CppSignature& signature, std::size_t i) {
        const std::string& text = signature.parameters[i].fallback;
        return signature.is_schema && !text.empty() ? "=" + text : "";
    }

    const RuleSet& rules_;
    const base::DataStore& store_;
    std::set<std::string> names_{"check_gradients", "__init__"};
};

}  // namespace

std::vector<SkeletonFile> skeleton_package(const std::vector<ProjectOperator>& operators, const RuleSet& rules,
                                           const base::DataStore& store, std::string_view package,
                                           std::string_view project) {
    SkeletonWriter writer(rules, store);
    std::vector<SkeletonFile> out;
    std::string rows, imports;
    for (const ProjectOperator& op : operators) {
        SkeletonFile file = writer.file(op);
        rows += writer.row(op, file);
        imports += base::format("from . import {}\n", file.name);
        file.name += ".py";
        out.push_back(std::move(file));
    }
    if (!rows.empty()) rows.pop_back();
    out.push_back({"__init__.py", std::move(imports)});
    out.push_back({"check_gradients.py", std::string(writer.part("check_gradients.py"))});
    out.push_back({"README.md", filled(writer.part("readme.txt"), {{"rows", rows},
                                                                   {"package", base::printable(package)},
                                                                   {"project", base::printable(project)}})});
    return out;
}

}  // namespace migrator
