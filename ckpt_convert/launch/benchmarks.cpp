#include "ckpt_convert/launch/benchmarks.h"

#include <algorithm>

#include "base/format.h"

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

std::string benchmark_table(const Benchmarks& known) {
    std::vector<std::string> lines;
    for (const Benchmark& one : known.benchmarks)
        lines.push_back(base::format("{} {} {} {} {}", one.name, one.folder, one.tokens,
                                     one.takes_prompt_type() ? "yes" : "no", one.language));
    return base::joined(lines, "\n");
}

}  // namespace ckpt
