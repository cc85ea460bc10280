// Strongly connected components of a directed graph: nodes that reach each other.
#pragma once

#include <cstdint>
#include <vector>

namespace base {

// `next`: the nodes behind the edges of each node. Gives the number of each node's component; an edge from one component
// to another leads to a smaller number. Time and memory in proportion to nodes and edges, without recursion.
std::vector<std::uint32_t> strong_components(const std::vector<std::vector<std::uint32_t>>& next);

}  // namespace base
