// What `--help` says beside the options themselves.
#pragma once

namespace migrator {

inline constexpr const char* kAbout =
    "Move PyTorch GPU training projects to Ascend NPU: find every name, string, package and CUDA source that matters\n"
    "there, rewrite what can be rewritten safely, and report the rest.";

inline constexpr const char* kExamples =
    "Examples:\n"
    "  migrator analyze my_project                        what is there to do? nothing is changed\n"
    "  migrator my_project                                the same\n"
    "  migrator analyze my_project --report report        the same, as a page to work through (report/report.html)\n"
    "  migrator migrate my_project -o my_project_npu      a migrated copy; the report is in my_project_npu_report\n"
    "  migrator migrate my_project --diff                 what would change, as a diff\n"
    "  migrator serve report                              the same page, with decisions saved on the disk\n"
    "  migrator migrate - < train.py > train_npu.py       one file through a pipe, as editors do it\n"
    "  migrator explain method.cuda                       what a rule of the report means\n"
    "  migrator ops trace.json.gz                         which operators of a trace leave the NPU\n"
    "  migrator compare gpu.json npu_ascend_pt            where an NPU loses time against a GPU\n"
    "  migrator profile worker_ascend_pt                  where the time of a profile goes\n"
    "  migrator rules new my_rules/house.json             a rule of your own, with its case\n"
    "  migrator help migrate                              all options of a command\n"
    "  migrator completion bash                           completes commands and options; also zsh, fish\n"
    "\n"
    "Put recurring options in pyproject.toml: [tool.migrator], with their long names as keys.\n"
    "\n"
    "Exit codes: 0 done, 1 findings at or above --fail-on or something to change with --check, 2 wrong usage,\n"
    "3 rules do not load or fail their cases, 4 input missing or unreadable, 5 unsupported, 6 output could not be\n"
    "written, 70 internal error, 71 not enough memory.";

inline constexpr const char* kAnalyzeAbout = "Find what has to change, and change nothing.";
inline constexpr const char* kAnalyzeExamples =
    "Examples:\n"
    "  migrator analyze my_project\n"
    "  migrator analyze train.py models/ --exclude 'models/legacy/'\n"
    "  migrator analyze my_project --report report --format html\n"
    "  migrator analyze . --torch-version 2.1             for the torch that the cluster has\n"
    "  migrator analyze . --fail-on error -q              for CI: exit code 1 when an error is found\n"
    "  migrator analyze . --json | jq .summary            for scripts\n"
    "  migrator analyze site-packages/lib --library -o lib.json\n"
    "                                                     which functions of a library reach what the NPU does not "
    "support\n"
    "  migrator analyze my_project --with-library lib.json\n"
    "                                                     judges the project's calls into it\n"
    "  migrator analyze - --stdin-name a.py --json        for editors: the buffer comes through a pipe";

inline constexpr const char* kMigrateAbout =
    "Write a migrated copy of the project, and a report. The project itself is changed with --in-place only.";
inline constexpr const char* kMigrateExamples =
    "Examples:\n"
    "  migrator migrate my_project -o my_project_npu\n"
    "  migrator migrate my_project -o out --report out_report --format html,diff\n"
    "  migrator migrate my_project -o out --apply none    a plain copy, and the report of what could be applied\n"
    "  migrator migrate . --style portable --in-place     the result still runs on CUDA and CPU\n"
    "  migrator migrate my_project -o out --distributed train.py   and for several devices\n"
    "  migrator migrate my_project -o out --start-script           with run_npu.sh next to what the project starts\n"
    "  migrator migrate my_project -o out --instrument profiler    with the Ascend profiler around the training loop\n"
    "  migrator migrate train.py --diff                   only shows what would change\n"
    "  migrator migrate a.py b.py --in-place -q           as a pre-commit hook: several files, changed where they are\n"
    "  migrator migrate - < a.py > b.py                   source in, migrated source out, summary on standard error\n"
    "  migrator undo .                                    takes back what --in-place has done\n"
    "  migrator migrate . --check -q                      for CI: exit code 1 when something would change\n"
    "  cd my_project && git apply ../my_project_npu_report/report.diff   the same edits in the project itself";

inline constexpr const char* kExplainAbout =
    "Explain what a rule looks for, what it does and where it comes from; or what the rules say about a word.";
inline constexpr const char* kExplainExamples =
    "Examples:\n"
    "  migrator explain method.cuda                       the rule, with an example\n"
    "  migrator explain torch.nn.functional.gelu          a name: its support in each version, and what the rules say "
    "about it\n"
    "  migrator explain flash-attn                        a package; also variables, commands, names of CUDA\n"
    "  migrator explain house.launcher --rules my_rules   a rule of your own";

inline constexpr const char* kRulesAbout = "List, check, test or create rules (default: list).";
inline constexpr const char* kRulesExamples =
    "Examples:\n"
    "  migrator rules list\n"
    "  migrator rules new my_rules/house.json             writes a rule to start from, and its case\n"
    "  migrator rules check my_rules                      are the files right? if not, the line and the key are named\n"
    "  migrator rules test my_rules                       does every rule do what its cases say?\n"
    "  migrator analyze my_project --rules my_rules       use them";

inline constexpr const char* kRulesListExamples =
    "Examples:\n"
    "  migrator rules list | grep error\n"
    "  migrator rules list --rules my_rules --json        with rules of your own, for scripts";

inline constexpr const char* kOperatorListExamples =
    "Examples:\n"
    "  migrator rules operators --verdict cpu_fallback    all that run on the CPU of an Atlas A2\n"
    "  migrator rules operators linalg --chip 310P        those with a word in their names, on another chip\n"
    "  migrator rules operators --compare A3              what differs between A2 and A3\n"
    "  migrator rules operators --torch-version 2.1 --compare-version 2.7 --json";

inline constexpr const char* kOpsAbout =
    "Show which operators of a trace, an exported graph, a log or a list run on which Ascend chip.";
inline constexpr const char* kOpsExamples =
    "Examples:\n"
    "  migrator ops trace.json.gz                         a trace of one training step: what leaves the NPU, and how\n"
    "                                                     much of the time that is\n"
    "  migrator ops model.pt2 --chip A3                   a graph of torch.export\n"
    "  migrator ops train.log                             which operators a log reports\n"
    "  echo torch.linalg.inv | migrator ops -             a list: one name a line, such as torch.cdist float64\n"
    "  migrator ops trace.json.gz --report ops_report     a page with all chips side by side\n"
    "  migrator ops --recorder > record_ops.py            records the operators of a step without an NPU\n"
    "  migrator ops ops.txt --fail-on cpu_fallback        for CI: exit code 1 when an operator leaves the NPU";

inline constexpr const char* kCompareAbout =
    "Compare two profiles: where the new one loses time against the base, in seconds.";
inline constexpr const char* kCompareExamples =
    "Examples:\n"
    "  migrator compare gpu.pt.trace.json.gz npu_ascend_pt          GPU against NPU\n"
    "  migrator compare monday_ascend_pt friday_ascend_pt           two profiles of NPUs\n"
    "  migrator compare gpu.json npu_ascend_pt --report why         a page, and all sheets as CSV files\n"
    "  migrator compare gpu.json npu_ascend_pt --json               for scripts\n"
    "  migrator compare gpu.json npu_ascend_pt --compat msprof      the figures of msprof-analyze";

inline constexpr const char* kProfileAbout =
    "Show where the time of a profile goes, of one rank or of a cluster, and what to do about it.";
inline constexpr const char* kProfileExamples =
    "Examples:\n"
    "  migrator profile worker_ascend_pt                  one rank\n"
    "  migrator profile profiles                          all ranks below a folder, side by side\n"
    "  migrator profile gpu.pt.trace.json.gz --json       for scripts";

inline constexpr const char* kSchemaAbout = "Print the JSON Schema of a file, for editors and programs.";
inline constexpr const char* kSchemaExamples =
    "Examples:\n"
    "  migrator schema report > report.schema.json\n"
    "  migrator schema rules                              what editors complete rule files with";

}  // namespace migrator
