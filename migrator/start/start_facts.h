// StartFacts: what a job needs in its environment, how programs are started: rules/start/start.json.
#pragma once

#include <string>
#include <vector>

#include "base/cann.h"
#include "base/result.h"
#include "base/rule_file.h"
#include "migrator/start/secrets.h"

namespace migrator {

struct StartVariable {
    std::string name;
    std::string value;
    std::string why;
    bool several = false;
    std::vector<std::string> unless_mentioned;
};
constexpr auto record_of(const StartVariable*) {
    return base::record("start_variable", "a variable that the script sets",
                        base::field("name", &StartVariable::name, "its name").needed(),
                        base::field("value", &StartVariable::value,
                                    "a text of the shell, which may compute with $processes, $nodes and $cores")
                            .needed(),
                        base::field("why", &StartVariable::why, "the comment above it").needed(),
                        base::field("several", &StartVariable::several, "only where there are several processes"),
                        base::field("unless_mentioned", &StartVariable::unless_mentioned,
                                    "not where a file of the project has one of these texts"));
}

struct Launcher {
    std::vector<std::string> words;
    std::vector<std::string> processes;
    std::vector<std::string> values;
    std::vector<std::string> start;
    std::vector<std::string> headers;
    std::vector<std::string> left_out;
    std::vector<std::string> mentioned;
    std::vector<std::string> unless_mentioned;

    bool starts_several() const { return !processes.empty(); }
};
constexpr auto record_of(const Launcher*) {
    return base::record(
        "start_launcher", "a way to start programs; of several the first that fits",
        base::field("words", &Launcher::words, "that a command begins with; a last `*` stands for any letters")
            .needed(),
        base::field("processes", &Launcher::processes, "options with the number of processes on a machine"),
        base::field("values", &Launcher::values,
                    "options of its own whose next word is a value, and neither a program nor a module"),
        base::field("start", &Launcher::start, "lines of the shell that start @PROGRAM@").needed(),
        base::field("headers", &Launcher::headers, "beginnings of lines at the top of a script that are taken over"),
        base::field("left_out", &Launcher::left_out, "but not with one of these texts"),
        base::field("mentioned", &Launcher::mentioned,
                    "a program that no script starts is started so when its files have one of these texts"),
        base::field("unless_mentioned", &Launcher::unless_mentioned, "and none of these"));
}

struct StartFacts : base::RuleFileHead {
    std::vector<StartVariable> variables;
    Secrets secrets;
    std::vector<std::string> environments;
    std::vector<Launcher> launchers;  // the last one starts a program without anything else
    std::string cann;                 // lines of the shell that load its environment

    static base::Result<StartFacts> load(const base::DataStore& store) {
        TRY_ASSIGN(StartFacts facts, base::read_rule_record<StartFacts>(store, "rules/start/start.json"));
        TRY_ASSIGN(facts.cann, base::cann_lines(store));
        return facts;
    }
};
constexpr auto record_of(const StartFacts*) {
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "start", "how a project is started on NPUs",
        base::field("variables", &StartFacts::variables, "what the script sets"),
        base::field("secrets", &StartFacts::secrets, "how secrets are known, whose values are not copied").needed(),
        base::field("environments", &StartFacts::environments,
                    "beginnings of lines by which a YAML file or a Dockerfile sets variables of what it starts"),
        base::field("launchers", &StartFacts::launchers, "ways to start programs").needed());
}

}  // namespace migrator
