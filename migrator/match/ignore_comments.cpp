#include "migrator/match/ignore_comments.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kMark = "migrator: ignore";
constexpr std::string_view kWholeFile = "-file";  // behind the mark

struct IgnoreComment {
    NodeId node = kNoNode;
    base::ByteRange line;
    std::vector<std::string_view> rules;  // empty: all
    bool whole_file = false;
    bool used = false;

    bool covers(const Finding& finding) const {
        const bool named = rules.empty() || base::contains(rules, finding.rule);
        return named && finding.range.begin >= line.begin && finding.range.begin <= line.end;
    }
};

// The comment's rules; nullopt when it is another comment.
std::optional<std::vector<std::string_view>> rules_of(std::string_view comment) {
    std::size_t at = comment.find(kMark);
    if (at == comment.npos || !base::trimmed(comment.substr(1, at - 1), base::kBlanks).empty()) return std::nullopt;
    std::string_view rest = comment.substr(at + kMark.size());
    std::vector<std::string_view> out;
    if (!rest.starts_with('[')) return out;
    rest = rest.substr(1, std::min(rest.find(']'), rest.size()) - 1);
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        if (const std::string_view rule = base::trimmed(rest.substr(0, comma), base::kBlanks); !rule.empty())
            out.push_back(rule);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return out;
}

base::ByteRange line_around(std::string_view text, std::uint64_t at) {
    base::ByteRange out{at, at};
    while (out.begin > 0 && text[out.begin - 1] != '\n' && text[out.begin - 1] != '\r') --out.begin;
    return out;
}

std::vector<IgnoreComment> comments_of(const SyntaxTree& tree) {
    std::vector<IgnoreComment> out;
    if (tree.source().find(kMark) == std::string_view::npos) return out;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::comment) continue;
        auto rules = rules_of(tree.text(id));
        if (!rules) continue;
        IgnoreComment comment{id, line_around(tree.source(), tree.range(id).begin), std::move(*rules)};
        const std::string_view text = tree.text(id);
        comment.whole_file = text.substr(text.find(kMark) + kMark.size()).starts_with(kWholeFile);
        out.push_back(std::move(comment));
    }
    return out;
}

Finding unused(const SyntaxTree& tree, const IgnoreComment& comment) {
    Finding out;
    out.rule = "file.unused_ignore";
    out.kind = FindingKind::file;
    out.severity = Severity::info;
    out.range = tree.range(comment.node);
    out.subject =
        comment.rules.empty() ? std::string(kMark) : base::format("{}[{}]", kMark, base::joined(comment.rules, ", "));
    out.message = "The comment matches no finding on this line.";
    out.source = "reader";
    return out;
}

}  // namespace

void apply_ignore_comments(const SyntaxTree& tree, FindingSink& findings) {
    std::vector<IgnoreComment> comments = comments_of(tree);
    if (comments.empty()) return;
    const auto is_whole = [](const IgnoreComment& comment) { return comment.whole_file; };
    if (std::any_of(comments.begin(), comments.end(), is_whole)) return findings.clear();
    std::set<std::pair<std::uint64_t, std::uint64_t>> kept;  // places that stay as they are
    std::erase_if(findings, [&](const Finding& finding) {
        const auto comment =
            std::find_if(comments.begin(), comments.end(), [&](const IgnoreComment& c) { return c.covers(finding); });
        if (comment == comments.end()) return false;
        comment->used = true;
        if (finding.fix) {
            for (const Edit& edit : finding.fix->edits) kept.emplace(edit.range.begin, edit.range.end);
        }
        return true;
    });
    for (Finding& finding : findings) {
        const bool shared =
            finding.fix && std::any_of(finding.fix->edits.begin(), finding.fix->edits.end(), [&](const Edit& edit) {
                return kept.contains({edit.range.begin, edit.range.end});
            });
        if (shared) finding.fix.reset();
    }
    for (const IgnoreComment& comment : comments) {
        if (!comment.used) findings.push_back(unused(tree, comment));
    }
}

}  // namespace migrator
