#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/launch/script_checks.h"
#include "ckpt_convert/open/option_values.h"
#include "ckpt_convert/target/megatron_target.h"

namespace ckpt {
namespace {

using Use = TrainingFlag::Use;

// "[0,0,1]" of "([0]*2+[1])", as the programs evaluate it; of anything else itself.
std::string without_products(std::string_view text) {
    constexpr std::int64_t kMostCopies = 10'000;
    std::vector<std::string> items;
    std::string_view rest = base::trimmed(text);
    if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
    for (const std::string_view part : base::split(rest, '+')) {
        const std::string_view term = base::trimmed(part);
        const std::size_t end = term.find(']');
        if (!term.starts_with('[') || end == term.npos) return std::string(text);
        std::string_view factor = base::trimmed(term.substr(end + 1));
        const bool is_product = factor.starts_with('*');
        if (is_product) factor = base::trimmed(factor.substr(1));
        const auto copies = is_product ? number_in(factor) : std::optional(1.0);
        if (!copies || (!is_product && !factor.empty()) || *copies < 0 || *copies > kMostCopies)
            return std::string(text);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(*copies); ++i)
            for (const std::string_view item : base::split(term.substr(1, end - 1), ','))
                items.emplace_back(base::trimmed(item));
        if (items.size() > static_cast<std::size_t>(kMostCopies)) return std::string(text);
    }
    return base::format("[{}]", base::joined(items, ","));
}

bool is_same(std::string_view left, std::string_view right) {
    const std::size_t comma = left.find(','), other = right.find(',');
    if (comma != left.npos && other != right.npos)
        return is_same(left.substr(0, comma), right.substr(0, other)) &&
               is_same(left.substr(comma + 1), right.substr(other + 1));
    const auto a = number_in(left), b = number_in(right);
    if (a && b) return std::abs(*a - *b) <= 1e-9 * std::max(std::abs(*a), std::abs(*b));
    return left == right;
}

bool are_same(const std::vector<ScriptWord>& given, const std::vector<std::string>& wanted) {
    return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                      [](const ScriptWord& left, const std::string& right) {
                          return is_same(left.text, right) || without_products(left.text) == without_products(right);
                      });
}

std::string words_of(const std::vector<ScriptWord>& values) {
    std::vector<std::string> out;
    for (const ScriptWord& value : values) out.push_back(value.text);
    return base::joined(out, " ");
}

// A flag of the family against the script's option of the same name.
class FlagCheck {
public:
    FlagCheck(const LaunchFacts& facts, const Source& model, const ScriptJob& job, std::vector<ScriptFinding>& findings)
        : facts_(facts), family_(model.model.mapping().family), job_(job), findings_(findings) {}

    // What the model has, in whichever words.
    void run(const std::vector<TrainingFlag>& flags) {
        for (const TrainingFlag& flag : flags) {
            const auto found = facts_.flags.find(flag.name);
            if (flag.use == Use::given && found != facts_.flags.end())
                said_otherwise_.insert(found->second.same_as.begin(), found->second.same_as.end());
        }
        for (const TrainingFlag& flag : flags) run(flag);
        unknown_to(flags);
    }

private:
    void run(const TrainingFlag& flag) {
        const auto found = facts_.flags.find(flag.name);
        const FlagReading reading = found == facts_.flags.end() ? FlagReading() : found->second;
        if (!reading.compared) return;
        const ScriptOption* option = job_.option(flag.name);
        for (const std::string& older : reading.once)
            if (option == nullptr) option = job_.option(older);
        if (option != nullptr && has_no_effect(reading)) return;
        if (option == nullptr) {
            if (flag.use == Use::given) missing(flag, reading);
        } else if (flag.use == Use::given) {
            if (!is_more(flag, *option, reading)) compare(flag, *option);
        } else if (flag.use == Use::off || base::contains(facts_.of_model, flag.name)) {
            if (!said_otherwise_.contains(flag.name)) too_much(*option);
        } else if (reading.implied) {
            const auto implied = reading.implied->evaluate(job_.lookup());
            if (implied) compare({flag.name, Use::given, {base::format("{}", *implied)}}, *option);
        }
    }

    // Options that make another model, and that the family does not have at all.
    void unknown_to(const std::vector<TrainingFlag>& flags) {
        for (const std::string& name : facts_.of_model) {
            const bool is_known =
                said_otherwise_.contains(name) ||
                std::any_of(flags.begin(), flags.end(), [&](const auto& flag) { return flag.name == name; });
            const ScriptOption* option = job_.option(name);
            const auto found = facts_.flags.find(name);
            const bool is_inert = found != facts_.flags.end() && has_no_effect(found->second);
            if (!is_known && option != nullptr && !is_inert) too_much(*option);
        }
    }

    bool has_no_effect(const FlagReading& reading) const {
        if (!reading.inert) return false;
        const auto inert = reading.inert->evaluate(job_.lookup());
        return inert ? *inert != 0 : job_.is_open;
    }

    static std::string id_of(const std::string& name) {
        std::string out = name.substr(2);
        std::replace(out.begin(), out.end(), '-', '_');
        return out;
    }

    void missing(const TrainingFlag& flag, const FlagReading& reading) {
        const bool is_said = std::any_of(reading.same_as.begin(), reading.same_as.end(),
                                         [&](const std::string& other) { return job_.has(other); });
        const OptionRow* row = job_.list->find(flag.name, job_.program->name);
        std::string otherwise = reading.otherwise;
        if (otherwise.empty() && row != nullptr) otherwise = row->default_value.value_or("");
        if (const ScriptWord* other = job_.value(reading.otherwise_as)) otherwise = other->text;
        const bool is_default =
            !otherwise.empty() && flag.values.size() == 1 && is_same(otherwise, flag.values.front());
        if (is_said || is_default || row == nullptr || job_.is_open) return;
        const bool is_error = reading.absent.empty();
        findings_.push_back(
            {id_of(flag.name),
             is_error ? "error" : "warning",
             job_.program->place,
             is_error ? base::format("{} is missing: the {} model has it", flag.name, family_) : reading.absent,
             flag_text(flag),
             {added_option(job_, flag_text(flag))}});
    }

    bool is_more(const TrainingFlag& flag, const ScriptOption& option, const FlagReading& reading) const {
        if (!reading.may_be_more || flag.values.size() != 1 || option.values.size() != 1) return false;
        const auto may_be = reading.may_be_more->evaluate(job_.lookup());
        const auto wanted = number_in(flag.values.front()), given = number_in(option.values.front().text);
        return may_be && *may_be != 0 && wanted && given && *given > *wanted;
    }

    void compare(const TrainingFlag& flag, const ScriptOption& option) {
        if (!option.has_known_values() || are_same(option.values, flag.values)) return;
        const bool is_no_number = flag.values.size() == 1 && number_in(flag.values.front()) &&
                                  option.values.size() == 1 && !number_in(option.values.front().text);
        if (is_no_number) return;  // which has been said
        // Where a file that is kept beside the checkpoint lies is for the script to say.
        if (std::any_of(flag.values.begin(), flag.values.end(),
                        [](const std::string& value) { return value.starts_with(kCheckpointDir); }))
            return;
        std::vector<ScriptEdit> edits;
        for (std::size_t i = 0; i < option.values.size() && option.values.size() == flag.values.size(); ++i)
            edits.push_back({option.values[i].place, flag.values[i]});
        const ScriptPlace place = option.values.empty() ? option.place : option.values.front().place;
        findings_.push_back({id_of(flag.name), "error", place,
                             base::format("{} is {}, and the model has {}", option.name, words_of(option.values),
                                          base::joined(flag.values, " ")),
                             base::joined(flag.values, " "), std::move(edits)});
    }

    void too_much(const ScriptOption& option) {
        const auto reading = facts_.flags.find(option.name);
        if (reading != facts_.flags.end() && !reading->second.with.empty() && !job_.has(reading->second.with)) return;
        findings_.push_back({id_of(option.name), "error", option.place,
                             base::format("{} makes another model: {} is without it", option.name, family_),
                             "without it", removed_option(option)});
    }

    const LaunchFacts& facts_;
    const std::string& family_;
    const ScriptJob& job_;
    std::vector<ScriptFinding>& findings_;
    std::set<std::string, std::less<>> said_otherwise_;
};

void check_words(const ScriptJob& job, std::string_view option_name, const std::vector<std::string>& known,
                 const std::string& severity, const std::string& what, std::vector<ScriptFinding>& findings) {
    const ScriptOption* option = job.option(option_name);
    if (option == nullptr || known.empty()) return;
    for (const ScriptWord& value : option->values) {
        if (!value.is_known || base::contains(known, value.text)) continue;
        std::vector<ScriptEdit> edits;
        if (option->values.size() == 1) edits.push_back({value.place, known.front()});
        findings.push_back({std::string(option_name.substr(2)), severity, value.place,
                            base::format("{} {}: {}", option_name, value.text, what), base::joined(known, ", "),
                            std::move(edits)});
    }
}

}  // namespace

Status check_model_options(const Knowledge& knowledge, const LaunchFacts& facts, const Source& model,
                           const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const std::string& family = model.model.mapping().family;
    if (const auto prompts = facts.prompts.find(family); prompts != facts.prompts.end())
        check_words(job, "--prompt-type", prompts->second, "warning",
                    base::format("models of the family {} are trained with other prompts", family), findings);
    const auto modules = facts.lora_modules.find(model.model.values().contains("kv_lora_rank") ? "latent" : "");
    if (modules != facts.lora_modules.end())
        check_words(job, "--lora-target-modules", modules->second, "error", "the model has no such module", findings);
    if (!job.runs_model()) return {};
    ConvertOptions options;
    options.target = job.target->dialect;
    if (const ScriptWord* noops = job.value("--noop-layers")) {
        TRY_ASSIGN(options.topology.noop_layers, number_list("--noop-layers", noops->text));
    }
    TRY_ASSIGN(const MegatronTarget target, megatron_target(knowledge, model.model, options));
    TRY_ASSIGN(const auto flags, megatron_flags(knowledge, target, model, DType::bf16, options));
    FlagCheck check(facts, model, job, findings);
    check.run(flags);
    return {};
}

void check_checkpoint_layout(const Source& checkpoint, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    if (!checkpoint.parallel || checkpoint.parallel->dialect.torch_dist || !job.runs_model()) return;
    const ModelValues facts = layout_facts(checkpoint.model, *checkpoint.parallel);
    constexpr auto kSizes = std::to_array<std::pair<const char*, const char*>>({
        {"tp", "--tensor-model-parallel-size"},
        {"pp", "--pipeline-model-parallel-size"},
        {"ep", "--expert-model-parallel-size"},
        {"padded_vocab", "--padded-vocab-size"},
    });
    for (const auto& [name, option_name] : kSizes) {
        const auto given = job.numbers.find(name);
        const auto stored = facts.find(name);
        if (given == job.numbers.end() || stored == facts.end() || given->second == stored->second) continue;
        const ScriptWord* word = job.value(option_name);
        const std::string right = base::format("{}", stored->second);
        std::vector<ScriptEdit> edits;
        if (word != nullptr) edits.push_back({word->place, right});
        else edits.push_back(added_option(job, base::format("{} {}", option_name, right)));
        findings.push_back({"checkpoint_layout", "error", word != nullptr ? word->place : job.program->place,
                            base::format("{} is {}, and the checkpoint has {}", option_name, given->second, right),
                            base::format("{}, or another checkpoint: ckpt_convert convert", right), std::move(edits)});
    }
    const bool starts_anew = job.is_open || job.has("--no-load-optim") || job.has("--finetune");
    if (!checkpoint.has_optimizer && !starts_anew && job.numbers.at("trains") != 0)
        findings.push_back({"no_optimizer",
                            "error",
                            job.program->place,
                            "the checkpoint has no state of an optimizer, and the program looks for it",
                            "--no-load-optim --no-load-rng",
                            {added_option(job, "--no-load-optim --no-load-rng")}});
}

void check_conversions(const std::vector<ScriptJob>& jobs, std::vector<ScriptFinding>& findings) {
    constexpr auto kSizes = std::to_array<std::pair<const char*, const char*>>({
        {"tp", "--tensor-model-parallel-size"},
        {"pp", "--pipeline-model-parallel-size"},
        {"ep", "--expert-model-parallel-size"},
    });
    for (const ScriptJob& conversion : jobs) {
        const ScriptWord* saved = conversion.value("--save-dir");
        for (const ScriptJob& job : jobs) {
            const ScriptWord* load = job.value("--load");
            if (saved == nullptr || load == nullptr || saved->text != load->text) continue;
            for (const auto& [name, option_name] : kSizes) {
                const auto given = job.numbers.find(name), stored = conversion.numbers.find(name);
                const bool are_known = given != job.numbers.end() && stored != conversion.numbers.end();
                if (!are_known || given->second == stored->second) continue;
                const ScriptWord* word = job.value(option_name);
                findings.push_back({"converted_layout",
                                    "error",
                                    word != nullptr ? word->place : job.program->place,
                                    base::format("{} is {}, and the conversion of {} makes {}", option_name,
                                                 given->second, saved->text, stored->second),
                                    base::format("{} in both", stored->second),
                                    {}});
            }
        }
    }
}

void check_numbers(const LaunchFacts& facts, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const auto lookup = job.lookup();
    ModelValues shown = job.numbers;
    for (const LaunchRule& rule : facts.rules) {
        if (!rule.that) continue;
        const auto holds = rule.when ? rule.when->evaluate(lookup) : Result<std::int64_t>(1);
        if (!holds || *holds == 0) continue;
        const auto that = rule.that->evaluate(lookup);
        if (!that || *that != 0) continue;
        ScriptPlace place = job.program->place;
        for (const std::string& name : rule.at) {
            const ScriptOption* option = job.option(name);
            for (const auto* others : {&job.program->launcher, &job.script->batch})
                for (const ScriptOption& other : *others)
                    if (option == nullptr && other.name == name) option = &other;
            if (option == nullptr) continue;
            const bool has_value = !option->values.empty() && !option->values.front().may_be_none;
            place = has_value ? option->values.front().place : option->place;
            break;
        }
        std::vector<ScriptEdit> edits;
        if (!rule.add.empty()) edits.push_back(added_option(job, rule.add));
        findings.push_back({rule.id, rule.severity, place, with_numbers(rule.message, shown),
                            with_numbers(rule.right, shown), std::move(edits)});
    }
}

}  // namespace ckpt
