// migrate_phases: lines per second of processor time that the migrator's phases take on the Python files named on the
// standard input, one after the other on one thread. tests/bench/migrate_bench.py runs it.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "base/console.h"
#include "base/data_store.h"
#include "base/file_system.h"
#include "base/format.h"
#include "migrator/rewrite/rewriter.h"

namespace {

using namespace migrator;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Phase {
    const char* name;
    double seconds = 0;
};

template <class Work>
auto timed(Phase& phase, const Work& work) {
    const double start = processor_seconds();
    auto result = work();
    phase.seconds += processor_seconds() - start;
    return result;
}

}  // namespace

int main() {
    const base::DataStore store;
    const auto rules = RuleSet::load(store);
    const auto facts = TypeFacts::load(store);
    if (!rules || !facts) return 1;
    RewriteContext context;
    context.match.rules = &*rules;
    context.match.facts = &*facts;
    Phase parse{"parse"};
    Phase resolve{"resolve"};
    Phase find{"match"};
    Phase rewriting{"rewrite"};
    std::uint64_t lines = 0;
    for (std::string path; std::getline(std::cin, path);) {
        auto bytes = base::read_file(base::real_file_system(), path);
        if (!bytes) continue;
        const SourceFile file = make_source_file(path, FileType::python, std::move(*bytes));
        for (const char c : file.text) lines += c == '\n' ? 1 : 0;
        const SyntaxTree tree = timed(parse, [&] { return SyntaxTree::parse(file.text); });
        const Bindings bindings = timed(resolve, [&] { return Bindings::analyse(tree, *facts, {}); });
        timed(find, [&] { return match(file, file.text, context.match, {&tree, &bindings}); });
        // All rounds, so it resolves and matches again.
        timed(rewriting, [&] { return rewrite(file, context, {&tree, nullptr}); });
    }
    rewriting.seconds -= resolve.seconds + find.seconds;
    for (const Phase& phase : {parse, resolve, find, rewriting}) {
        const double seconds = std::max(phase.seconds, 1e-9);
        base::print(stdout,
                    base::format("{} {:.3f} {:.0f}\n", phase.name, seconds, static_cast<double>(lines) / seconds));
    }
    return 0;
}
