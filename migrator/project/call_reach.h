// CallReach: which functions a program calls in any case, of the files that it loads.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "migrator/python/code_names.h"

namespace migrator {

// By names alone: a function that code mentions whenever it runs counts as called, and so does each of this name.
class CallReach {
public:
    // Of the files of a project, which must outlive it.
    explicit CallReach(std::vector<const CodeNames*> files);

    // Of files by their place in the list: which functions of each are called once all of them are loaded, and the
    // function of the name `entry` ("main", "App.main"), if there is one, is called.
    std::vector<std::vector<bool>> called(const std::vector<std::size_t>& loaded, std::string_view entry) const;

private:
    using Id = std::uint32_t;
    struct Function {
        Id name = 0;
        Id of_class = 0;  // kNone: of none whose base may call it
        std::vector<Id> mentions;
    };
    struct File {
        std::vector<Id> at_load;
        std::vector<Function> functions;
    };
    static constexpr Id kNone = 0xFFFFFFFF;

    Id id_of(CodeNames::Name name) const;
    std::vector<Id> known_of(const std::vector<CodeNames::Name>& names) const;

    std::unordered_map<CodeNames::Name, Id> ids_;  // of functions and classes
    std::vector<File> files_;
};

}  // namespace migrator
