// CallGraph: which functions of a library reach something that the NPU lacks, and how.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "migrator/library/library_function.h"

namespace migrator {

class CallGraph {
public:
    explicit CallGraph(std::vector<LibraryFunction> functions);

    // A way from a function to an obstacle, one of the shortest.
    struct Way {
        const Obstacle* obstacle = nullptr;
        std::vector<const LibraryFunction*> functions;  // the asked one in front, the one with the obstacle last
    };
    // One way for every subject that the function reaches, the nearest first; at most kMaxWays.
    std::vector<Way> ways(const LibraryFunction& from) const;
    static constexpr std::size_t kMaxWays = 20;

    const std::vector<LibraryFunction>& functions() const { return functions_; }
    const LibraryFunction* find(std::string_view name) const;
    // A class and its bases, the nearest first.
    std::vector<const LibraryFunction*> with_bases(const LibraryFunction& of) const;
    // The method that a class has or inherits; nullptr for none.
    const LibraryFunction* find_method(const LibraryFunction& of, std::string_view method) const;

private:
    void link(std::size_t from);

    std::vector<LibraryFunction> functions_;  // sorted by name
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<std::vector<std::size_t>> calls_;  // by function
    std::vector<bool> reaches_;                    // an obstacle, by function
};

}  // namespace migrator
