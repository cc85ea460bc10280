#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "migrator/source/discovery.h"

namespace migrator {
namespace {

// clang-format off
constexpr auto kTypesByExtension = std::to_array<std::pair<std::string_view, FileType>>({
    {".a", FileType::compiled}, {".cubin", FileType::compiled}, {".dll", FileType::compiled}, {".engine", FileType::compiled},
    {".fatbin", FileType::compiled}, {".plan", FileType::compiled}, {".trt", FileType::compiled},
    {".ptx", FileType::compiled}, {".pyd", FileType::compiled}, {".so", FileType::compiled},
    {".bash", FileType::shell}, {".bat", FileType::script}, {".bats", FileType::script}, {".c", FileType::cpp}, {".c++", FileType::cpp}, {".cc", FileType::cpp}, {".cl", FileType::cuda}, {".cfg", FileType::ini}, {".cmake", FileType::cmake}, {".cmd", FileType::script}, {".conf", FileType::ini},
    {".cpp", FileType::cpp}, {".cu", FileType::cuda}, {".cuh", FileType::cuda}, {".cxx", FileType::cpp}, {".env", FileType::script}, {".fish", FileType::script},
    {".h", FileType::cpp}, {".h++", FileType::cpp}, {".hh", FileType::cpp}, {".hip", FileType::cuda}, {".hpp", FileType::cpp},
    {".def", FileType::script}, {".hxx", FileType::cpp}, {".ini", FileType::ini}, {".inl", FileType::cpp}, {".ipynb", FileType::notebook}, {".json", FileType::json},
    {".just", FileType::script}, {".ksh", FileType::shell}, {".mak", FileType::makefile}, {".mk", FileType::makefile}, {".ps1", FileType::script}, {".py", FileType::python}, {".pyi", FileType::python}, {".pyw", FileType::python},
    {".pbtxt", FileType::protobuf}, {".pyx", FileType::cython}, {".sbatch", FileType::shell}, {".sh", FileType::shell}, {".service", FileType::ini}, {".slurm", FileType::shell}, {".toml", FileType::toml},
    {".yaml", FileType::yaml}, {".yml", FileType::yaml}, {".zsh", FileType::shell}
});
// clang-format on

constexpr auto kShells = std::to_array<std::string_view>({"bash", "dash", "ksh", "sh", "zsh"});

bool is_dockerfile(std::string_view file) {
    return file == "dockerfile" || file == "containerfile" || file.starts_with("dockerfile.") ||
           file.starts_with("dockerfile-") || file.ends_with(".dockerfile");
}

bool is_makefile(std::string_view file) {
    return file == "makefile" || file == "gnumakefile" || file.starts_with("makefile.");
}

// What shells read when they start.
constexpr auto kShellFiles =
    std::to_array<std::string_view>({".bash_aliases", ".bash_login", ".bash_profile", ".bashrc", ".envrc", ".kshrc",
                                     ".profile", ".zprofile", ".zshenv", ".zshrc"});

// Of runners of commands, and of settings for the environment: justfile, Procfile, .env, .env.local
bool is_other_script(std::string_view file) {
    return file == "justfile" || file == ".justfile" || file == "procfile" || file == "jenkinsfile" ||
           file == "singularity" || file == ".env" || file.starts_with(".env.");
}

// pip reads these by name only: requirements-dev.txt, dev-requirements.in, constraints.txt, requirements/base.txt.
bool is_requirements(std::string_view path, std::string_view file) {
    if (!file.ends_with(".txt") && !file.ends_with(".in")) return false;
    const std::string_view stem = file.substr(0, file.rfind('.'));
    if (stem.find("requirements") != std::string_view::npos || stem.starts_with("constraints")) return true;
    return base::file_name(base::parent(path)) == "requirements";
}

}  // namespace

std::string_view name(FileType type) {
    switch (type) {
        case FileType::python: return "python";
        case FileType::cython: return "cython";
        case FileType::notebook: return "notebook";
        case FileType::shell: return "shell";
        case FileType::script: return "script";
        case FileType::dockerfile: return "dockerfile";
        case FileType::makefile: return "makefile";
        case FileType::requirements: return "requirements";
        case FileType::yaml: return "yaml";
        case FileType::json: return "json";
        case FileType::toml: return "toml";
        case FileType::setup_cfg: return "setup_cfg";
        case FileType::ini: return "ini";
        case FileType::cmake: return "cmake";
        case FileType::protobuf: return "protobuf";
        case FileType::cuda: return "cuda";
        case FileType::cpp: return "cpp";
        case FileType::compiled: return "compiled";
        case FileType::other: return "other";
    }
    CHECK(false);
    return {};
}

bool is_code(FileType type) {
    using enum FileType;
    constexpr std::array kNoCode{requirements, yaml, json, toml, setup_cfg, ini, protobuf, compiled, other};
    return !base::contains(kNoCode, type);
}

FileType file_type_of(std::string_view path) {
    const std::string lower = base::lower_case(path);
    const std::string_view file = base::file_name(lower);
    if (file == "cmakelists.txt") return FileType::cmake;
    if (is_dockerfile(file)) return FileType::dockerfile;
    if (is_requirements(lower, file)) return FileType::requirements;
    if (file == "setup.cfg") return FileType::setup_cfg;
    if (file == "pipfile") return FileType::toml;
    if (is_makefile(file)) return FileType::makefile;
    if (is_other_script(file)) return FileType::script;
    if (base::contains(kShellFiles, file)) return FileType::shell;
    const auto dot = file.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return FileType::other;
    const auto* found =
        std::ranges::find(kTypesByExtension, file.substr(dot), [](const auto& row) { return row.first; });
    return found == kTypesByExtension.end() ? FileType::other : found->second;
}

FileType file_type_of_script(std::string_view first_line) {
    if (!first_line.starts_with("#!")) return FileType::other;
    // #!/usr/bin/env -S bash -e, #!/usr/bin/python3.11
    for (std::string_view word : base::split(first_line.substr(2), ' ')) {
        const std::string_view program = base::file_name(word);
        if (program.starts_with("python")) return FileType::python;
        if (base::contains(kShells, program)) return FileType::shell;
        if (program == "fish" || program == "pwsh") return FileType::script;
    }
    return FileType::other;
}

}  // namespace migrator
