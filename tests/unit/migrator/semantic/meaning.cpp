#include "tests/unit/migrator/semantic/meaning.h"

#include <doctest/doctest.h>

#include "base/format.h"

namespace test {
namespace {

using namespace migrator;

std::string text_of(const Reference& reference) {
    std::string out;
    if (reference.origin == Origin::project) out = "project:";
    if (reference.origin == Origin::builtin) out = "builtin:";
    if (reference.origin == Origin::local) out = "local:";
    out += reference.name;
    if (reference.certainty == Certainty::likely) out += '?';
    if (reference.certainty == Certainty::textual) out += '~';
    return out;
}

}  // namespace

const TypeFacts& real_facts() {
    static const TypeFacts facts = [] {
        const base::DataStore store;
        auto loaded = TypeFacts::load(store);
        REQUIRE_MESSAGE(loaded, (loaded ? std::string() : loaded.error().text()));
        return *loaded;
    }();
    return facts;
}

Meaning::Meaning(std::string source, ModuleContext context)
    : source_(std::move(source)),
      tree_(SyntaxTree::parse(source_)),
      bindings_(Bindings::analyse(tree_, real_facts(), context)) {}

std::vector<NodeId> Meaning::nodes(std::string_view text) const {
    std::vector<NodeId> out;
    for (NodeId id = 0; id < tree_.size(); ++id) {
        if (!tree_.named(id) || tree_.text(id) != text) continue;
        // Of nodes with one text, such as a statement and its expression, the innermost counts.
        if (!out.empty() && tree_.is_ancestor(out.back(), id)) out.pop_back();
        out.push_back(id);
    }
    return out;
}

NodeId Meaning::node(std::string_view text, int n) const {
    const std::vector<NodeId> found = nodes(text);
    REQUIRE_MESSAGE(found.size() >= static_cast<std::size_t>(n), std::string(text));
    return found[static_cast<std::size_t>(n - 1)];
}

std::string Meaning::of(std::string_view text) const { return of(text, static_cast<int>(nodes(text).size())); }

std::string Meaning::of(std::string_view text, int n) const {
    std::string out;
    for (const Reference& reference : bindings_.references(node(text, n)))
        out += (out.empty() ? "" : " | ") + text_of(reference);
    return out.empty() ? "-" : out;
}

std::string Meaning::type(std::string_view text) const { return type(text, static_cast<int>(nodes(text).size())); }

std::string Meaning::type(std::string_view text, int n) const {
    const auto found = bindings_.type_of(node(text, n));
    return found ? text_of(*found) : "-";
}

std::string Meaning::external() const {
    std::string out;
    for (const NodeId id : bindings_.external_expressions())
        out += (out.empty() ? "" : " ") + std::string(tree_.text(id));
    return out;
}

std::string Meaning::places(std::span<const NodeId> nodes) const {
    const base::LineIndex lines(source_);
    std::string out;
    for (const NodeId id : nodes) {
        const base::TextPosition at = lines.position(tree_.range(id).begin);
        out += base::format("{}{}:{}", out.empty() ? "" : " ", at.line, at.column);
    }
    return out;
}

std::string Meaning::sites(std::string_view text, int n) const {
    std::string out;
    for (const BindingSite& site : bindings_.binding_sites(node(text, n))) {
        out += (out.empty() ? "" : " ") + places(std::span(&site.target, 1)) + "=";
        out += site.value == kNoNode ? "-" : std::string(tree_.text(site.value));
    }
    return out;
}

std::string Meaning::reads(std::string_view text, int n) const { return places(bindings_.reads(node(text, n))); }

}  // namespace test
