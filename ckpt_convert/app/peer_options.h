// PeerOptions: what the options of other converters are here, from rules/options/.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace ckpt {

// How many values an option takes.
enum class Values { none, one, many };

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
    std::vector<std::pair<std::string, std::string>> needs;  // with `means`: options that must be given, and why
};

class PeerOptions {
public:
    // Fails with rule_data.
    static base::Result<PeerOptions> load(const base::DataStore& store);

    const std::vector<PeerOption>& options() const { return options_; }
    // "--tp,--target-tensor-parallel-size": an option of ours with its other names.
    std::string names(const std::string& option) const;
    // The command line with the words that options stand for, where it does not say them itself. Fails with usage.
    base::Result<std::vector<std::string>> spelled_out(std::vector<std::string> words) const;

private:
    std::vector<PeerOption> options_;
};

}  // namespace ckpt
