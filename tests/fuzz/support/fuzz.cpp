#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/fuzz/support/fuzz.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "base/console.h"
#include "base/format.h"
#include "base/printable.h"

// A failed CHECK ends with _Exit, of which libFuzzer does not hear: the linker is told to call this instead.
extern "C" [[noreturn]] void __wrap__Exit(int) { std::abort(); }

// The shared test code has asserts of doctest, which need a context; there are no cases to run.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
    static doctest::Context context;
    context.setAsDefaultForAssertsOutOfTestCases();
    context.setAssertHandler([](const doctest::AssertData& data) {
        if (data.m_failed) fuzz::require(false, data.m_expr);
    });
    return 0;
}

namespace fuzz {

void require(bool holds, std::string_view what) {
    if (holds) return;
    base::print(stderr, base::show("a promise is broken: {}\n", what));
    std::abort();
}

void require(const base::Status& status, std::string_view what) {
    if (!status) require(false, base::format("{}: {}", what, status.error().text()));
}

std::unique_ptr<base::ReadableFile> file_of(std::string_view bytes) {
    test::MemoryFileSystem fs;
    fs.add("input", std::string(bytes));
    return std::move(*fs.open("input"));
}

void add_files(test::MemoryFileSystem& fs, const std::string& directory, std::string_view bundle) {
    constexpr std::string_view kMark = "\n== ";
    if (!bundle.starts_with(kMark.substr(1))) return;
    bundle.remove_prefix(kMark.size() - 1);
    for (bool more = true; more;) {
        const std::size_t end = bundle.find(kMark);
        more = end != bundle.npos;
        const std::string_view part = bundle.substr(0, end);
        const std::size_t line_end = part.find('\n');
        const std::string_view name = part.substr(0, line_end);
        const bool is_name = !name.empty() && name.find('\0') == name.npos && name.find("//") == name.npos &&
                             !name.starts_with('/') && !name.ends_with('/') && name.find("..") == name.npos;
        const base::Path path = base::join(directory, name);
        if (is_name && line_end != part.npos && !fs.exists(path) && fs.make_directories(base::parent(path)))
            fs.add(path, std::string(part.substr(line_end + 1)));
        if (more) bundle.remove_prefix(end + kMark.size());
    }
}

}  // namespace fuzz
