// PackedSummary: a ModuleSummary in as little memory as it takes: a project keeps one for each of its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/semantic/module_summary.h"

namespace migrator {

// Views of its texts stay valid until it is moved.
class PackedSummary {
public:
    PackedSummary(const ModuleSummary& summary);

    std::string_view module() const { return text(module_); }
    std::vector<std::string_view> stars() const { return texts(stars_); }
    std::vector<std::string_view> names() const;
    // nullopt: the module has no such name.
    std::optional<Meanings> name(std::string_view name) const { return find(names_, name); }

    // Classes and functions are known by their numbers.
    std::size_t class_count() const { return classes_.size(); }
    std::string_view class_name(std::size_t number) const { return text(classes_[number].name); }
    std::vector<std::string_view> bases(std::size_t number) const { return texts(classes_[number].bases); }
    bool is_open(std::size_t number) const { return classes_[number].open; }
    std::optional<Meanings> member(std::size_t number, std::string_view name) const {
        return find(classes_[number].members, name);
    }

    std::size_t function_count() const { return functions_.size(); }
    std::string_view function_name(std::size_t number) const { return text(functions_[number].name); }
    Meanings results(std::size_t number) const { return meanings(functions_[number].results); }
    std::vector<std::string_view> parameters(std::size_t number) const { return texts(functions_[number].parameters); }

private:
    class Packer;

    using TextId = std::uint32_t;
    struct Range {
        std::uint32_t begin = 0, end = 0;
    };
    struct PackedMeaning {
        TextId name = 0, type = 0;
        Origin origin = Origin::external;
        Certainty certainty = Certainty::resolved, type_certainty = Certainty::resolved;
        bool type_is_called = false;
    };
    struct Entry {
        TextId name = 0;
        Range meanings;
    };
    struct Class {
        TextId name = 0;
        Range bases;    // in lists_
        Range members;  // in entries_
        bool open = false;
    };
    struct Function {
        TextId name = 0;
        Range results;     // in meanings_
        Range parameters;  // in lists_
    };

    std::string_view text(TextId id) const {
        return std::string_view(bytes_).substr(starts_[id], starts_[id + 1] - starts_[id]);
    }
    std::vector<std::string_view> texts(Range range) const;
    Meanings meanings(Range range) const;
    std::optional<Meanings> find(Range entries, std::string_view name) const;

    std::string bytes_;                        // of all texts
    std::vector<std::uint32_t> starts_ = {0};  // in bytes_, by text; and the end
    std::vector<TextId> lists_;
    std::vector<PackedMeaning> meanings_;
    std::vector<Entry> entries_;  // sorted by name within a range
    std::vector<Class> classes_;
    std::vector<Function> functions_;
    TextId module_ = 0;
    Range stars_, names_;
};

}  // namespace migrator
