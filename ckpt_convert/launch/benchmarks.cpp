#include "ckpt_convert/launch/benchmarks.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {

const Benchmark* Benchmarks::find(std::string_view name) const {
    const auto found =
        std::find_if(benchmarks.begin(), benchmarks.end(), [&](const Benchmark& one) { return one.name == name; });
    return found == benchmarks.end() ? nullptr : &*found;
}

std::vector<std::string> Benchmarks::names() const {
    std::vector<std::string> out;
    for (const Benchmark& one : benchmarks) out.push_back(one.name);
    return out;
}

std::string benchmark_branches(const Benchmarks& known) {
    std::vector<std::string> lines;
    for (const Benchmark& one : known.benchmarks) {
        std::string line = base::format("    {}) FOLDER={} TOKENS={}", one.name, one.folder, one.tokens);
        if (one.takes_prompt_type()) line += " PROMPT=(--prompt-type \"$PROMPT_TYPE\")";
        if (!one.language.empty()) line += base::format(" LANGUAGE=(--eval-language {})", one.language);
        lines.push_back(line + " ;;");
    }
    return base::joined(lines, "\n");
}

}  // namespace ckpt
