#include <doctest/doctest.h>

#include <atomic>

#include "base/byte_reader.h"
#include "base/data_store.h"
#include "base/guarded.h"
#include "base/human.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/text_position.h"
#include "base/utf8.h"
#include "base/write_file.h"
#include "tests/support/memory_file_system.h"

TEST_CASE("blanks at both ends of a text are left out") {
    CHECK(base::trimmed(" \t a b\r\n") == "a b");
    CHECK(base::trimmed("a\r ", base::kBlanks) == "a\r");
    CHECK(base::trimmed("a") == "a");
    CHECK(base::trimmed(" \n").empty());
    CHECK(base::trimmed("").empty());
}

TEST_CASE("byte reader: little endian, and never past the end") {
    base::ByteReader reader(base::as_bytes(std::string_view("\x01\x02\x03\x04\x05name\nrest", 14)), "f", 100);
    CHECK(*reader.u8() == 1);
    CHECK(*reader.u32() == 0x05040302);
    CHECK(*reader.take_until('\n') == "name");
    CHECK(reader.where() == "f: byte 110");
    auto beyond = reader.u64();
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().text() == "f: byte 110: the data ends 4 bytes early: 8 bytes are needed here, 4 are left");
    CHECK(reader.remaining() == 4);
}

TEST_CASE("line index: every line end, and three kinds of column") {
    std::string_view text = "a\r\nb\rc\n\xC3\xA9\xF0\x9F\x98\x80x";
    base::LineIndex index(text);
    CHECK(index.line_count() == 4);
    CHECK(index.line_text(1) == "a");
    CHECK(index.line_text(2) == "b");
    CHECK(index.position(13, base::ColumnUnit::bytes) == base::TextPosition{4, 7});
    CHECK(index.position(13, base::ColumnUnit::code_points) == base::TextPosition{4, 3});
    CHECK(index.position(13, base::ColumnUnit::utf16) == base::TextPosition{4, 4});
}

TEST_CASE("utf8: overlong forms, surrogates and cuts are ill-formed") {
    CHECK(base::is_valid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    for (const char* bad : {"\xC0\x80", "\xE0\x9F\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xFF", "\x80"}) {
        CHECK_FALSE(base::is_valid_utf8(bad));
    }
}

TEST_CASE("human: sizes, counts, durations") {
    CHECK(base::human_bytes(999) == "999 B");
    CHECK(base::human_bytes(1234) == "1.23 kB");
    CHECK(base::human_bytes(999'960) == "1.00 MB");
    CHECK(base::human_count(6'738'415'616) == "6.74 B");
    CHECK(base::human_duration(245) == "4 min 05 s");
    CHECK(base::with_separators(1234567) == "1,234,567");
    CHECK(base::plural(1, "file") == "1 file");
    CHECK(base::plural(2, "entry", "entries") == "2 entries");
}

TEST_CASE("parallel_for: all jobs run, and the first failure by index is reported") {
    std::atomic<int> sum{0};
    REQUIRE(base::parallel_for(100, 4, [&](std::size_t i) -> base::Status {
        sum += static_cast<int>(i);
        return {};
    }));
    CHECK(sum == 4950);
    auto failed = base::parallel_for(10, 3, [](std::size_t i) -> base::Status {
        if (i >= 4) return base::fail(base::ErrorKind::bad_input, std::to_string(i));
        return {};
    });
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message == "4");
}

TEST_CASE("parallel_for: an exception in any thread is an error, also one for want of memory") {
    auto thrown = base::parallel_for(50, 4, [](std::size_t i) -> base::Status {
        if (i == 20) throw std::bad_alloc();
        return {};
    });
    REQUIRE(!thrown);
    CHECK(thrown.error().kind == base::ErrorKind::no_memory);
    CHECK(base::exit_code(thrown.error().kind) == 71);
    auto other = base::guarded([]() -> base::Result<int> { throw std::length_error("too long"); });
    REQUIRE(!other);
    CHECK(other.error().kind == base::ErrorKind::internal);
    CHECK(other.error().message == "this is a mistake of the program; please report it with the command line");
    CHECK(base::exit_code(other.error().kind) == 70);
}

TEST_CASE("paths") {
    CHECK(base::join("a", "b") == "a/b");
    CHECK(base::join("a/", "b") == "a/b");
    CHECK(base::join("", "b") == "b");
    CHECK(base::parent("a/b") == "a");
    CHECK(base::parent("a") == ".");
    CHECK(base::parent("/a") == "/");
    CHECK(base::file_name("a/b.py") == "b.py");
    CHECK(base::file_name("a/b/") == "b");
}

TEST_CASE("write_file leaves no unfinished file") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("d"));
    REQUIRE(base::write_file(fs, "d/x", "hello"));
    CHECK(fs.content("d/x") == "hello");
    CHECK(fs.files() == std::vector<base::Path>{"d/x"});
    CHECK_FALSE(base::write_file(fs, "nowhere/x", "hello"));
}

TEST_CASE("write_file: a text in parts") {
    const base::TextSource text = [](const base::TextSink& out) {
        for (const std::string_view part : {"a long ", "", "text"}) out(part);
    };
    test::MemoryFileSystem fs;
    REQUIRE(base::write_file(fs, "x", text));
    CHECK(fs.content("x") == "a long text");

    // The end of a long one finds no space: the file stays as it was, and the error is told.
    class Full : public test::MemoryFileSystem {
    public:
        base::Result<std::unique_ptr<base::WritableFile>> create(const base::Path& path, std::uint32_t mode) override {
            TRY_ASSIGN(auto file, MemoryFileSystem::create(path, mode));
            return std::make_unique<FullFile>(std::move(file));
        }

    private:
        class FullFile : public base::WritableFile {
        public:
            explicit FullFile(std::unique_ptr<base::WritableFile> file) : file_(std::move(file)) {}
            const base::Path& path() const override { return file_->path(); }
            base::Status write_at(std::uint64_t offset, base::ByteSpan data) override {
                if (offset > 0) return base::fail(base::ErrorKind::write_failed, "no space left", path());
                return file_->write_at(offset, data);
            }
            base::Status allocate(std::uint64_t) override { return {}; }
            void write_behind(std::uint64_t, std::uint64_t) override {}
            base::Status sync() override { return {}; }
            base::Status set_mode(std::uint32_t) override { return {}; }
            base::Result<base::FileInfo> info() override { return file_->info(); }
            base::Status close() override { return file_->close(); }

        private:
            std::unique_ptr<base::WritableFile> file_;
        };
    } full;
    full.add("x", "before");
    const base::TextSource longer = [](const base::TextSink& out) {
        out(std::string(std::size_t{2} << 20, 'a'));
        out("and more");
    };
    const auto written = base::write_file(full, "x", longer);
    REQUIRE_FALSE(written);
    CHECK(written.error().message == "no space left");
    CHECK(full.content("x") == "before");
    CHECK(full.files() == std::vector<base::Path>{"x"});
}

TEST_CASE("data store: an overlay adds and replaces") {
    test::MemoryFileSystem fs;
    fs.add("mine/models/new.json", "{}");
    base::DataStore store;
    REQUIRE(store.overlay(fs, "mine", "rules"));
    REQUIRE(store.find("rules/models/new.json") != nullptr);
    CHECK(*store.find("rules/models/new.json") == "{}");
    CHECK(store.origin("rules/models/new.json") == "mine/models/new.json");
    CHECK(store.find("rules/nothing") == nullptr);
}

TEST_CASE("LineIndex: columns of a line of megabytes") {
    // 1 to 4 bytes each; of the last some bytes are missing.
    const std::string piece = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xF0\x9F";
    std::string text = "first\n";
    for (int i = 0; i < 20'000; ++i) text += piece;
    text += "\nlast";
    const base::LineIndex lines(text);
    for (const std::uint32_t i : {0U, 1U, 371U, 372U, 5'000U, 19'999U}) {
        CAPTURE(i);
        const std::uint64_t offset = 6 + std::uint64_t{i} * piece.size();
        CHECK(lines.position(offset) == base::TextPosition{2, i * 6 + 1});
        CHECK(lines.position(offset + 10, base::ColumnUnit::utf16) == base::TextPosition{2, i * 7 + 6});
        CHECK(lines.position(offset, base::ColumnUnit::bytes).column == offset - 6 + 1);
    }
    CHECK(lines.position(text.size()) == base::TextPosition{3, 5});
}
