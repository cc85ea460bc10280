#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "base/format.h"
#include "base/sha1.h"
#include "base/sha256.h"
#include "ckpt_convert/app/verify.h"
#include "ckpt_convert/execute/git_blob.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

using Proven = std::vector<std::pair<std::string, std::uint64_t>>;

ckpt::VerifySummary verified(test::MemoryFileSystem& fs, const std::string& directory) {
    ckpt::VerifyOptions options;
    options.checkpoint.directory = directory;
    options.threads = 2;
    std::atomic<std::uint64_t> total = 0, done = 0;
    auto summary = ckpt::verify(fs, test::knowledge(), options, [&](std::uint64_t bytes) {
        total = bytes;
        return [&](std::uint64_t more) { done += more; };
    });
    REQUIRE_MESSAGE(summary, summary.error().text());
    REQUIRE(summary->content);
    CHECK(done == total);
    return std::move(*summary);
}

std::string text_of(const std::vector<ckpt::TensorDifference>& differences) {
    std::vector<std::string> lines;
    for (const auto& found : differences) lines.push_back(found.tensor + ": " + found.what);
    return base::joined(lines, "; ");
}

std::string problems(const ckpt::VerifySummary& summary) { return text_of(summary.differences); }

// Without what is said of the values.
std::string of_content(const ckpt::VerifySummary& summary) { return text_of(summary.content->problems); }

void flip(test::MemoryFileSystem& fs, const base::Path& path, std::size_t at) {
    std::string content = fs.content(path);
    content[at] = static_cast<char>(content[at] ^ 1);
    fs.add(path, content);
}

std::string git_blob(const std::string& content) {
    base::Sha1 hash;
    hash.add(ckpt::git_blob_header(content.size()));
    hash.add(content);
    return hash.finish_hex();
}

void add_download(test::MemoryFileSystem& fs, const std::string& file, const std::string& etag) {
    fs.add(base::format("hf/.cache/huggingface/download/{}.metadata", file), "0123\n" + etag + "\n1712656091.123\n");
}

std::string bytes_of(std::string_view hexadecimal) {
    std::string out;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
        out += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
    return out;
}

// A git index of version 2.
std::string git_index(const std::map<std::string, std::string>& sha1_by_path) {
    std::string out = "DIRC" + bytes_of("00000002") + bytes_of(base::format("{:08x}", sha1_by_path.size()));
    for (const auto& [path, sha1] : sha1_by_path) {
        std::string entry = std::string(24, '\0') + bytes_of("000081a4") + std::string(12, '\0') + bytes_of(sha1) +
                            bytes_of(base::format("{:04x}", path.size())) + path;
        entry.resize((entry.size() / 8 + 1) * 8, '\0');
        out += entry;
    }
    base::Sha1 sum;
    sum.add(out);
    return out + bytes_of(sum.finish_hex());
}

}  // namespace

TEST_CASE("content: nothing is proven without a checksum, and the JSON says so") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto summary = verified(fs, "hf");
    CHECK(problems(summary) == "");
    CHECK(summary.content->files == 1);
    CHECK(summary.content->proven.empty());
    CHECK(summary.content->unproven == std::vector<std::string>{"model.safetensors"});
    CHECK(ckpt::verify_text(summary).starts_with("structurally complete: Hugging Face (llama2, "));
    CHECK(ckpt::verify_text(summary).find("\n  content not proven of 1 of 1 file: model.safetensors\n") !=
          std::string::npos);
    CHECK(ckpt::verify_json(summary).find(R"("content": {
  "files": 1,
  "proven": 0,
  "records": [],
  "not_proven": [
   "model.safetensors"
  ]
 })") != std::string::npos);
}

TEST_CASE("content: every file of an output is in its manifest, and a changed bit of any of them is seen") {
    for (bool torch_dist : {false, true}) {
        CAPTURE(torch_dist);
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        auto options = test::options("hf", "mg", torch_dist ? 1 : 2, torch_dist ? 1 : 2);
        options.to = ckpt::Side::megatron;
        options.torch_dist = torch_dist;
        REQUIRE(test::convert(fs, options));
        auto manifest = ckpt::read_manifest(fs, "mg/conversion_manifest.json");
        REQUIRE_MESSAGE(manifest, manifest.error().text());
        std::vector<std::string> listed;
        for (const auto& file : manifest->files) {
            listed.push_back("mg/" + file.path);
            CHECK(file.bytes == fs.content(listed.back()).size());
            CHECK(file.crc32.value == ckpt::crc32(base::as_bytes(fs.content(listed.back()))));
        }
        std::vector<std::string> written;
        for (const auto& path : fs.files())
            if (path.starts_with("mg/") && path != "mg/conversion_manifest.json") written.push_back(path);
        CHECK(listed == written);

        auto summary = verified(fs, "mg");
        CHECK(problems(summary) == "");
        CHECK(summary.content->proven == Proven{{"conversion_manifest.json", written.size()}});
        CHECK(summary.content->unproven.empty());
        std::string iteration = base::parent(*std::find_if(written.begin(), written.end(), [](const auto& path) {
            return path.ends_with(".distcp") || path.ends_with("mp_rank_00_000/model_optim_rng.pt");
        }));
        CHECK(verified(fs, "mg/iter_0000001").content->proven == Proven{{"conversion_manifest.json", written.size()}});
        for (const auto& path : written) {
            // Without these it cannot be opened at all.
            if (path.ends_with(".metadata") || path.ends_with("common.pt") || path.ends_with("iteration.txt") ||
                path.ends_with("metadata.json") || path.ends_with("config.json"))
                continue;
            CAPTURE(path);
            std::string before = fs.content(path);
            // A younger weight file is no better.
            flip(fs, path, before.size() * 2 / 3);
            std::string found = problems(verified(fs, "mg"));
            CHECK(found.find("its CRC-32 is ") != std::string::npos);
            CHECK(found.find(", but conversion_manifest.json says ") != std::string::npos);
            fs.add(path, before);
        }
    }
}

TEST_CASE("content: a file that the manifest lists is missing, too short, or adapted by somebody") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, test::options("hf", "mg", 2)));
    std::string args = fs.content("mg/training_args.sh");
    REQUIRE(fs.remove("mg/training_args.sh"));
    CHECK(problems(verified(fs, "mg")) ==
          "training_args.sh: the file is missing, although the manifest of the conversion lists it");
    fs.add("mg/training_args.sh", args.substr(1));
    CHECK(problems(verified(fs, "mg")) ==
          base::format("training_args.sh: it has {} bytes, but conversion_manifest.json says {}; fetch or convert the "
                       "file again",
                       args.size() - 1, args.size()));
    REQUIRE(fs.set_attributes("mg/training_args.sh", 0644, INT64_MAX));
    auto summary = verified(fs, "mg");
    CHECK(problems(summary) == "");
    CHECK(summary.notes.back() == "training_args.sh was changed after conversion_manifest.json said what is in it");
}

TEST_CASE("content: training may go on beside the iteration that was converted") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, test::options("hf", "mg", 2)));
    for (const char* rank : {"00", "01"})
        fs.add(base::format("mg/iter_0000500/mp_rank_{}/model_optim_rng.pt", rank),
               fs.content(base::format("mg/iter_0000001/mp_rank_{}/model_optim_rng.pt", rank)));
    fs.add("mg/latest_checkpointed_iteration.txt", "500");
    REQUIRE(fs.set_attributes("mg/latest_checkpointed_iteration.txt", 0644, INT64_MAX));
    for (bool removed : {false, true}) {
        if (removed)
            for (const char* rank : {"00", "01"})
                REQUIRE(fs.remove(base::format("mg/iter_0000001/mp_rank_{}/model_optim_rng.pt", rank)));
        if (removed) {
            for (const char* directory : {"mp_rank_00", "mp_rank_01", ""})
                REQUIRE(fs.remove(base::join("mg/iter_0000001", directory)));
        }
        auto summary = verified(fs, "mg");
        CHECK(problems(summary) == "");
        CHECK(summary.content->proven ==
              Proven{{"conversion_manifest.json", 2}, {"the zip records in the files themselves", 2}});
        CHECK(summary.notes.back() ==
              "latest_checkpointed_iteration.txt was changed after conversion_manifest.json said what is in it");
    }
}

TEST_CASE("content: a manifest that lists files outside of its directory is refused") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    for (const char* path : {"/etc/passwd", "../hf/config.json", "a/../../b"}) {
        ckpt::Manifest manifest{"x", "y", "a", "b", "c", {{path, 1, {2}}}};
        fs.add("hf/conversion_manifest.json", ckpt::manifest_text(manifest));
        auto known = ckpt::find_known_sums(fs, "hf", "hf");
        REQUIRE_FALSE(known);
        CHECK(known.error().text() ==
              "hf/conversion_manifest.json: the manifest lists a file outside of its directory");
    }
    fs.add("hf/conversion_manifest.json", "{\"schema\": \"conversion-manifest/9\"}");
    auto known = ckpt::find_known_sums(fs, "hf", "hf");
    REQUIRE_FALSE(known);
    CHECK(known.error().message == "\"schema\" must be \"conversion-manifest/1\"");
}

TEST_CASE("content: the records of a download by huggingface_hub") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    std::string weights = fs.content("hf/model.safetensors"), config = fs.content("hf/config.json");
    add_download(fs, "model.safetensors", base::sha256_hex(weights));
    add_download(fs, "config.json", git_blob(config));
    add_download(fs, "pytorch_model.bin", std::string(64, '0'));  // removed since
    add_download(fs, "tokenizer.json", "\"abc\"");                // an etag that is no checksum
    auto summary = verified(fs, "hf");
    CHECK(problems(summary) == "");
    CHECK(summary.content->proven == Proven{{"the download by huggingface_hub", 2}});
    flip(fs, "hf/model.safetensors", weights.size() - 1);
    std::string changed = fs.content("hf/model.safetensors");
    CHECK(problems(verified(fs, "hf")) ==
          base::format("model.safetensors: its SHA-256 is {}, but the download by huggingface_hub says {}; fetch or "
                       "convert the file again",
                       base::sha256_hex(changed), base::sha256_hex(weights)));
}

TEST_CASE("content: the names of the blobs in the cache of huggingface_hub") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    std::string weights = fs.content("hf/model.safetensors"), config = fs.content("hf/config.json");
    const std::string snapshot = "cache/models--x--y/snapshots/0123";
    for (const auto& [name, digits] : std::map<std::string, std::string>{
             {"model.safetensors", base::sha256_hex(weights)}, {"config.json", git_blob(config)}}) {
        fs.add("cache/models--x--y/blobs/" + digits, fs.content("hf/" + name));
        REQUIRE(fs.make_directories(snapshot));
        REQUIRE(fs.make_link("../../blobs/" + digits, snapshot + "/" + name));
    }
    auto summary = verified(fs, snapshot);
    CHECK(problems(summary) == "");
    CHECK(summary.content->proven == Proven{{"the cache of huggingface_hub", 2}});
    flip(fs, "cache/models--x--y/blobs/" + base::sha256_hex(weights), weights.size() - 1);
    CHECK(problems(verified(fs, snapshot)).starts_with("model.safetensors: its SHA-256 is "));
}

TEST_CASE("content: the index of a git clone, with and without Git LFS") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "clone/model", {});
    std::string weights = fs.content("clone/model/model.safetensors"), config = fs.content("clone/model/config.json");
    std::string pointer = ckpt::lfs_pointer_sha1(base::sha256_hex(weights), weights.size());
    CHECK(pointer == git_blob(base::format("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n",
                                           base::sha256_hex(weights), weights.size())));
    std::string index = git_index({{"model/config.json", git_blob(config)}, {"model/model.safetensors", pointer}});
    fs.add("clone/.git/index", index);
    auto summary = verified(fs, "clone/model");
    CHECK(problems(summary) == "");
    CHECK(summary.content->proven == Proven{{"the git clone", 2}});
    flip(fs, "clone/model/model.safetensors", weights.size() - 1);
    CHECK(problems(verified(fs, "clone/model")).starts_with("model.safetensors: git names its content "));
    // What is cut off says nothing.
    fs.add("clone/.git/index", index.substr(0, index.size() - 1));
    CHECK(verified(fs, "clone/model").content->proven.empty());
}

TEST_CASE("content: a damaged zip record is named, in rank files and in torch_dist") {
    for (bool torch_dist : {false, true}) {
        CAPTURE(torch_dist);
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        auto options = test::options("hf", "mg");
        options.to = ckpt::Side::megatron;
        options.torch_dist = torch_dist;
        REQUIRE(test::convert(fs, options));
        REQUIRE(fs.remove("mg/conversion_manifest.json"));
        CHECK(verified(fs, "mg").content->proven.front().first == "the zip records in the files themselves");
        ckpt::SourceOptions from;
        from.directory = "mg";
        auto source = ckpt::open_source(fs, test::knowledge(), from);
        REQUIRE(source);
        const auto& tensor = source->index.tensors[source->binding.tensors[0].pieces[0].tensor];
        base::Path path = source->index.files[tensor.file]->path();
        flip(fs, path, tensor.offset + 1);
        auto summary = verified(fs, "mg");
        REQUIRE(summary.differences.size() == 1);
        CHECK(path == "mg/" + summary.differences[0].tensor);
        CHECK(summary.differences[0].what.starts_with(
            torch_dist ? "the record archive/data/0 is damaged: its checksum is " : "the record archive/data/"));
    }
}

TEST_CASE("content: a hole in a weight is a problem, zeros by design are a note") {
    test::MemoryFileSystem fs;
    test::TinyModel large;
    large.hidden = 128;
    large.ffn = 512;
    test::add_tiny_hf(fs, "hf", large);
    CHECK(of_content(verified(fs, "hf")) == "");
    auto opened = ckpt::open_hf_weights(fs, "hf");
    REQUIRE(opened);
    auto find = [&](std::string_view name) {
        return std::find_if(opened->tensors.begin(), opened->tensors.end(),
                            [&](const auto& t) { return t.name == name; });
    };
    const std::string name = "model.layers.1.mlp.up_proj.weight";
    auto weight = find(name);
    REQUIRE(weight != opened->tensors.end());
    const std::uint64_t page = (weight->offset / 4096 + 1) * 4096, at = page - weight->offset;
    REQUIRE(weight->bytes() > at + 8192);
    // Half-written: a page that is still empty.
    std::string whole = fs.content("hf/model.safetensors");
    test::set_bytes(fs, "hf", name, at, std::string(8192, '\0'));
    CHECK(of_content(verified(fs, "hf"))
              .starts_with(base::format("{}: 8192 zero bytes from byte {} of model.safetensors on are a hole, not "
                                        "weights: the file was not written whole",
                                        name, page)));
    // All of the weight, as a block is that does nothing yet.
    test::set_bytes(fs, "hf", name, 0, std::string(weight->bytes(), '\0'));
    auto summary = verified(fs, "hf");
    CHECK(of_content(summary) == "");
    CHECK(summary.notes.back() == "1 tensor is zero throughout: " + name);
    // Everything behind the header.
    std::string empty = whole;
    auto first = std::min_element(opened->tensors.begin(), opened->tensors.end(),
                                  [](const auto& a, const auto& b) { return a.offset < b.offset; });
    std::fill(empty.begin() + static_cast<std::ptrdiff_t>(first->offset), empty.end(), '\0');
    fs.add("hf/model.safetensors", empty);
    CHECK(of_content(verified(fs, "hf"))
              .starts_with(base::format("model.safetensors: all of its {} tensors are zero: nothing but its header was "
                                        "written",
                                        opened->tensors.size())));
}
