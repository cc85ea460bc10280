// What functions do with texts, commands and variables, whatever they mean; and names that say that code already asks for
// the target. Sections of rule files; several files add to one list.
#pragma once

#include "migrator/ruleset/parameters.h"

namespace migrator {

// Where a language keeps its environment.
struct EnvironmentPlaces {
    std::vector<ParameterRow> taken_by;
    std::vector<std::string> mappings;  // "os.environ"
    ParametersByFunction parameters{};  // "os.getenv"
};
constexpr auto record_of(const EnvironmentPlaces*) {
    return base::record(
        "environment_places", "where a language keeps its environment",
        base::field("parameters", &EnvironmentPlaces::taken_by, "of functions that take the name of a variable"),
        base::field("mappings", &EnvironmentPlaces::mappings, "from names of variables"));
}

// What functions do with texts, whatever the texts mean.
// Functions that call a function with arguments that they are given as a tuple, or by their names as a mapping.
struct StartingFunction {
    std::vector<std::string> of;
    std::string function = "target";  // keyword
    std::string arguments = "args";   // keyword of the tuple
    std::string named = "kwargs";     // keyword of the mapping
    std::uint64_t position = 100;     // of the function, from 0; 100: it has none
    std::uint64_t from = 0;           // the first parameter that the tuple fills
};
constexpr auto record_of(const StartingFunction*) {
    using S = StartingFunction;
    return base::record(
        "starting_function", "functions that call another with the arguments that they are given for it",
        base::field("of", &S::of, "their names").needed(),
        base::field("function", &S::function, "keyword of the function that is called"),
        base::field("position", &S::position, "its position, from 0; without it, it has none").up_to(100),
        base::field("arguments", &S::arguments, "keyword of the tuple of arguments"),
        base::field("named", &S::named, "keyword of the mapping of arguments by name"),
        base::field("from", &S::from, "the first parameter that the tuple fills, from 0").up_to(100));
}

struct TextPlaces {
    std::vector<std::string> shown;             // they show it to people, or name something by it: "print"
    std::vector<std::string> shown_by_methods;  // the same, of objects of unknown class: "debug"
    std::vector<std::string> zipped;            // they give tuples with one item of each argument: "itertools.product"
    std::vector<std::string> chained;           // they give the items of their arguments: "itertools.chain"
    std::vector<StartingFunction> started;      // "threading.Thread"
    std::vector<ParameterRow> passed_by, declared_by;
    ParametersByFunction passed{};    // they give it back: "os.getenv"
    ParametersByFunction declared{};  // it is the value of an option that they declare: "absl.flags.DEFINE_string"
};
constexpr auto record_of(const TextPlaces*) {
    return base::record(
        "text_places", "what functions do with a text, whatever it means",
        base::field("shown", &TextPlaces::shown, "functions that show it to people, or name something by it"),
        base::field("shown_by_methods", &TextPlaces::shown_by_methods, "the same of objects of unknown class"),
        base::field("zipped", &TextPlaces::zipped,
                    "functions that give tuples with one item of each argument, as zip does"),
        base::field("chained", &TextPlaces::chained, "functions that give the items of their arguments, as iter does"),
        base::field("started", &TextPlaces::started, "functions that call another one with what they are given for it"),
        base::field("passed", &TextPlaces::passed_by, "arguments that functions give back"),
        base::field("declared", &TextPlaces::declared_by, "arguments that are the value of an option"));
}

// Functions that read settings from a text.
struct SettingsReader {
    std::string as;
    std::vector<ParameterRow> from;
};
inline constexpr auto kReadSettings = std::to_array<std::string_view>({"json", "yaml", "toml", "ini"});
constexpr auto record_of(const SettingsReader*) {
    return base::record(
        "settings_reader", "functions of Python that read settings from a text",
        base::field("as", &SettingsReader::as, "the type of file that it is read as").needed().one_of(kReadSettings),
        base::field("from", &SettingsReader::from, "the parameters that take the text").needed());
}

// What scripts look like, and which functions start them.
struct ScriptPlaces {
    std::vector<ParameterRow> started_by;
    std::vector<SettingsReader> settings_read_by;
    std::vector<std::string> variable_options;   // options that the name of a variable follows: "-x"
    std::vector<std::string> directives;         // comments with options of the program that starts a script: "#SBATCH"
    std::vector<std::string> installers;         // commands whose words are packages: "pip* install"
    std::vector<std::string> python_installers;  // those of them whose words are packages of Python
    std::vector<std::string> installer_values;   // their options with a value: "-r"
    std::vector<std::string> whole;              // commands that are changed as a whole or not at all: "docker run"
    std::vector<std::string> whole_under;        // keys of settings, what stands below which is as well: "services"
    std::vector<std::string> class_keys;         // keys of settings whose value is the name of a class: "_target_"
    ParametersByFunction commands{};             // "os.system"
    // By the type of file: "json.loads"
    std::vector<std::pair<std::string, ParametersByFunction>> settings{};
};
constexpr auto record_of(const ScriptPlaces*) {
    return base::record(
        "script_places",
        "what scripts look like, and which functions start them; a command is read as a script, whether "
        "it is one text or a list",
        base::field("commands", &ScriptPlaces::started_by, "functions of Python that start one"),
        base::field("settings", &ScriptPlaces::settings_read_by,
                    "functions of Python that read settings from a text; it is looked at as a file of this type is"),
        base::field("variable_options", &ScriptPlaces::variable_options, "options that the name of a variable follows"),
        base::field("directives", &ScriptPlaces::directives, "comments of scripts with options of the scheduler"),
        base::field("installers", &ScriptPlaces::installers,
                    "commands that install packages: the program, which may have one `*`, and its command"),
        base::field("python_installers", &ScriptPlaces::python_installers,
                    "those of them that install packages of Python alone"),
        base::field("installer_values", &ScriptPlaces::installer_values, "their options after which a value stands"),
        base::field("whole", &ScriptPlaces::whole,
                    "commands, written as `installers` are, whose options and variables are rewritten all together or "
                    "not at all"),
        base::field("whole_under", &ScriptPlaces::whole_under,
                    "keys of settings: each mapping right below one is rewritten all together or not at all"),
        base::field("class_keys", &ScriptPlaces::class_keys,
                    "keys of settings whose value is the qualified name of a class or function"));
}

// Names whose use is a sign that a program runs on the target by its own work.
struct SupportNames {
    std::vector<std::string> names;  // "torch.npu"; what is below them too
    std::uint64_t percent = 0;
    bool redirects = false;  // what asks for CUDA afterwards is answered by the target
    bool asks = false;       // they find it by themselves
    bool libraries = false;  // they do so whatever the project knows of the NPU
};
constexpr auto record_of(const SupportNames*) {
    return base::record(
        "support_names", "names whose use says that a program runs on the NPU by its own work",
        base::field("names", &SupportNames::names, "they, and what is below them").needed(),
        base::field("percent", &SupportNames::percent, "how sure that is").needed().up_to(100),
        base::field("redirects", &SupportNames::redirects, "what asks for CUDA afterwards is answered by the NPU"),
        base::field("asks", &SupportNames::asks, "they find the NPU by themselves: nobody has to name it"),
        base::field("libraries", &SupportNames::libraries,
                    "they do so whatever the project knows of the NPU, so they count only together with another sign"));
}

// How sure other signs are, in per cent.
struct SupportForms {
    std::uint64_t import = 0;
    std::uint64_t import_where_asked = 0;
    std::uint64_t value = 0;
    std::uint64_t listed = 0;
};
constexpr auto record_of(const SupportForms*) {
    return base::record(
        "support_forms", "how sure other signs of the same are, in per cent",
        base::field("import", &SupportForms::import, "an import of one of the packages").needed().up_to(100),
        base::field("import_where_asked", &SupportForms::import_where_asked, "one that a question for the NPU guards")
            .needed()
            .up_to(100),
        base::field("value", &SupportForms::value, "the device is assigned, returned or passed").needed().up_to(100),
        base::field("listed", &SupportForms::listed, "it stands in a list, and so does the device of CUDA")
            .needed()
            .up_to(100));
}

// What says that code already knows the target: it chooses by itself, and is left alone.
struct AdaptedNames {
    std::vector<std::string> guards;    // "torch.npu.is_available"
    std::vector<std::string> packages;  // "torch_npu"
    std::vector<std::string>
        features;  // members of the framework that are asked for before they are used: "accelerator"
    // Parts of the names of files and directories: requirements_gpu.txt beside requirements_npu.txt.
    std::vector<std::string> source_words, target_words;
    std::vector<std::string> directories_of_tests;  // ".github"
    std::vector<std::string> questions;             // functions that ask whether a name is there: "hasattr"
    std::vector<std::string> default_keywords;      // "default" of add_argument(default="cuda")
    std::vector<std::string> variable_lookups;      // "os.environ.get"
    std::vector<std::string> default_lookups;       // "get" of values.get("device", "cuda")
    std::vector<std::string> switches;              // "store_true" of add_argument(action="store_true")
    std::vector<std::string> harmless;              // "torch.cuda.manual_seed": nothing happens without CUDA
    std::vector<std::string> values_of_source;      // "torch.float64": chosen for CUDA alone, it is not for the target
    std::vector<SupportNames> support;
    SupportForms forms;
};
constexpr auto record_of(const AdaptedNames*) {
    return base::record(
        "adapted", "code that chooses the device by itself: it is reported and left alone",
        base::field("guards", &AdaptedNames::guards, "names whose use says so").needed(),
        base::field("packages", &AdaptedNames::packages, "packages that only an NPU needs").needed(),
        base::field("features", &AdaptedNames::features,
                    "members of the framework that say which device there is, and are asked for before they are used")
            .needed(),
        base::field("source_words", &AdaptedNames::source_words, "words of paths of what is for CUDA").needed(),
        base::field("target_words", &AdaptedNames::target_words, "words of paths of what is for the NPU").needed(),
        base::field("directories_of_tests", &AdaptedNames::directories_of_tests, "of services that test a project")
            .needed(),
        base::field("questions", &AdaptedNames::questions, "functions that ask whether a name is there").needed(),
        base::field("default_keywords", &AdaptedNames::default_keywords,
                    "arguments with the value of an option that nobody gives")
            .needed(),
        base::field("variable_lookups", &AdaptedNames::variable_lookups,
                    "functions that give a variable of the environment, or else their second argument")
            .needed(),
        base::field("default_lookups", &AdaptedNames::default_lookups,
                    "functions and methods whose last argument is only what is taken where there is nothing else")
            .needed(),
        base::field("switches", &AdaptedNames::switches,
                    "values that make an option of the command line one without a value")
            .needed(),
        base::field("harmless", &AdaptedNames::harmless, "names of CUDA that may be called where there is none")
            .needed(),
        base::field("values_of_source", &AdaptedNames::values_of_source,
                    "values that are not for the NPU where code chooses them for CUDA alone")
            .needed(),
        base::field("support", &AdaptedNames::support, "names that say that a program runs on the NPU").needed(),
        base::field("forms", &AdaptedNames::forms, "how sure other signs are").needed());
}

base::Status add(RuleSet& set, EnvironmentPlaces places, const base::JsonPlace& at);
base::Status add(RuleSet& set, TextPlaces places, const base::JsonPlace& at);
base::Status add(RuleSet& set, ScriptPlaces places, const base::JsonPlace& at);
base::Status add(RuleSet& set, AdaptedNames names, const base::JsonPlace& at);

}  // namespace migrator
