#include "ckpt_convert/launch/script_job.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "base/paths.h"
#include "base/text.h"

namespace ckpt {
namespace {

std::optional<std::int64_t> whole_in(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    return code == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(out) : std::nullopt;
}

// Every option of a program on its own.
class OptionReader {
    static constexpr int kMostSlips = 100;

public:
    OptionReader(ScriptJob& job, const OptionList& list, const std::vector<OptionList>& others,
                 std::vector<ScriptFinding>& findings)
        : job_(job), list_(list), others_(others), findings_(findings) {}

    void run() {
        for (const ScriptOption& option : job_.program->options) read(option);
        job_.is_open |= job_.program->is_open;
        // Of a YAML file alone nobody knows the command line.
        if (job_.program->place.end == 0 || job_.is_open) return;
        for (const std::string& name : list_.required(job_.program->name)) {
            if (!job_.has(name))
                add("required", "error", job_.program->place, base::format("{} must be given", name), name);
        }
    }

private:
    void add(std::string id, std::string severity, const ScriptPlace& place, std::string what, std::string right,
             std::vector<ScriptEdit> edits = {}) {
        findings_.push_back(
            {std::move(id), std::move(severity), place, std::move(what), std::move(right), std::move(edits)});
    }

    void read(const ScriptOption& option) {
        const std::string& program = job_.program->name;
        const OptionRow* row = list_.find(option.name, program);
        if (row == nullptr) {
            if (is_inside_value(option.name)) return;
            const auto beginning = list_.beginning(option.name, program);
            if (beginning.size() != 1) return unknown(option);
            row = beginning.front();
            add("prefix", "warning", option.place,
                base::format("{} stands for {}, as long as no other option begins so", option.name, row->name),
                row->name, {{option.place, row->name}});
        }
        check_values(option, *row);
        const auto [known, is_new] = job_.options.emplace(row->takes == "switch" ? option.name : row->name, &option);
        if (is_new) return;
        // What the command line says in the place of a file is meant to.
        if (known->second->name.starts_with("--") == option.name.starts_with("--")) twice(*known->second, option);
        known->second = &option;
    }

    // "data.dataset.file_name": a key of a value that may be anything.
    bool is_inside_value(const std::string& name) const {
        const OptionRow* whole = list_.find(name.substr(0, name.rfind('.')), job_.program->name);
        return whole != nullptr && whole->type == "any";
    }

    void unknown(const ScriptOption& option) {
        const std::string& program = job_.program->name;
        const std::string elsewhere = list_.elsewhere(option.name);
        if (!elsewhere.empty())
            return add("other_release", "error", option.place,
                       base::format("{} is an option of release {} of {}", option.name, elsewhere, job_.target->title),
                       "without it", removed_option(option));
        for (const OptionList& other : others_) {
            if (other.find(option.name, {}) != nullptr)
                return add(
                    "other_target", "error", option.place,
                    base::format("{} does not know {}, which is an option of another project", program, option.name),
                    "without it", removed_option(option));
        }
        if (names_.empty()) names_ = list_.names(program);
        // A script with more of them is not one that was mistyped.
        const bool is_slip = ++unknown_ <= kMostSlips;
        const std::string nearest(is_slip ? base::nearest_word(option.name, names_) : std::string_view());
        const std::string elsewhere_there = is_slip ? key_of_other_section(option.name) : std::string();
        const bool is_sure = base::is_mistyped(option.name, nearest);
        std::string right = is_sure ? nearest : "without it";
        if (!elsewhere_there.empty()) right = elsewhere_there;
        else if (!is_sure && !nearest.empty()) right += base::format(", or {} if that is meant", nearest);
        // It is said once, and counts for what it was meant to be.
        if (is_sure) job_.options.emplace(nearest, &option);
        add("unknown_option", "error", option.place, base::format("{} does not know {}", program, option.name),
            std::move(right), is_sure ? std::vector<ScriptEdit>{{option.place, nearest}} : std::vector<ScriptEdit>{});
    }

    // "optimization.use_flash_attn" for "training.use_flash_attn"; empty: there is none, or several.
    std::string key_of_other_section(std::string_view name) const {
        const std::size_t dot = name.rfind('.');
        if (dot == name.npos) return {};
        std::string out;
        for (const std::string& known : names_) {
            if (!known.ends_with(name.substr(dot)) || known.find('.') != known.rfind('.')) continue;
            if (!out.empty()) return {};
            out = known;
        }
        return out;
    }

    void check_values(const ScriptOption& option, const OptionRow& row) {
        job_.is_open |=
            row.takes_nothing() && std::any_of(option.values.begin(), option.values.end(),
                                               [](const auto& value) { return value.is_open && value.may_be_none; });
        const auto count = static_cast<std::size_t>(std::count_if(
            option.values.begin(), option.values.end(), [](const ScriptWord& value) { return !value.may_be_none; }));
        if (row.type == "list" || row.type == "any") return;
        if (row.takes_nothing() && count > 0)
            return add("extra_value", "error", option.values.front().place,
                       base::format("{} takes no value", option.name), option.name, without_values(option));
        const bool takes_one = row.takes.empty();
        // A truth of YAML on the command line is a switch as well.
        const bool is_switch = row.type == "bool" && option.name.starts_with("--");
        if ((takes_one || row.takes == "some") && option.values.empty() && !is_switch)
            return add("no_value", "error", option.place, base::format("{} needs a value", option.name), "a value");
        if (takes_one && count > 1) return several_words(option);
        for (const ScriptWord& value : option.values) {
            if (value.is_known) check_value(option, row, value);
        }
    }

    // A variable may have other readers.
    static std::vector<ScriptEdit> without_values(const ScriptOption& option) {
        std::vector<ScriptEdit> out;
        for (const ScriptWord& value : option.values) {
            if (value.place.file != value.at.file || value.place.begin != value.at.begin) return {};
            out.push_back({value.at, ""});
        }
        return out;
    }

    // Written there, the second word ends the program; of a variable it is mostly a path that is still to be filled in.
    void several_words(const ScriptOption& option) {
        const ScriptPlace& first = option.values.front().place;
        const ScriptPlace& second = option.values[1].place;
        const bool is_of_variable = second.file != option.place.file || second.begin < option.place.begin;
        if (is_of_variable)
            return add("several_words", "warning", first,
                       base::format("{} takes one value, and the variable has several words", option.name),
                       "one word, or quotes around the variable");
        add("extra_value", "error", second,
            base::format("{} takes one value, and a second follows: {}", option.name, option.values[1].text),
            option.values.front().text);
    }

    void check_value(const ScriptOption& option, const OptionRow& row, const ScriptWord& value) {
        if (row.type == "bool" && !truth_in(value.text))
            return add("bad_value", "error", value.place,
                       base::format("{} is true or false, and not \"{}\"", option.name, value.text), "true or false");
        const bool is_wrong_number =
            (row.type == "int" && !whole_in(value.text)) || (row.type == "float" && !number_in(value.text));
        if (is_wrong_number)
            return add("bad_value", "error", value.place,
                       base::format("{} takes a number, and \"{}\" is none", option.name, value.text), "a number");
        if (row.words.empty() || value.text == row.default_value || base::contains(row.words, value.text)) return;
        const std::string nearest(base::nearest_word(value.text, row.words));
        // Another number is another choice.
        const bool is_slip = !nearest.empty() && value.text.find_first_of("0123456789") == std::string::npos;
        add("bad_value", "error", value.place,
            base::format("{} does not know \"{}\"; there are {}", option.name, value.text,
                         base::joined(row.words, ", ")),
            nearest.empty() ? "one of these" : nearest,
            is_slip ? std::vector<ScriptEdit>{{value.place, nearest}} : std::vector<ScriptEdit>{});
    }

    void twice(const ScriptOption& before, const ScriptOption& after) {
        const auto text = [](const ScriptOption& option) {
            std::string out;
            for (const ScriptWord& value : option.values) out += " " + value.text;
            return out;
        };
        // Of two parts of an `if` one runs.
        if (text(before) == text(after) || job_.script->is_undecided) return;
        add("twice", "warning", before.place,
            base::format("{} is given twice; the last one counts:{}", before.name, text(after)), "one of them",
            removed_option(before));
    }

    ScriptJob& job_;
    const OptionList& list_;
    const std::vector<OptionList>& others_;
    std::vector<ScriptFinding>& findings_;
    std::vector<std::string> names_;  // of the program's options
    int unknown_ = 0;
};

void take_number(ModelValues& numbers, const std::string& name, const ScriptWord* word) {
    if (word == nullptr) return;
    if (const auto number = whole_in(word->text)) numbers[name] = *number;
}

// Of what the comments ask a batch system for, and its command for itself: machines, and tasks on each.
void add_batch_numbers(ScriptJob& job, const BatchSystem& batch) {
    ModelValues& numbers = job.numbers;
    numbers["by_launcher"] = numbers.contains("nproc");
    const auto starts = [&](const std::vector<ScriptWord>& command) {
        return std::any_of(command.begin(), command.end(),
                           [&](const ScriptWord& word) { return base::file_name(word.text) == batch.starter; });
    };
    const auto& commands = job.script->commands;
    if (std::none_of(commands.begin(), commands.end(), starts)) return;
    for (const ScriptOption& option : job.script->batch) {
        if (option.name == "--nodes" || option.name == "-N")
            take_number(numbers, "batch_nodes", &option.values.front());
        if (option.name == "--ntasks-per-node") take_number(numbers, "batch_tasks", &option.values.front());
    }
    for (const ScriptOption& option : job.program->launcher)
        if (option.name == "--ntasks-per-node" && option.values.size() == 1)
            take_number(numbers, "batch_tasks", &option.values.front());
    const auto nodes = numbers.find("batch_nodes"), tasks = numbers.find("batch_tasks");
    if (nodes != numbers.end() && tasks != numbers.end() && numbers["by_launcher"] == 0) {
        numbers.emplace("nproc", tasks->second);
        numbers.emplace("nodes", nodes->second);
    }
}

// What the launcher says: processes of a machine, machines.
void add_launcher_numbers(ScriptJob& job, const BatchSystem& batch) {
    for (const ScriptOption& option : job.program->launcher) {
        std::string name = option.name;
        std::replace(name.begin(), name.end(), '_', '-');
        const ScriptWord* word =
            option.values.size() >= 1 && option.values.front().is_known ? &option.values.front() : nullptr;
        if (name == "--nproc-per-node") take_number(job.numbers, "nproc", word);
        if (name == "--nnodes") take_number(job.numbers, "nodes", word);
        if (name == "--node-rank") take_number(job.numbers, "node_rank", word);
        if (name == "--master-addr" && word != nullptr)
            job.numbers["local_master"] = word->text == "localhost" || word->text.starts_with("127.");
    }
    add_batch_numbers(job, batch);
    const auto nproc = job.numbers.find("nproc");
    if (nproc == job.numbers.end()) return;
    if (!job.program->is_launcher_open) job.numbers.emplace("nodes", 1);
    if (const auto nodes = job.numbers.find("nodes"); nodes != job.numbers.end())
        job.numbers["world"] = nproc->second * nodes->second;
    if (const ScriptVariable* visible = job.script->variable("ASCEND_RT_VISIBLE_DEVICES");
        visible && visible->value.is_known)
        job.numbers["visible"] = static_cast<std::int64_t>(base::split(visible->value.text, ',').size());
}

void add_list_numbers(ScriptJob& job) {
    ModelValues& numbers = job.numbers;
    numbers["listed"] = numbers["noops"] = 0;
    if (const ScriptWord* list = job.value("--num-layer-list")) {
        std::int64_t sum = 0;
        const auto parts = base::split(list->text, ',');
        for (const std::string_view part : parts) sum += whole_in(part).value_or(0);
        numbers["listed"] = static_cast<std::int64_t>(parts.size());
        numbers["list_sum"] = sum;
    }
    if (const ScriptWord* noops = job.value("--noop-layers"))
        numbers["noops"] = static_cast<std::int64_t>(base::split(noops->text, ',').size());
}

bool value_is(const ScriptJob& job, std::string_view option, std::string_view wanted) {
    const ScriptWord* word = job.value(option);
    return word != nullptr && word->text == wanted;
}

// "schedules_method_is_dualpipev" of an option with one word; of a key of YAML that is true "is_recompute".
void add_words(ScriptJob& job) {
    for (const auto& [name, option] : job.options) {
        const ScriptWord* word = job.value(name);
        if (word == nullptr) continue;
        const bool is_key = !name.starts_with("--");
        std::string key = is_key ? name.substr(name.rfind('.') + 1) : name.substr(2);
        std::replace(key.begin(), key.end(), '-', '_');
        const OptionRow* row = is_key ? job.list->find(name, job.program->name) : nullptr;
        if (row != nullptr && row->type == "bool") job.numbers["is_" + key] = truth_in(word->text).value_or(false);
        else job.numbers[key + "_is_" + word->text] = 1;
    }
}

void add_numbers(ScriptJob& job, const LaunchFacts& facts) {
    ModelValues& numbers = job.numbers;
    for (const auto& [name, from] : facts.from_options) {
        if (job.has(from.option)) take_number(numbers, name, job.value(from.option));
        else if (!from.or_option.empty() && job.has(from.or_option))
            take_number(numbers, name, job.value(from.or_option));
        else if (from.otherwise && !job.is_open) numbers[name] = *from.otherwise;
    }
    for (const auto& [name, from] : facts.from_options) {
        const auto other = numbers.find(from.otherwise_from);
        if (!job.has(from.option) && other != numbers.end() && !job.is_open) numbers.emplace(name, other->second);
    }
    add_launcher_numbers(job, facts.batch);
    add_list_numbers(job);
    add_words(job);
    numbers["is_sft"] = value_is(job, "--stage", "sft");
    numbers["is_dpo"] = value_is(job, "--stage", "dpo");
    numbers["full_recompute"] = value_is(job, "--recompute-granularity", "full");
    numbers["trains"] = job.has("--train-iters") || job.has("--train-samples");
    const ScriptWord* handler = job.value("--handler-name");
    numbers["pretrain_handler"] = handler != nullptr && handler->text.starts_with("GeneralPretrain");
    numbers["instruction_handler"] = handler != nullptr && handler->text.find("Instruction") != std::string::npos;
    numbers["half"] = job.has("--bf16") || job.has("--fp16");
    numbers["infers"] = !job.is_open && !numbers["trains"] && job.runs_model();
    // What is not there may be in what was not read.
    if (job.is_open) std::erase_if(numbers, [](const auto& number) { return number.second == 0; });
    else facts.add_numbers(numbers);
}

}  // namespace

std::optional<bool> truth_in(std::string_view text) {
    constexpr std::pair<std::string_view, bool> kWords[] = {{"true", true}, {"yes", true},    {"on", true},
                                                            {"1", true},    {"false", false}, {"no", false},
                                                            {"off", false}, {"0", false}};
    const std::string word = base::lower_case(text);
    for (const auto& [known, is_true] : kWords)
        if (word == known) return is_true;
    return std::nullopt;
}

std::optional<double> number_in(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const double out = std::strtod(copy.c_str(), &end);
    return copy.empty() || *end != '\0' ? std::nullopt : std::optional(out);
}

const ScriptOption* ScriptJob::option(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? nullptr : found->second;
}

const ScriptWord* ScriptJob::value(std::string_view name) const {
    const ScriptOption* found = option(name);
    const bool is_one = found != nullptr && found->values.size() == 1 && found->values.front().is_known;
    return is_one ? &found->values.front() : nullptr;
}

bool ScriptJob::runs_model() const {
    return has("--num-layers") || has("--hidden-size") || has("--tensor-model-parallel-size");
}

Expression::Lookup ScriptJob::lookup() const {
    return [this](std::string_view name) -> std::optional<std::int64_t> {
        constexpr std::string_view kHas = "has_";
        if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
        const bool is_word = name.starts_with("is_") || name.find("_is_") != name.npos;
        if (!name.starts_with(kHas)) return is_word && !is_open ? std::optional<std::int64_t>(0) : std::nullopt;
        std::string asked = "--" + std::string(name.substr(kHas.size()));
        std::replace(asked.begin(), asked.end(), '_', '-');
        const bool is_given = has(asked);
        return is_given || !is_open ? std::optional<std::int64_t>(is_given) : std::nullopt;
    };
}

ScriptJob script_job(const ScriptProgram& program, const ScriptReading& script, const LaunchTarget& target,
                     const OptionList& list, const std::vector<OptionList>& others, const LaunchFacts& facts,
                     std::vector<ScriptFinding>& findings) {
    ScriptJob job;
    job.program = &program;
    job.script = &script;
    job.target = &target;
    job.list = &list;
    OptionReader(job, list, others, findings).run();
    add_numbers(job, facts);
    return job;
}

std::vector<ScriptEdit> removed_option(const ScriptOption& option) {
    std::vector<ScriptEdit> out{{option.at, ""}};
    for (const ScriptWord& value : option.values) {
        const bool is_own = value.at.file != option.at.file || value.at.begin != option.at.begin;  // not --NAME=VALUE
        if (is_own) out.push_back({value.at, ""});
    }
    return out;
}

ScriptEdit added_option(const ScriptJob& job, const std::string& text) {
    const ScriptPlace& place = job.program->end;
    return {{place.file, place.end, place.end}, " " + text};
}

}  // namespace ckpt
