#include "migrator/project/program_reach.h"

#include <algorithm>

#include "base/text.h"

namespace migrator {

using base::Path;

ProgramReach::ProgramReach(const ImportGraph& imports, const std::map<Path, CodeNames>& code) {
    const auto add_name = [&](CodeNames::Name name) { ids_.try_emplace(name, static_cast<Id>(ids_.size())); };
    for (const auto& [path, names] : code) {
        numbers_.emplace(path, static_cast<FileId>(files_.size()));
        files_.emplace_back().path = path;
        for (const CodeNames::Function& function : names.functions) add_name(function.name);
        for (const CodeNames::Class& one : names.classes) add_name(one.name);
    }
    named_.resize(ids_.size());
    for (FileId number = 0; number < files_.size(); ++number) {
        File& file = files_[number];
        const CodeNames& names = code.at(file.path);
        file.at_load = known_of(names.at_load);
        file.as_program = known_of(names.as_program);
        add_definitions(names, number);
        for (const ImportGraph::CertainImport& import : imports.certain_imports(file.path)) {
            if (const auto found = numbers_.find(*import.file); found != numbers_.end())
                file.imports.emplace_back(import.by, found->second);
        }
        std::ranges::sort(file.imports);
    }
    find_methods_called_by_classes(code);
}

ProgramReach::Id ProgramReach::id_of(CodeNames::Name name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? kNone : found->second;
}

std::vector<ProgramReach::Id> ProgramReach::known_of(const std::vector<CodeNames::Name>& names) const {
    std::vector<Id> out;
    for (const CodeNames::Name name : names) {
        if (const Id id = id_of(name); id != kNone) out.push_back(id);
    }
    return out;
}

void ProgramReach::add_definitions(const CodeNames& code, FileId number) {
    File& file = files_[number];
    for (const CodeNames::Class& one : code.classes) {
        named_[id_of(one.name)].classes.push_back({number, static_cast<Id>(file.classes.size())});
        file.classes.push_back({id_of(one.name), known_of(one.bases), {}});
    }
    for (const CodeNames::Function& one : code.functions) {
        const Id place = static_cast<Id>(file.functions.size());
        const bool is_method = one.of_class >= 0;
        named_[id_of(one.name)].functions.push_back({number, place});
        file.functions.push_back({id_of(one.name), is_method, one.is_special, known_of(one.mentions)});
        if (is_method) file.classes[static_cast<std::size_t>(one.of_class)].methods.push_back(place);
    }
}

// A class from outside calls what its heirs give it: forward, training_step.
void ProgramReach::find_methods_called_by_classes(const std::map<Path, CodeNames>& code) {
    std::vector<std::vector<Id>> heirs(named_.size());  // by name, names of classes
    std::vector<bool> is_open(named_.size());           // by name: such a class is among the bases
    std::vector<Id> pending;
    const auto open = [&](Id name) {
        if (is_open[name]) return;
        is_open[name] = true;
        pending.push_back(name);
    };
    for (const auto& [path, names] : code) {
        for (const CodeNames::Class& one : names.classes) {
            for (const CodeNames::Name base : one.bases) {
                const Id known = id_of(base);
                if (known == kNone || named_[known].classes.empty()) open(id_of(one.name));
                else heirs[known].push_back(id_of(one.name));
            }
        }
    }
    while (!pending.empty()) {
        const Id name = pending.back();
        pending.pop_back();
        for (const Id heir : heirs[name]) open(heir);
    }
    for (File& file : files_) {
        for (const Class& one : file.classes) {
            if (!is_open[one.name]) continue;
            for (const Id method : one.methods) file.functions[method].is_called_by_class = true;
        }
    }
}

// Of one program.
class ProgramReach::Walk {
public:
    explicit Walk(const ProgramReach& project)
        : project_(project), places_(project.files_.size(), kNone), is_mentioned_(project.named_.size()) {}

    std::vector<Loaded> run(FileId program, std::string_view entry) {
        load(program);
        run_code(program, CodeStanding::kAsProgram, project_.files_[program].as_program);
        for (const std::string_view name : base::split(entry, '.')) mention(project_.id_of(CodeNames::of(name)));
        // A name may load files, and a file may mention names.
        while (begun_ < loaded_.size() || !mentions_.empty()) {
            if (begun_ < loaded_.size()) {
                begin(begun_++);
                continue;
            }
            const Named& named = project_.named_[mentions_.back()];
            mentions_.pop_back();
            for (const auto& [file, function] : named.functions) use_function(file, function);
            for (const auto& [file, number] : named.classes) use_class(file, number);
        }
        std::vector<Loaded> out;
        for (const FileId file : loaded_)
            out.push_back({&project_.files_[file].path, std::move(states_[places_[file]].called)});
        return out;
    }

private:
    // Of a file that is loaded.
    struct State {
        std::vector<bool> called;         // functions
        std::vector<bool> is_class_used;  // by method: its class is
        std::vector<bool> used;           // classes
    };

    void load(FileId file) {
        if (places_[file] != kNone) return;
        places_[file] = static_cast<std::uint32_t>(loaded_.size());
        loaded_.push_back(file);
        const File& what = project_.files_[file];
        states_.push_back({std::vector<bool>(what.functions.size()), std::vector<bool>(what.functions.size()),
                           std::vector<bool>(what.classes.size())});
    }

    void begin(std::size_t place) {
        const FileId number = loaded_[place];
        const File& file = project_.files_[number];
        run_code(number, CodeStanding::kAtLoad, file.at_load);
        for (Id function = 0; function < file.functions.size(); ++function) {
            if (is_mentioned_[file.functions[function].name]) use_function(number, function);
        }
        for (Id one = 0; one < file.classes.size(); ++one) {
            if (is_mentioned_[file.classes[one].name]) use_class(number, one);
        }
    }

    void use_function(FileId file, Id function) {
        if (places_[file] == kNone) return;
        const bool is_method = project_.files_[file].functions[function].is_method;
        if (!is_method || states_[places_[file]].is_class_used[function]) call(file, function);
    }

    void use_class(FileId file, Id number) {
        if (places_[file] == kNone) return;
        State& state = states_[places_[file]];
        if (state.used[number]) return;
        state.used[number] = true;
        const auto& [name, bases, methods] = project_.files_[file].classes[number];
        for (const Id base : bases) mention(base);
        for (const Id method : methods) {
            states_[places_[file]].is_class_used[method] = true;
            const Function& function = project_.files_[file].functions[method];
            if (function.is_called_by_class || is_mentioned_[function.name]) call(file, method);
        }
    }

    void call(FileId file, Id function) {
        std::vector<bool>& called = states_[places_[file]].called;
        if (called[function]) return;
        called[function] = true;
        run_code(file, static_cast<std::int32_t>(function), project_.files_[file].functions[function].mentions);
    }

    // `code`: see CodeStanding.
    void run_code(FileId file, std::int32_t code, const std::vector<Id>& mentions) {
        for (const Id name : mentions) mention(name);
        const auto& imports = project_.files_[file].imports;
        const auto first = std::ranges::lower_bound(imports, code, {}, &std::pair<std::int32_t, FileId>::first);
        for (auto at = first; at != imports.end() && at->first == code; ++at) load(at->second);
    }

    void mention(Id name) {
        if (name == kNone || is_mentioned_[name]) return;
        is_mentioned_[name] = true;
        mentions_.push_back(name);
    }

    const ProgramReach& project_;
    std::vector<std::uint32_t> places_;  // by file: in `loaded_`; kNone: not loaded
    std::vector<FileId> loaded_;
    std::vector<State> states_;  // as `loaded_`
    std::size_t begun_ = 0;      // of `loaded_`
    std::vector<bool> is_mentioned_;
    std::vector<Id> mentions_;  // to follow
};

std::vector<ProgramReach::Loaded> ProgramReach::of(const Path& program, std::string_view entry) const {
    const auto found = numbers_.find(program);
    if (found == numbers_.end()) return {{&program, {}}};
    return Walk(*this).run(found->second, entry);
}

}  // namespace migrator
