// ProgramReach: which files of a project a program loads whatever happens, and which of their functions it calls.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "migrator/project/import_graph.h"
#include "migrator/semantic/code_names.h"

namespace migrator {

// By names alone: what code mentions whenever it runs counts as used, and so does each of this name. A function that is used
// is called; a method is called once its class is used too. What a function imports is loaded when it is called.
class ProgramReach {
public:
    // Of the files of a project.
    ProgramReach(const ImportGraph& imports, const std::map<base::Path, CodeNames>& code);

    struct Loaded {
        const base::Path* path;
        std::vector<bool> called;  // its functions
    };
    // The program itself in front, and no other if it cannot be read. `entry`: its function of this name ("main",
    // "App.main"), if it has one, is called.
    std::vector<Loaded> of(const base::Path& program, std::string_view entry) const;

private:
    using Id = std::uint32_t;  // of a name
    using FileId = std::uint32_t;
    struct Function {
        Id name = 0;
        bool is_method = false;
        bool is_called_by_class =
            false;  // by Python, or by a class that the project does not have, whenever the class is used
        std::vector<Id> mentions;
    };
    struct Class {
        Id name = 0;
        std::vector<Id> bases;
        std::vector<Id> methods;  // in the functions of the file
    };
    struct Place {
        FileId file;
        Id number;  // in its functions, or in its classes
    };
    struct Named {
        std::vector<Place> functions;
        std::vector<Place> classes;
    };
    struct File {
        base::Path path;
        std::vector<Id> at_load;
        std::vector<Id> as_program;
        std::vector<Function> functions;
        std::vector<Class> classes;
        std::vector<std::pair<std::int32_t, FileId>> imports;  // sorted: code (see CodeStanding), and what it imports
    };
    class Walk;
    static constexpr Id kNone = 0xFFFFFFFF;

    Id id_of(CodeNames::Name name) const;
    std::vector<Id> known_of(const std::vector<CodeNames::Name>& names) const;
    void add_definitions(const CodeNames& code, FileId number);
    void find_methods_called_by_classes(const std::map<base::Path, CodeNames>& code);

    std::unordered_map<CodeNames::Name, Id> ids_;  // of functions and classes
    std::vector<Named> named_;                     // by name
    std::map<base::Path, FileId> numbers_;
    std::vector<File> files_;
};

}  // namespace migrator
