// PeerOptions: what the options of other converters are here, from rules/options/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// How many values an option takes.
enum class Values { none, one, many };

constexpr std::string_view name(Values values) {
    return values == Values::none ? "none" : values == Values::one ? "one" : "many";
}

// Exactly one of the texts and lists below says what the option is.
struct PeerOption {
    std::string name;
    Values values = Values::none;
    std::string no_effect;    // accepted and noted: why
    std::string unsupported;  // refused: why
    std::string is;           // another name of this option
    std::string sets;         // this value of the model is 1
    std::string must_be;      // its number is compared with this value of the model, or fact of the input's layout
    // By its value the words that it stands for; "{--name}" among them is the value of that option.
    std::map<std::string, std::vector<std::string>, std::less<>> means;
    std::map<std::string, std::string, std::less<>> needs;  // with `means`: options that must be given, and why
    std::map<std::string, std::string, std::less<>>
        without;  // noted of a Megatron output, by the option that is not given

    std::optional<Values> values_key;  // as the file has it
    Status check(const base::JsonPlace& at);
};

constexpr auto record_of(const PeerOption*) {
    using base::field;
    return base::record(
        "option", "an option of another converter",
        field("no_effect", &PeerOption::no_effect, "it is accepted and noted: why"),
        field("unsupported", &PeerOption::unsupported, "it is refused: why"),
        field("is", &PeerOption::is, "it is another name of this option"),
        field("sets", &PeerOption::sets, "this value of the model is 1"),
        field("must_be", &PeerOption::must_be, "its number is that of this value of the model, or fact of the layout"),
        field("means", &PeerOption::means,
              "by its value the words that it stands for; without `values` it is an option of ours with more of them"),
        field("needs", &PeerOption::needs, "with `means`: options that must be given, and why"),
        field("without", &PeerOption::without, "what is noted of a Megatron output where an option is not given"),
        field("values", &PeerOption::values_key, "how many values it takes"));
}

class PeerOptions {
public:
    // Fails with rule_data.
    static Result<PeerOptions> load(const base::DataStore& store);

    const std::vector<PeerOption>& options() const { return options_; }
    // "--tp,--target-tensor-parallel-size": an option of ours with its other names.
    std::string names(const std::string& option) const;
    // The command line with the words that options stand for, where it does not say them itself. Fails with usage.
    Result<std::vector<std::string>> spelled_out(std::vector<std::string> words) const;

private:
    std::vector<PeerOption> options_;
};

}  // namespace ckpt

template <>
inline constexpr auto base::kAll<ckpt::Values> = std::to_array({ckpt::Values::none, ckpt::Values::one,
                                                                ckpt::Values::many});
