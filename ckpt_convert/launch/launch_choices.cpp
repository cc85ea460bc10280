#include "ckpt_convert/launch/launch_choices.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/job/choice_flags.h"

namespace ckpt {
namespace {

std::string with_underscores(std::string_view prefix, std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    std::string out = std::string(prefix) + std::string(word);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

// Options with the choice that each comes from.
class Arguments {
public:
    Arguments(const LaunchTarget& target, const OptionList& list) : target_(target), list_(list) {}

    Status add(const Chosen& one, LaunchJob& job) {
        const Choice& choice = *one.choice;
        const std::vector<ChoiceFlag> flags = flags_of(choice, engine_of(target_));
        const bool is_known = std::all_of(flags.begin(), flags.end(), [&](const ChoiceFlag& flag) {
            return list_.find(flag.name, target_.programs.front()) != nullptr;
        });
        if (flags.empty() || !is_known)
            return base::fail(ErrorKind::usage,
                              base::format("--with {}: {} has no option for it", choice.word, target_.title));
        for (const ChoiceFlag& flag : flags) {
            if (flag.is_of_number && one.number == 0) continue;
            if (flag.is_without) {
                job.numbers[with_underscores("without_", flag.name)] = 1;
                continue;
            }
            TRY(add(flag, std::max<std::int64_t>(one.number, 1), choice.word));
        }
        job.numbers[with_underscores("with_", choice.word)] = std::max<std::int64_t>(one.number, 1);
        return {};
    }

    bool has(std::string_view name) const {
        return std::any_of(all_.begin(), all_.end(), [&](const Argument& one) { return one.name == name; });
    }

    std::vector<std::string> lines() const {
        std::vector<std::string> out;
        for (const Argument& one : all_) {
            out.push_back(one.name);
            for (const std::string& value : one.values) out.back() += " " + value;
        }
        return out;
    }

private:
    struct Argument {
        std::string name;
        std::vector<std::string> values;
        std::string word;  // of --with
    };

    Status add(const ChoiceFlag& flag, std::int64_t number, const std::string& word) {
        Argument argument{flag.name, flag.values, word};
        for (std::string& value : argument.values)
            if (value == kNumberOfChoice) value = std::to_string(number);
        const auto before =
            std::find_if(all_.begin(), all_.end(), [&](const Argument& one) { return one.name == argument.name; });
        if (before == all_.end()) {
            all_.push_back(std::move(argument));
            return {};
        }
        const OptionRow* row = list_.find(argument.name, target_.programs.front());
        const bool takes_several = row->takes == "any" || row->takes == "some";
        for (const std::string& value : argument.values) {
            if (base::contains(before->values, value)) continue;
            if (!takes_several)
                return base::fail(ErrorKind::usage,
                                  base::format("--with {} and {}: {} cannot be both {} and {}; give one of them",
                                               before->word, word, argument.name, before->values.front(), value));
            before->values.push_back(value);
        }
        return {};
    }

    const LaunchTarget& target_;
    const OptionList& list_;
    std::vector<Argument> all_;
};

}  // namespace

Engine engine_of(const LaunchTarget& target) {
    if (target.dialect.empty()) return Engine::fsdp2;
    return target.torch_dist ? Engine::megatron : Engine::mindspeed;
}

Status add_choices(const Choices& choices, const LaunchTarget& target, const OptionList& list, const std::string& words,
                   LaunchJob& job) {
    TRY_ASSIGN(job.chosen, read_choices(choices, words, engine_of(target)));
    Arguments arguments(target, list);
    for (const Chosen& one : job.chosen) TRY(arguments.add(one, job));
    job.numbers["with_choices"] = !words.empty();
    if (target.dialect.empty()) return {};
    job.choice_lines = arguments.lines();
    // What the model's own flags say otherwise.
    std::erase_if(job.flags, [&](const TrainingFlag& flag) { return arguments.has(flag.name); });
    return {};
}

}  // namespace ckpt
