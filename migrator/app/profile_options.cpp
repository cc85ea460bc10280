#include "migrator/app/profile_options.h"

#include <CLI/CLI.hpp>

#include "command_line/one_of.h"
#include "migrator/app/common_options.h"
#include "migrator/app/help_texts.h"

namespace migrator {

void add_profile(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("profile", kProfileAbout);
    command
        ->add_option("PATH", options.profile.path,
                     "A trace of torch.profiler, a folder *_ascend_pt, or a folder with those of several\nranks")
        ->required()
        ->option_text(" ");
    command->add_option("--step", options.profile.step, "Only this step, by the number of its ProfilerStep#")
        ->option_text("N");
    command
        ->add_option("-o,--report", options.report_directory,
                     "Directory for a report: profile.html, profile.json and a CSV file for each\ntable")
        ->option_text("DIR");
    command
        ->add_option("--format", options.formats,
                     "Which files to write, with commas between: html,json,csv,xlsx (default:\nall but xlsx)")
        ->delimiter(',')
        ->check(command_line::OneOf({"html", "json", "csv", "xlsx"}))
        ->option_text("LIST");
    command->get_option("--format")->needs(command->get_option("--report"));
    add_rules_option(*command, options);
    add_json_option(*command, options);
    command->footer(kProfileExamples);
}

}  // namespace migrator
