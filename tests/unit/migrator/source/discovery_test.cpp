#include "migrator/source/discovery.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using migrator::discover;
using migrator::DiscoveryOptions;
using migrator::file_type_of;
using migrator::FileList;
using migrator::FileType;
using migrator::FoundFile;

namespace {

FileList found(test::MemoryFileSystem& fs, const DiscoveryOptions& options = {}, const std::string& path = "p") {
    auto list = discover(fs, path, options);
    REQUIRE(list);
    return *list;
}

// "a.py b.txt(-) c.py(excluded by .gitignore)": "(-)" is not analysed and could not be.
std::string line(const FileList& list) {
    std::string out;
    for (const FoundFile& file : list.files) {
        out += (out.empty() ? "" : " ") + file.path;
        if (!file.analysed) out += "(" + (file.skipped_because.empty() ? "-" : file.skipped_because) + ")";
    }
    return out;
}

std::string skipped(const FileList& list) {
    std::string out;
    for (const auto& directory : list.directories_skipped) out += (out.empty() ? "" : " ") + directory;
    return out;
}

}  // namespace

TEST_CASE("file types by name") {
    CHECK(file_type_of("a/train.py") == FileType::python);
    CHECK(file_type_of("a.pyi") == FileType::python);
    CHECK(file_type_of("A.PY") == FileType::python);
    CHECK(file_type_of("n.ipynb") == FileType::notebook);
    CHECK(file_type_of("run.sh") == FileType::shell);
    CHECK(file_type_of("job.slurm") == FileType::shell);
    CHECK(file_type_of("Dockerfile") == FileType::dockerfile);
    CHECK(file_type_of("docker/Dockerfile.gpu") == FileType::dockerfile);
    CHECK(file_type_of("gpu.dockerfile") == FileType::dockerfile);
    CHECK(file_type_of("requirements.txt") == FileType::requirements);
    CHECK(file_type_of("requirements-dev.txt") == FileType::requirements);
    CHECK(file_type_of("dev_requirements.in") == FileType::requirements);
    CHECK(file_type_of("requirements/base.txt") == FileType::requirements);
    CHECK(file_type_of("constraints.txt") == FileType::requirements);
    CHECK(file_type_of("notes.txt") == FileType::other);
    CHECK(file_type_of("requirements.md") == FileType::other);
    CHECK(file_type_of("c.yaml") == FileType::yaml);
    CHECK(file_type_of("c.yml") == FileType::yaml);
    CHECK(file_type_of("ds.json") == FileType::json);
    CHECK(file_type_of("pyproject.toml") == FileType::toml);
    CHECK(file_type_of("setup.cfg") == FileType::setup_cfg);
    CHECK(file_type_of("train.ini") == FileType::ini);
    CHECK(file_type_of("tox.cfg") == FileType::ini);
    CHECK(file_type_of("train.service") == FileType::ini);
    CHECK(file_type_of("k.cu") == FileType::cuda);
    CHECK(file_type_of("k.cuh") == FileType::cuda);
    CHECK(file_type_of("op.cc") == FileType::cpp);
    CHECK(file_type_of("op.h") == FileType::cpp);
    CHECK(file_type_of(".py") == FileType::other);
    for (const char* path : {"Makefile", "GNUmakefile", "a/Makefile.gpu", "rules.mk"})
        CHECK(file_type_of(path) == FileType::makefile);
    for (const char* path : {".env", ".env.local", "a.env", "justfile", "run.fish", "run.bat", "run.ps1", "Procfile",
                             "Jenkinsfile", "env.def"})
        CHECK(file_type_of(path) == FileType::script);
    CHECK(file_type_of("run.zsh") == FileType::shell);
    CHECK(name(FileType::setup_cfg) == "setup_cfg");
    CHECK(name(FileType::ini) == "ini");
    CHECK(file_type_of("models/net/config.pbtxt") == FileType::protobuf);
    CHECK(name(FileType::protobuf) == "protobuf");
    CHECK(file_type_of("net.engine") == FileType::compiled);
    CHECK(file_type_of("1/model.plan") == FileType::compiled);
}

TEST_CASE("discovery: scripts without a suffix are known by their first line") {
    CHECK(migrator::file_type_of_script("#!/usr/bin/env -S bash -e") == FileType::shell);
    CHECK(migrator::file_type_of_script("#!/usr/bin/python3.11") == FileType::python);
    CHECK(migrator::file_type_of_script("#!/usr/bin/perl") == FileType::other);
    CHECK(migrator::file_type_of_script("# bash") == FileType::other);
    test::MemoryFileSystem fs;
    fs.add("p/run", "#!/bin/sh\n");
    fs.add("p/empty", "");
    fs.add("p/run.txt", "#!/bin/sh\n");
    const FileList list = found(fs);
    REQUIRE(list.files.size() == 3);
    CHECK(list.files[0].type == FileType::other);
    CHECK(list.files[1].type == FileType::shell);
    CHECK(list.files[1].analysed);
    CHECK(list.files[2].type == FileType::other);
}

TEST_CASE("discovery: files are sorted, with their sizes and modes") {
    test::MemoryFileSystem fs;
    fs.add("p/b.py", "12345");
    fs.add("p/a/z.py", "");
    fs.add("p/a.py", "", 0755);
    fs.add("p/data.bin", "x");
    const FileList list = found(fs);
    CHECK(list.root == "p");
    CHECK(line(list) == "a.py a/z.py b.py data.bin(-)");
    CHECK(list.files[0].mode == 0755);
    CHECK(list.files[2].bytes == 5);
    CHECK(list.files[2].type == FileType::python);
}

TEST_CASE("discovery: directories that are no sources") {
    test::MemoryFileSystem fs;
    for (const char* path : {"p/a.py", "p/.git/hooks/x.py", "p/.hg/x", "p/.svn/x", "p/__pycache__/a.pyc",
                             "p/node_modules/x.py", "p/.tox/x.py", "p/.mypy_cache/x", "p/x.egg-info/PKG-INFO",
                             "p/build/lib/a.py", "p/dist/a.py", "p/pkg/build/a.py", "p/sub/setup.py",
                             "p/sub/build/a.py", "p/sub/dist/a.py", "p/sub/pkg/dist/a.py", "p/env/bin/x.py"}) {
        fs.add(path, "");
    }
    fs.add("p/.venv/pyvenv.cfg", "");
    fs.add("p/.venv/lib/x.py", "");
    fs.add("p/myenv/pyvenv.cfg", "");
    fs.add("p/myenv/x.py", "");
    const FileList list = found(fs);
    CHECK(line(list) == "a.py env/bin/x.py pkg/build/a.py sub/pkg/dist/a.py sub/setup.py");
    CHECK(
        skipped(list) ==
        ".git .hg .mypy_cache .svn .tox .venv __pycache__ build dist myenv node_modules sub/build sub/dist x.egg-info");
    // What the user names is read.
    CHECK(line(found(fs, {}, "p/.venv")) == "lib/x.py pyvenv.cfg");
    CHECK(line(found(fs, {}, "p/build")) == "lib/a.py");
}

TEST_CASE("discovery: .gitignore files, from the root down") {
    test::MemoryFileSystem fs;
    fs.add("p/.gitignore", "*.log.py\n/data/\nout/*\n!out/keep.py\nsecret.py\n");
    fs.add("p/a.log.py", "");
    fs.add("p/data/x.py", "");
    fs.add("p/sub/data/x.py", "");
    fs.add("p/out/x.py", "");
    fs.add("p/out/keep.py", "");
    fs.add("p/sub/.gitignore", "!secret.py\n/local.py\n");
    fs.add("p/sub/secret.py", "");
    fs.add("p/sub/local.py", "");
    fs.add("p/sub/deep/local.py", "");
    fs.add("p/secret.py", "");
    const FileList list = found(fs);
    const std::string ignored = "(excluded by .gitignore)";
    CHECK(line(list) == ".gitignore(-) a.log.py" + ignored + " out/keep.py out/x.py" + ignored + " secret.py" +
                            ignored + " sub/.gitignore(-)" + " sub/data/x.py sub/deep/local.py sub/local.py" + ignored +
                            " sub/secret.py");
    CHECK(skipped(list) == "data");
}

TEST_CASE("discovery: include and exclude") {
    test::MemoryFileSystem fs;
    for (const char* path : {"p/src/a.py", "p/src/b.sh", "p/tests/t.py", "p/c.py"}) fs.add(path, "");
    DiscoveryOptions options;
    options.exclude = {"tests/**", "*.sh"};
    CHECK(line(found(fs, options)) ==
          "c.py src/a.py src/b.sh(excluded by --exclude) tests/t.py(excluded by --exclude)");
    options.exclude = {"tests"};
    options.include = {"src/", "tests"};
    CHECK(line(found(fs, options)) ==
          "c.py(not matched by --include) src/a.py src/b.sh tests/t.py(excluded by --exclude)");
}

TEST_CASE("discovery: large files are listed only") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", "0123456789");
    fs.add("p/b.py", "012345678");
    fs.add("p/c.sh", "0123456789");
    DiscoveryOptions options;
    options.max_python_bytes = 9;
    const FileList list = found(fs, options);
    CHECK(list.files[0].limit == 9);
    CHECK_FALSE(list.files[0].analysed);
    CHECK(list.files[1].analysed);
    CHECK(list.files[2].analysed);
}

TEST_CASE("discovery: .gitignore files around the root count, up to the repository's") {
    test::MemoryFileSystem fs;
    fs.add("/.gitignore", "a.py\n");
    fs.add("/repo/.git/HEAD", "");
    fs.add("/repo/.gitignore", "b.py\n/src/c.py\n/d.py\nout/\n");
    for (const char* name : {"a.py", "b.py", "c.py", "d.py", "out/e.py"}) {
        fs.add(base::Path("/repo/src/") + name, "");
        fs.add(base::Path("/loose/") + name, "");
    }
    const auto inside = discover(fs, "/repo/src", {});
    REQUIRE(inside);
    CHECK(line(*inside) == "a.py b.py(excluded by .gitignore) c.py(excluded by .gitignore) d.py");
    CHECK(inside->directories_skipped == std::vector<base::Path>{"out"});
    fs.add("/repo/src/out/tmp/f.py", "");
    const auto named = discover(fs, "/repo/src/out/tmp", {});
    REQUIRE(named);
    CHECK(line(*named) == "f.py");
    const auto outside = discover(fs, "/loose", {});
    REQUIRE(outside);
    CHECK(line(*outside) == "a.py b.py c.py d.py out/e.py");
}

TEST_CASE("discovery: links are listed and not followed") {
    test::MemoryFileSystem fs;
    fs.add("p/real/net.py", "");
    REQUIRE(fs.make_link("real/net.py", "p/linked.py"));
    REQUIRE(fs.make_link("real", "p/linkdir"));
    REQUIRE(fs.make_link("nowhere.py", "p/dangling.py"));
    REQUIRE(fs.make_link("..", "p/real/loop"));
    const FileList list = found(fs);
    const std::string link = "(a symbolic link; links are not followed)";
    CHECK(line(list) == "dangling.py" + link + " linkdir(-) linked.py" + link + " real/loop(-) real/net.py");
    CHECK(list.files[0].kind == base::FileKind::symlink);
}

TEST_CASE("discovery: one file") {
    test::MemoryFileSystem fs;
    fs.add("p/q/a.py", "12");
    fs.add("p/.gitignore", "*");
    const FileList list = found(fs, {}, "p/q/a.py");
    CHECK(list.root == "p/q");
    CHECK(line(list) == "a.py");
    REQUIRE(fs.make_link("a.py", "p/q/link.py"));
    CHECK(line(found(fs, {}, "p/q/link.py")) == "link.py");
}

TEST_CASE("discovery: nothing to look at") {
    test::MemoryFileSystem fs;
    fs.add("p/.git/config", "");
    const auto missing = discover(fs, "nowhere", {});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == base::ErrorKind::bad_input);
    const auto empty = discover(fs, "p", {});
    REQUIRE_FALSE(empty);
    CHECK(empty.error().kind == base::ErrorKind::bad_input);
}

namespace {

// A directory and a file that cannot be read.
class Unreadable : public test::MemoryFileSystem {
public:
    base::Result<std::vector<base::DirectoryEntry>> list(const base::Path& directory) override {
        if (directory == "p/locked")
            return base::fail(base::ErrorKind::bad_input, "cannot list: Permission denied", directory);
        return MemoryFileSystem::list(directory);
    }
    base::Result<base::FileInfo> link_info(const base::Path& path) override {
        if (path == "p/b.py") return base::fail(base::ErrorKind::bad_input, "cannot inspect: Input/output error", path);
        return MemoryFileSystem::link_info(path);
    }
};

}  // namespace

TEST_CASE("discovery: what cannot be read is noted, and the rest is found") {
    Unreadable fs;
    fs.add("p/a.py", "");
    fs.add("p/b.py", "");
    fs.add("p/locked/c.py", "");
    const FileList list = found(fs);
    CHECK(line(list) == "a.py b.py(not a regular file, or not readable)");
    REQUIRE(list.unreadable.size() == 2);
    CHECK(list.unreadable[0].where == "p/b.py");
    CHECK(list.unreadable[1].where == "p/locked");
}

TEST_CASE("discovery: vendored and generated files are listed, and analysed when they are named") {
    test::MemoryFileSystem fs;
    for (const char* path : {"in/a.py", "in/_vendor/b.py", "in/pkg/vendor/c.py", "in/pkg/data_pb2.py", "in/vendor.py"})
        fs.add(path, "");
    auto analysed = [&](std::vector<std::string> include) {
        DiscoveryOptions options;
        options.include = std::move(include);
        std::vector<std::string> out;
        const auto list = discover(fs, "in", options);
        REQUIRE(list);
        for (const FoundFile& file : list->files) {
            if (file.analysed) out.push_back(file.path);
        }
        return out;
    };
    CHECK(analysed({}) == std::vector<std::string>{"a.py", "vendor.py"});
    CHECK(analysed({"_vendor/", "*_pb2.py"}) == std::vector<std::string>{"_vendor/b.py", "pkg/data_pb2.py"});
    const auto list = discover(fs, "in", {});
    REQUIRE(list);
    for (const FoundFile& file : list->files) {
        if (file.path == "pkg/data_pb2.py")
            CHECK(file.skipped_because == "generated; name it with --include to analyse it");
    }
}
