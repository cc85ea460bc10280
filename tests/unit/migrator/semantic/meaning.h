// Meaning: asks Bindings what a piece of Python text means, in one short line.
//
//   torch.cuda            external, resolved          torch.cuda?      likely           torch.cuda~   textual
//   project:pkg.f         local:x     builtin:print   a? | b?          several candidates, in source order
//   -                     nothing is known
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/semantic/bindings.h"

namespace test {

const migrator::TypeFacts& real_facts();

class Meaning {
public:
    explicit Meaning(std::string source, migrator::ModuleContext context = {});
    Meaning(const Meaning&) = delete;
    Meaning& operator=(const Meaning&) = delete;

    // The n-th (from 1) node with exactly this text that can be asked; fails the test when there is none.
    migrator::NodeId node(std::string_view text, int n = 1) const;
    // What the last one with this text refers to; most tests bind first and use last.
    std::string of(std::string_view text) const;
    std::string of(std::string_view text, int n) const;
    // The class of its value: "torch.Tensor", "torch.Tensor?", "project:Net", "-".
    std::string type(std::string_view text) const;
    std::string type(std::string_view text, int n) const;
    // The texts of all external expressions, with blanks between.
    std::string external() const;
    // "line:column" of each place, with blanks between.
    std::string places(std::span<const migrator::NodeId> nodes) const;
    // binding_sites: "line:column=value" ...
    std::string sites(std::string_view text, int n = 1) const;
    std::string reads(std::string_view text, int n = 1) const;

    const migrator::SyntaxTree& tree() const { return tree_; }
    const migrator::Bindings& bindings() const { return bindings_; }

private:
    std::vector<migrator::NodeId> nodes(std::string_view text) const;

    std::string source_;
    migrator::SyntaxTree tree_;
    migrator::Bindings bindings_;
};

}  // namespace test
