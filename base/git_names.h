// GitNames: the paths of one index of git as a tree of names: each directory once, whatever the paths weigh when they are written out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace base {

class GitNames {
public:
    enum class Kind : std::uint8_t { file, submodule, directory, whole_directory };

    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t name_at = 0;  // in the texts; the object follows
        std::uint8_t name_bytes = 0;
        Kind kind = Kind::directory;
    };
    static constexpr std::uint32_t kRoot = 0;

    // Paths in the order of git. `shared`: how many bytes a path has in common with the one before. Fails for a path that git
    // never writes: absolute, with "..", ".git" or an empty name.
    Status add(std::string_view path, std::size_t shared, Kind kind, std::string_view object);
    // After the last path.
    void finish();

    const std::vector<Node>& nodes() const { return nodes_; }
    std::string_view name(const Node& node) const { return text().substr(node.name_at, node.name_bytes); }
    std::string_view object(const Node& node, std::size_t bytes) const {
        return text().substr(node.name_at + node.name_bytes, bytes);
    }
    // The numbers of what lies in a directory, by name: a file and a directory of one name are two, as a conflict leaves them.
    std::vector<std::uint32_t>::const_iterator begin_of(std::uint32_t directory, std::string_view name) const;
    std::vector<std::uint32_t>::const_iterator end() const { return order_.end(); }

private:
    struct Open {
        std::uint32_t node;
        std::size_t end;  // of its path
    };
    std::string_view text() const { return texts_; }
    std::uint32_t add_node(std::uint32_t parent, std::string_view name, Kind kind);

    std::vector<Node> nodes_{Node{}};
    std::string texts_;
    std::vector<std::uint32_t> order_;  // numbers of nodes, sorted by parent and name
    std::vector<Open> open_;            // the directories of the path that was added last
};

}  // namespace base
