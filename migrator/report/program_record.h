// The records of ProgramOutcome and its parts.
#pragma once

#include <array>

#include "base/record.h"
#include "migrator/report/or_null.h"
#include "migrator/report/program_outcome.h"

namespace migrator {

constexpr auto record_of(const TransferPlace*) {
    using T = TransferPlace;
    return base::record("transfer_place", "a finding that transfer_to_npu leaves",
                        base::field("path", &T::path, "of the file").always(),
                        base::field("line", &T::line, "in it").always(),
                        base::field("rule", &T::rule, "of the finding").always(),
                        base::field("subject", &T::subject, "of the finding").always(),
                        base::field("message", &T::message, "of the finding").always());
}

constexpr auto record_of(const ProgramFiles*) {
    using F = ProgramFiles;
    return base::record(
        "reached", "files of the project that a program loads",
        base::field("always", &F::always, "whatever happens, itself included").always(),
        base::field("optional", &F::optional, "in some cases only: below an if, a try or an except").always());
}

constexpr auto record_of(const ProgramOutcome*) {
    using P = ProgramOutcome;
    return base::record(
        "program", "a file that is run: whether it runs on the NPU, and whether transfer_to_npu would be enough",
        base::field(
            "name", [](const P& row) -> auto& { return row.name(); },
            "the command that the package installs for it, or its path")
            .always(),
        base::field(
            "path", [](const P& row) -> auto& { return row.transfer.path; }, "of the program")
            .always(),
        base::field(
            "rank", &P::rank,
            "how likely people start it: 1 the README or another document says so; 2 the package installs it; 3 a "
            "script starts it; 4 its name or folder says so; 5 an example or a notebook; 6 anything else that can be "
            "run; 7 tests and what makes the documentation")
            .always(),
        base::field(
            "origin", [](const P& row) { return or_null(row.origin); },
            "where the project says how to start it, or null")
            .always(),
        base::field(
            "verdict", &P::verdict,
            "from the Python files that it loads: `runs`; `runs_with`: on request; `edit`: with "
            "edits that `migrate` makes; `open`: a person has to look at something; `blocked`: something that it "
            "always loads has no way on the NPU; `cuda_only`: it measures or builds for CUDA, and its first lines fail "
            "without it; `obsolete`: it is made for an NPU stack that is out of use")
            .always(),
        base::field(
            "because", [](const P& row) { return or_null(row.chooses_at.empty() ? row.library_at : row.chooses_at); },
            "where it takes an NPU by itself (`device.py:46`), or uses a library that does; null where nothing says so")
            .always(),
        base::field("with", &P::with, "arguments and variables that ask it for the NPU").always(),
        base::field(
            "assumed", &P::assumed,
            "places of devices of CUDA that it takes where nothing else is said: defaults of functions and classes, "
            "values of tables, parts of texts")
            .always(),
        base::field("needs", &P::needs, "packages whose Ascend build it needs").always(),
        base::field("not_with", &P::not_with,
                    "places of what has no way on the NPU, and which it comes to in some cases only")
            .always(),
        base::field("blockers", &P::blockers,
                    "ids of what has no way on the NPU in code that it always runs, the first 100 of a function")
            .always(),
        base::field("open", &P::open, "ids of what else a person has to look at in code that it always runs").always(),
        base::field("edits", &P::edits, "findings that an edit settles, in files that it loads").always(),
        base::field("reached", &P::files, "how many files of the project it loads").always(),
        base::field(
            "files", [](const P& row) { return row.transfer.files; }, "of the project that it loads, itself included")
            .always(),
        base::field(
            "transfer_to_npu", [](const P& row) { return row.transfer.verdict; },
            "`nothing_to_do`: nothing ties it to CUDA; `enough`: the two lines that load it; `with_edits`: and "
            "the edits of `--style auto`; `not_enough`: places are left")
            .always(),
        base::field(
            "redirected", [](const P& row) { return row.transfer.redirected; },
            "findings in these files that are redirected at run time")
            .always(),
        base::field(
            "edited", [](const P& row) { return row.transfer.edited; }, "findings that an edit settles")
            .always(),
        base::field(
            "left", [](const P& row) { return row.transfer.left; }, "the others, without mere information")
            .always(),
        base::field(
            "places", [](const P& row) -> auto& { return row.transfer.places; }, "the first 20 of what is left")
            .always());
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::TransferVerdict> = [] {
    using enum migrator::TransferVerdict;
    return std::to_array({nothing_to_do, enough, with_edits, not_enough});
}();
template <>
inline constexpr auto base::kAll<migrator::ProgramVerdict> = [] {
    using enum migrator::ProgramVerdict;
    return std::to_array({runs, runs_with, edit, open, blocked, cuda_only, obsolete});
}();
