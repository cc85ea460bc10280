#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "base/paths.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/formats/broken_download.h"
#include "ckpt_convert/launch/script_checks.h"

namespace ckpt {
namespace {

constexpr std::string_view kDocument = "_document";

void add_finding(std::vector<ScriptFinding>& findings, std::string id, std::string severity, const ScriptPlace& place,
                 std::string what, std::string right, std::vector<ScriptEdit> edits = {}) {
    findings.push_back(
        {std::move(id), std::move(severity), place, std::move(what), std::move(right), std::move(edits)});
}

bool is_kind(base::FileSystem& fs, const Path& path, FileKind kind) {
    const auto info = fs.info(path);
    return info && info->kind == kind;
}

void check_load(base::FileSystem& fs, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const ScriptWord* load = job.value("--load");
    if (load == nullptr || job.has("--enable-hf2mg-convert")) return;
    const ScriptWord* tokenizer = job.value("--tokenizer-name-or-path");
    if (tokenizer == nullptr) tokenizer = job.value("--tokenizer-model");
    const bool is_there = base::is_directory(fs, load->text);
    const bool is_model =
        is_there ? fs.exists(base::join(load->text, "config.json")) && !is_megatron_checkpoint(fs, load->text)
                 : tokenizer != nullptr && tokenizer->text == load->text;
    if (is_model)
        return add_finding(
            findings, "load_path", "error", load->place,
            base::format("--load {} is the Hugging Face model; the program reads Megatron checkpoints", load->text),
            "the directory that ckpt_convert convert wrote, or --enable-hf2mg-convert");
    if (is_there && !is_megatron_checkpoint(fs, load->text))
        add_finding(findings, "load_path", "error", load->place,
                    base::format("--load {}: there is no checkpoint, as latest_checkpointed_iteration.txt is missing",
                                 load->text),
                    "a Megatron checkpoint");
}

// Edits of the end of a word, which may begin with variables. `text`: what stands there instead of `ending`.
std::vector<ScriptEdit> other_ending(const ScriptJob& job, const ScriptWord& word, std::string_view ending,
                                     std::string text) {
    const ScriptPlace& place = word.place;
    std::string_view raw =
        std::string_view(job.script->files[place.file].text).substr(place.begin, place.end - place.begin);
    if (raw.ends_with('"') || raw.ends_with('\'')) raw.remove_suffix(1);
    if (raw.empty() || !raw.ends_with(ending)) return {};
    const std::uint64_t end = place.begin + raw.size();
    return {{{place.file, end - ending.size(), end}, std::move(text)}};
}

std::string without_ending(std::string text, std::string_view ending) {
    if (text.ends_with(ending)) text.erase(text.size() - ending.size());
    return text;
}

void check_pair(base::FileSystem& fs, const ScriptWord& data, const std::string& prefix,
                std::vector<ScriptFinding>& findings) {
    const bool has_bin = fs.exists(prefix + ".bin"), has_idx = fs.exists(prefix + ".idx");
    if (has_bin != has_idx)
        return add_finding(
            findings, "data_pair", "error", data.place,
            base::format("{}.{} is there, and its {} is not", prefix, has_bin ? "bin" : "idx", has_bin ? "idx" : "bin"),
            "both files: write the data again");
    const auto info = fs.info(prefix + ".bin");
    if (has_bin && info && info->bytes == 0)
        add_finding(findings, "data_pair", "error", data.place, base::format("{}.bin is empty", prefix),
                    "write the data again");
}

void check_data(base::FileSystem& fs, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const ScriptOption* option = job.option("--data-path");
    if (option == nullptr || option->values.size() != 1 || !option->values.front().is_known) return;
    const ScriptWord& data = option->values.front();
    const bool is_several = data.text.find(',') != std::string::npos;
    if (is_several) return;
    for (const std::string_view ending : {".bin", ".idx", ".jsonl", ".json", ".parquet"}) {
        if (!data.text.ends_with(ending)) continue;
        const std::string right = without_ending(data.text, ending);
        return add_finding(
            findings, "data_prefix", "error", data.place,
            base::format("--data-path takes the prefix of what preprocess_data.py wrote, without {}", ending), right,
            other_ending(job, data, ending, ""));
    }
    const bool is_tuning = job.numbers.at("is_sft") != 0 || job.numbers.at("is_dpo") != 0 ||
                           job.has("--is-instruction-dataset") || job.has("--is-pairwise-dataset");
    if (!is_tuning && !data.text.ends_with(kDocument))
        return add_finding(findings, "data_prefix", "error", data.place,
                           "the data of pre-training has a prefix that ends in _text_document",
                           data.text + "_text_document", other_ending(job, data, "", "_text_document"));
    if (is_tuning && data.text.ends_with(kDocument)) {
        const std::size_t at = std::min(data.text.rfind("_packed"), data.text.rfind("_text"));
        const std::string right = data.text.substr(0, at);
        return add_finding(findings, "data_prefix", "error", data.place,
                           "the data of fine-tuning is given by its prefix alone, without what ends in _document",
                           right, other_ending(job, data, std::string_view(data.text).substr(at), ""));
    }
    if (!is_tuning) check_pair(fs, data, data.text, findings);
}

// What the script makes with mkdir and install -d.
class MadeDirectories {
public:
    explicit MadeDirectories(const ScriptReading& script) : script_(script) {
        std::vector<Path> inside{Path()};
        for (const auto& command : script.commands) {
            const auto program = std::find_if(command.begin(), command.end(), [](const ScriptWord& word) {
                return base::contains(kMaking, base::file_name(word.text));
            });
            const bool is_body = program != command.end() && (program == command.begin() || (program - 1)->text == "{");
            if (!is_body) continue;
            const std::string_view name = base::file_name(program->text);
            const bool is_install = name == "install";
            const auto is_directory = [](const ScriptWord& word) {
                return word.text == "--directory" || (word.text.starts_with('-') && word.text.ends_with('d'));
            };
            if (is_install && std::none_of(program, command.end(), is_directory)) continue;
            if (name == "popd" && inside.size() > 1) inside.pop_back();
            const bool enters = name == "cd" || name == "pushd";
            for (auto word = program + 1; word != command.end(); ++word) {
                if (enters && name == "cd") inside.back() = base::join(inside.back(), word->text);
                else if (enters) inside.push_back(base::join(inside.back(), word->text));
                else add(*word, inside.back());
                if (enters) entered_.insert(base::normal_path(inside.back()));
            }
        }
    }

    // Some may be made that only the run knows: $(dirname "$PREFIX").
    bool makes_unknown() const { return makes_unknown_; }
    // The directory that a file goes to, when nothing makes it and it is not there; else empty.
    Path missing_for(base::FileSystem& fs, const ScriptWord& file) const {
        const Path directory = base::normal_path(base::parent(file.text));
        const bool is_made = makes(directory) || std::any_of(entered_.begin(), entered_.end(), [&](const Path& inside) {
                                 return makes(base::normal_path(base::join(inside, directory)));
                             });
        // A part that only the run knows leaves nothing to look for; a relative path is looked for beside the script too.
        const bool is_known = !directory.empty() && directory != "/" && (file.is_known || directory.find('/') != 0);
        const Path beside = base::join(base::parent(script_.files.front().path), directory);
        const bool is_there = directory == "." || fs.exists(directory) || fs.exists(beside);
        return is_made || !is_known || is_there || !script_.not_read.empty() ? Path() : directory;
    }

private:
    // The directory, or one below it.
    bool makes(const Path& directory) const {
        const auto below = made_.lower_bound(directory + "/");
        return made_.contains(directory) || (below != made_.end() && below->starts_with(directory + "/"));
    }
    // {a,b} is two words.
    void add(const ScriptWord& word, const Path& inside) {
        makes_unknown_ |= !word.is_known;
        std::vector<std::string> words{word.text};
        for (std::size_t i = 0; i < words.size() && words.size() < kMostWords; ++i) {
            const std::string text = words[i];
            const std::size_t close = text.find('}'), open = text.rfind('{', close);
            if (close == text.npos || open == text.npos || text.substr(open, close - open).find(',') == text.npos)
                continue;
            const std::string choices = text.substr(open + 1, close - open - 1);
            for (const std::string_view one : base::split(choices, ','))
                words.push_back(base::format("{}{}{}", text.substr(0, open), one, text.substr(close + 1)));
        }
        for (const std::string& one : words) {
            made_.insert(base::normal_path(one));
            made_.insert(base::normal_path(base::join(inside, one)));
        }
    }

    static constexpr auto kMaking = std::to_array<std::string_view>({"mkdir", "install", "cd", "pushd", "popd"});
    static constexpr std::size_t kMostWords = 100;

    const ScriptReading& script_;
    std::set<Path> entered_;
    std::set<std::string> made_;
    bool makes_unknown_ = false;
};

void check_output(base::FileSystem& fs, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const ScriptWord* prefix = job.value("--output-prefix");
    if (prefix == nullptr) return;
    if (prefix->is_known && !prefix->text.empty() && prefix->text.find('/') == std::string::npos)
        return add_finding(findings, "output_directory", "error", prefix->place,
                           "--output-prefix names no directory, and the program ends without one", "./" + prefix->text,
                           other_ending(job, *prefix, prefix->text, "./" + prefix->text));
    const MadeDirectories made(*job.script);
    const Path directory = made.missing_for(fs, *prefix);
    if (directory.empty() || made.makes_unknown()) return;
    add_finding(
        findings, "output_directory", "warning", prefix->place,
        base::format("nothing makes the directory {} of --output-prefix, and the program ends without it", directory),
        base::format("mkdir -p {}", base::shell_path(directory)));
}

// A tokenizer, of which a page of the server or nothing was downloaded.
void check_tokenizer_files(base::FileSystem& fs, const LaunchFacts& facts, const ScriptWord& path,
                           std::vector<ScriptFinding>& findings) {
    constexpr std::uint64_t kMost = 1U << 20U;  // of such a page
    const auto entries = fs.list(path.text);
    for (const base::DirectoryEntry& entry : entries ? *entries : std::vector<base::DirectoryEntry>()) {
        const auto is_one = [&](const std::string& ending) { return entry.name.ends_with(ending); };
        if (std::none_of(facts.tokenizer_files.begin(), facts.tokenizer_files.end(), is_one)) continue;
        const Path file = base::join(path.text, entry.name);
        const auto info = fs.info(file);
        if (!info || info->kind != FileKind::regular || info->bytes > kMost) continue;
        const auto text = base::read_file(fs, file, kMost);
        const Status status = text ? refuse_broken_download(*text, file) : Status();
        if (!status)
            add_finding(findings, "tokenizer_file", "error", path.place,
                        base::format("{}: {}", file, status.error().message), "the whole file");
    }
}

void check_tokenizer(base::FileSystem& fs, const LaunchFacts& facts, const ScriptJob& job,
                     std::vector<ScriptFinding>& findings) {
    const ScriptWord* path = job.value("--tokenizer-name-or-path");
    if (path != nullptr && is_kind(fs, path->text, FileKind::regular)) {
        const std::string right(base::parent(path->text));
        return add_finding(findings, "tokenizer_path", "error", path->place,
                           "--tokenizer-name-or-path takes the directory, and this is a file", right,
                           {{path->place, right}});
    }
    if (path == nullptr) path = job.value("--tokenizer-model");
    if (path != nullptr) check_tokenizer_files(fs, facts, *path, findings);
    // A directory with a config.json alone stands for one elsewhere.
    if (path == nullptr || !is_hf_checkpoint(fs, path->text) || facts.has_tokenizer(fs, path->text)) return;
    add_finding(findings, "no_tokenizer", "error", path->place,
                base::format("there is no tokenizer in {}, and the program ends without one", path->text),
                base::format("a directory with one of {}", base::joined(facts.tokenizer_files, ", ")));
}

}  // namespace

void check_paths(base::FileSystem& fs, const LaunchFacts& facts, const ScriptJob& job,
                 std::vector<ScriptFinding>& findings) {
    if (!job.is_open) check_load(fs, job, findings);
    if (!job.is_open) check_data(fs, job, findings);
    check_output(fs, job, findings);
    check_tokenizer(fs, facts, job, findings);
}

void check_logs(base::FileSystem& fs, const ScriptReading& script, std::vector<ScriptFinding>& findings) {
    const MadeDirectories made(script);
    for (const auto& command : script.commands) {
        if (base::file_name(command.front().text) != "tee") continue;
        for (std::size_t i = 1; i < command.size(); ++i) {
            const ScriptWord& file = command[i];
            if (file.text.starts_with('-') || file.text.find('/') == std::string::npos) continue;
            const Path directory = made.missing_for(fs, file);
            if (directory.empty()) continue;
            add_finding(findings, "log_directory", "warning", file.place,
                        base::format("nothing makes the directory {}: tee fails, and the run with it", directory),
                        base::format("mkdir -p {}", base::shell_path(directory)));
        }
    }
}

namespace {

void add_said(std::vector<ScriptFinding>& findings, std::string id, const std::string& severity,
              const ScriptPlace& place, base::Message message, std::string right) {
    add_finding(findings, std::move(id), severity, place, std::string(base::trimmed(message.text(), ".")),
                std::move(right));
    findings.back().message = std::move(message);
}

bool has_value(const ScriptVariable& variable) { return variable.value.is_known && !variable.value.text.empty(); }

// What the tables say of a value.
void check_value(const base::VariableTable& known, const ScriptVariable* variable,
                 std::vector<ScriptFinding>& findings) {
    const std::string right = base::format("what `migrator explain {}` names", variable->name);
    const base::VariableValues* row = known.find(variable->name);
    const auto problem = row != nullptr ? row->problem_of(variable->value.text) : std::nullopt;
    if (problem)
        return add_said(findings, "variable_value", known.severity, variable->value.place,
                        base::Message("{name}: {problem}", {{"name", variable->name}, {"problem", *problem}}), right);
    const auto* remark = known.remark_on(variable->name, variable->value.text);
    if (remark == nullptr) return;
    add_said(findings, "variable_remark", remark->severity, variable->value.place,
             base::Message(remark->message, {{"name", variable->name}, {"note", remark->row.note}}), right);
}

// What the table says of values that a program starts with.
void check_values_together(const base::VariableTable& known, const ScriptReading& script,
                           std::vector<ScriptFinding>& findings) {
    std::set<std::pair<std::size_t, std::size_t>> said;
    for (const std::vector<std::size_t>& start : script.starts) {
        std::vector<base::SetVariable> set;
        std::vector<std::size_t> numbers;
        for (const std::size_t number : start) {
            const ScriptVariable& variable = script.variables[number];
            if (!has_value(variable)) continue;
            set.push_back({variable.name, variable.value.text});
            numbers.push_back(number);
        }
        for (const base::VariableClash& clash :
             base::clashes_of(set, [&](std::string_view name) { return known.find(name); })) {
            if (!said.emplace(numbers[clash.first], numbers[clash.at]).second) continue;
            const bool is_same = set[clash.at].name == set[clash.first].name;
            add_said(findings, is_same ? "variable_twice" : "variable_pair", known.severity,
                     script.variables[numbers[clash.at]].value.place, clash.why, is_same ? "one value" : "one of them");
        }
    }
}

void check_least(const LaunchVariable& row, const ScriptVariable& variable, const std::vector<ScriptJob>& jobs,
                 std::vector<ScriptFinding>& findings) {
    for (const ScriptJob& job : jobs) {
        const auto least = row.least->evaluate(job.lookup());
        const auto given = number_in(variable.value.text);
        if (!least || !given || *given < 1 || *given >= static_cast<double>(*least)) continue;
        return add_finding(findings, "variable_value", row.severity, variable.value.place,
                           base::format("{}={}: {}", variable.name, variable.value.text, row.problem),
                           base::format("{}: {}", *least, row.least_why),
                           {{variable.value.place, base::format("{}", *least)}});
    }
}

}  // namespace

void check_environment(const LaunchFacts& facts, const base::VariableTable& known, const ScriptReading& script,
                       const std::vector<ScriptJob>& jobs, std::vector<ScriptFinding>& findings) {
    for (const ScriptVariable& variable : script.variables) {
        if (!variable.exported) continue;
        if (has_value(variable)) check_value(known, &variable, findings);
        for (const LaunchVariable& row : facts.variables) {
            if (!matches_pattern(row.name, variable.name)) continue;
            if (row.least) check_least(row, variable, jobs, findings);
            else
                add_finding(findings, "variable", row.severity, variable.value.place,
                            base::format("{}: {}", variable.name, row.problem), "without it");
        }
    }
    check_values_together(known, script, findings);
}

}  // namespace ckpt
