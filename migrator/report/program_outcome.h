// ProgramOutcome: whether a program runs on the NPU, what it needs for that, and whether transfer_to_npu would be enough.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/report/transfer_row.h"

namespace migrator {

struct ReportFile;

enum class ProgramVerdict {
    runs,       // nothing of it is open
    runs_with,  // nothing of it is open, but it has to be told to take the NPU
    edit,       // edits are all it needs
    open,       // a person has to look at something
    blocked,    // something that it always loads has no way on the NPU
    cuda_only,  // it measures or builds for CUDA: its first lines fail without it
    obsolete,   // it is made for an NPU stack that is out of use
};
std::string_view name(ProgramVerdict verdict);

// Files of the project that a program loads.
struct ProgramFiles {
    std::uint64_t always = 0;    // whatever happens, itself included
    std::uint64_t optional = 0;  // below an if, a try or an except
};

struct ProgramOutcome {
    TransferRow transfer;
    std::string command;     // that the package installs for it; empty: none
    std::uint64_t rank = 0;  // see ProgramRank
    std::string origin;      // where the project says how to start it: "README.md:12"; empty: nowhere
    bool uses_framework = false;
    std::string chooses_at;  // the surest sign that it takes an NPU by itself: "device.py:46"; empty: it does not
    std::string
        library_at;  // what uses a library that does so for it: "train.py:10"; empty: nothing, or it chooses itself
    ProgramVerdict verdict = ProgramVerdict::runs;
    std::vector<std::string> with;      // arguments and variables by which it is told
    std::vector<std::string> assumed;   // places of devices of CUDA that it takes where nothing else is said
    std::vector<std::string> needs;     // packages whose Ascend build it needs: "torchvision"
    std::vector<std::string> not_with;  // places of the same that it comes to in some cases only: "load.py:5"
    std::vector<std::string> blockers;  // ids of what it always runs and has no way on the NPU
    std::vector<std::string> open;      // ids of what else a person has to look at in code that it always runs
    std::vector<std::string> places;    // of the blockers, or else of what is open: "mask.py:3"
    std::uint64_t edits = 0;            // findings in files it always loads that an edit settles
    ProgramFiles files;

    // Nothing that it loads has to do with a device.
    bool is_without_device() const {
        return verdict == ProgramVerdict::runs && chooses_at.empty() && library_at.empty() && edits == 0 &&
               not_with.empty();
    }
    bool is_running() const { return verdict == ProgramVerdict::runs || verdict == ProgramVerdict::runs_with; }
    // It runs on an NPU, by itself or by a library.
    bool takes_target() const { return is_running() && !(chooses_at.empty() && library_at.empty()); }
    const std::string& name() const { return command.empty() ? transfer.path : command; }
};
// See ProgramRank: of what measures, and of tests and the like, which people do not start.
inline constexpr std::uint64_t kRankMeasure = 6;
inline constexpr std::uint64_t kRankLeftOut = 7;

// Something open in a file.
struct OpenItem {
    std::string id;
    std::string rule;
    std::string subject;
    std::string place;                  // "load.py:5"
    bool has_build = false;             // it is a package with a build for the NPU
    bool blocks = false;                // the code around it does not run on the NPU
    bool ends = false;                  // it may not
    bool is_for_cuda = false;           // see Rule::cuda_only
    bool is_of_old_stack = false;       // see Rule::old_stack
    bool is_settled_by_choice = false;  // of a program that chooses the device by itself
    CodeStanding standing{};
};

// What the analysis of a file means for the programs that load it.
struct FileState {
    std::vector<OpenItem> open;  // without advice
    std::uint64_t edits = 0;
    std::vector<std::string> told;     // see Finding::told
    std::vector<std::string> assumed;  // places, see Finding::is_assumed
};
// What is known of packages and rules by their names.
struct KnownRules {
    std::map<std::string, std::string> package_status;                       // see make_report
    std::set<std::string, std::less<>> cuda_only, stops_nothing, old_stack;  // see Rule
};
FileState file_state(const ReportFile& file, const KnownRules& known);

// How programs load a file.
struct FileUse {
    bool is_program = false;     // it is the one that is run
    bool always = false;         // whatever happens
    std::vector<bool> called{};  // its functions that are called whatever happens; so are those that are not listed

    // Whether code of it runs whatever happens.
    bool runs(const CodeStanding& standing) const;
    // As several programs do, of which one is enough.
    void add(const FileUse& other);
};

struct LoadedFile {
    const FileState* state;
    FileUse use{};
};

// Fills verdict, with, not_with, blockers, edits and files. `asks`: the program finds the NPU by itself, and need not be told.
// `old`: what the project asks for of an NPU stack that is out of use, as places.
void judge(const std::vector<LoadedFile>& files, bool asks, std::vector<std::string> old, ProgramOutcome& row);

}  // namespace migrator
