// Code behind a question: what runs only where the answer is yes, and whether there is another way where it is no.
#pragma once

#include <utility>
#include <vector>

#include "base/byte_ranges.h"
#include "migrator/python/python_file.h"

namespace migrator {

// What is called, or the node itself.
NodeId whole_call(const PythonFile& file, NodeId use);

// Whether it is a condition, or a part of one.
bool is_asked(const SyntaxTree& tree, NodeId node);

// The targets of the assignment that the node is on the right side of.
std::vector<NodeId> targets_of(const SyntaxTree& tree, NodeId node);

// What depends on an answer.
struct Guarded {
    std::vector<base::ByteRange> code;             // that runs, or goes on, only where it is yes
    std::vector<std::pair<NodeId, bool>> kept_in;  // variables and functions, and whether they are true where it is yes
    std::vector<std::pair<NodeId, bool>> branches;  // if, elif: whether they are taken where it is yes
    bool is_demanded = false;                       // nothing goes on where it is no (assert), or that is not known

    void add(const Guarded& other);  // of the same answer
};

// Of the question at the node, also when a variable keeps the answer. `holds`: false where the code behind "no" is asked for.
Guarded guarded_by(const PythonFile& file, NodeId question, bool holds = true);

// Whether, where the answer is no, something else runs in place of the code, or nothing that follows needs what it makes.
bool has_other_way(const PythonFile& file, const Guarded& guarded);

}  // namespace migrator
