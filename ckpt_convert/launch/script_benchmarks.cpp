#include <algorithm>

#include "base/format.h"
#include "base/nearest_word.h"
#include "base/paths.h"
#include "ckpt_convert/launch/benchmarks.h"
#include "ckpt_convert/launch/script_checks.h"

namespace ckpt {
namespace {

// The benchmarks of one run of the evaluation program.
class BenchmarkCheck {
public:
    BenchmarkCheck(base::FileSystem& fs, const Benchmarks& known, const ScriptJob& job,
                   std::vector<ScriptFinding>& findings)
        : fs_(fs), known_(known), job_(job), findings_(findings) {}

    void run() {
        const ScriptOption* tasks = job_.option("--task");
        if (tasks == nullptr)
            return add("benchmark", "error", job_.program->place,
                       base::format("{} measures nothing without --task", job_.program->name), one_of_them());
        if (!job_.has("--task-data-path"))
            add("benchmark_data", "error", tasks->place,
                base::format("{} measures nothing without --task-data-path", job_.program->name),
                "the folder with the questions");
        for (const ScriptWord& word : tasks->values) {
            if (!word.is_known) continue;
            if (const Benchmark* benchmark = known_.find(word.text)) check(*benchmark, *tasks);
            else unknown(word);
        }
    }

private:
    void add(std::string id, std::string severity, const ScriptPlace& place, std::string what, std::string right,
             std::vector<ScriptEdit> edits = {}) {
        findings_.push_back(
            {std::move(id), std::move(severity), place, std::move(what), std::move(right), std::move(edits)});
    }

    std::string one_of_them() const { return base::format("one of {}", base::joined(known_.names(), ", ")); }

    void unknown(const ScriptWord& word) {
        const std::vector<std::string> names = known_.names();
        const std::string nearest(base::nearest_word(word.text, names));
        const bool is_sure = base::is_mistyped(word.text, nearest);
        add("benchmark", "error", word.place,
            base::format("{} has no task {}: it passes it over and measures nothing", job_.program->name, word.text),
            is_sure ? nearest : one_of_them(),
            is_sure ? std::vector<ScriptEdit>{{word.place, nearest}} : std::vector<ScriptEdit>{});
    }

    void check(const Benchmark& benchmark, const ScriptOption& tasks) {
        check_tokens(benchmark, tasks);
        // Of several folders the program takes the last one, for every task.
        const ScriptOption* data = job_.option("--task-data-path");
        if (data == nullptr || data->values.empty() || !data->values.back().is_known) return;
        check_folder(benchmark, data->values.back());
    }

    void check_tokens(const Benchmark& benchmark, const ScriptOption& tasks) {
        const ScriptWord* given = job_.value("--max-new-tokens");
        if (given == nullptr && job_.has("--max-new-tokens")) return;
        const OptionRow* row = job_.list->find("--max-new-tokens", job_.program->name);
        const std::string usual = row != nullptr ? row->default_value.value_or("") : "";
        const auto tokens = number_in(given != nullptr ? given->text : usual);
        if (!tokens || *tokens >= static_cast<double>(benchmark.least)) return;
        const std::string right = base::format("{}", benchmark.tokens);
        add("benchmark_tokens", "warning", given != nullptr ? given->place : tasks.place,
            base::format("answers of {} are cut after {} tokens, and the score falls without an error", benchmark.name,
                         static_cast<std::int64_t>(*tokens)),
            "--max-new-tokens " + right,
            {given != nullptr ? ScriptEdit{given->place, right} : added_option(job_, "--max-new-tokens " + right)});
    }

    void check_folder(const Benchmark& benchmark, const ScriptWord& data) {
        const Path folder = base::normal_path(data.text);
        if (const Benchmark* owner = owner_of(benchmark, folder))
            return add("benchmark_data", "error", data.place,
                       base::format("{} is measured with the questions of {}", benchmark.name, owner->name),
                       benchmark.folder);
        if (!benchmark.without_answers.empty() && base::file_name(folder) == benchmark.without_answers)
            return add("benchmark_data", "error", data.place,
                       base::format("the questions of {} in {} have no published answers: nothing can be measured",
                                    benchmark.name, benchmark.without_answers),
                       base::format("the folder {}", base::file_name(benchmark.folder)));
        if (base::is_directory(fs_, folder)) return check_files(benchmark, data, folder);
        if (fs_.exists(folder))
            add("benchmark_data", "error", data.place,
                base::format("--task-data-path takes the folder of {}, and this is a file", benchmark.name),
                std::string(base::parent(folder)));
    }

    // That of another benchmark, by its name.
    const Benchmark* owner_of(const Benchmark& benchmark, const Path& folder) const {
        const auto owns = [&](const Benchmark& one) {
            return folder == one.folder || folder.ends_with("/" + one.folder);
        };
        const auto owner = std::find_if(known_.benchmarks.begin(), known_.benchmarks.end(), owns);
        return owner == known_.benchmarks.end() || owner->folder == benchmark.folder ? nullptr : &*owner;
    }

    void check_files(const Benchmark& benchmark, const ScriptWord& data, const Path& folder) {
        const auto files = fs_.list(folder);
        if (files && files->empty())
            return add("benchmark_data", "error", data.place,
                       base::format("the folder {} of --task-data-path is empty", folder), benchmark.folder);
        if (!benchmark.file.empty()) {
            if (files && std::none_of(files->begin(), files->end(), [&](const base::DirectoryEntry& file) {
                    return file.name.find(benchmark.file) != std::string::npos;
                }))
                add("benchmark_data", "error", data.place,
                    base::format("{} reads the files of {} whose names have \"{}\" in them, and {} has none",
                                 job_.program->name, benchmark.name, benchmark.file, folder),
                    benchmark.folder);
        }
        const bool reads_examples =
            benchmark.needs_examples || job_.has("--prompt-type") || job_.has("--alternative-prompt");
        const Path examples = base::join(base::parent(folder), benchmark.examples);
        if (!benchmark.examples.empty() && reads_examples && !base::is_directory(fs_, examples))
            add("benchmark_data", "error", data.place,
                base::format("{} takes its examples from {}, which is missing", benchmark.name, examples),
                base::format("the folder {} of {}", benchmark.examples, benchmark.name));
    }

    base::FileSystem& fs_;
    const Benchmarks& known_;
    const ScriptJob& job_;
    std::vector<ScriptFinding>& findings_;
};

}  // namespace

void check_benchmarks(base::FileSystem& fs, const Benchmarks& known, const ScriptJob& job,
                      std::vector<ScriptFinding>& findings) {
    if (job.program->name == known.program) BenchmarkCheck(fs, known, job, findings).run();
}

}  // namespace ckpt
