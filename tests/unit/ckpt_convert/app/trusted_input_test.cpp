// What comes with a checkpoint from somewhere else: links, files that change, files of another kind.
#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/execute/hf_output.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

// Somebody writes to a file of the source while it is converted.
class Overwriting : public ckpt::ConvertObserver {
public:
    Overwriting(test::MemoryFileSystem& fs, base::Path path, std::string content)
        : fs_(fs), path_(std::move(path)), content_(std::move(content)) {}
    void planned(const ckpt::ConvertSummary&) override { fs_.add(path_, content_); }

private:
    test::MemoryFileSystem& fs_;
    base::Path path_;
    std::string content_;
};

std::string inspected(test::MemoryFileSystem& fs, const base::Path& path) {
    auto text = ckpt::inspect(fs, test::knowledge(), {path, {}}, false);
    REQUIRE_MESSAGE(text, text.error().text());
    return *text;
}

std::string refusal(test::MemoryFileSystem& fs, const base::Path& path) {
    auto text = ckpt::inspect(fs, test::knowledge(), {path, {}}, false);
    REQUIRE_FALSE(text);
    CHECK(text.error().kind == base::ErrorKind::bad_input);
    return text.error().text();
}

}  // namespace

TEST_CASE("source: a file that is overwritten while it is read fails the run, and nothing is published") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    const base::Path path = "hf/model.safetensors";
    Overwriting somebody(fs, path, fs.content(path));
    auto done = ckpt::convert(fs, test::knowledge(), test::data_store(), test::options("hf", "mg", 2), somebody);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::ErrorKind::bad_input);
    CHECK(done.error().text() ==
          path +
              ": the file was changed while it was read, so nothing was published; run the command again when nothing "
              "writes to it");
    CHECK_FALSE(fs.exists("mg"));
}

TEST_CASE("companions: links that lead out of the checkpoint are left out, with a note") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    fs.add("secret", "mine");
    fs.add("/secret", "mine");
    fs.add("hf/vocab.txt", "words");
    REQUIRE(fs.make_link("../secret", "hf/tokenizer.json"));
    REQUIRE(fs.make_link("/secret", "hf/merges.txt"));
    REQUIRE(fs.make_link("vocab.txt", "hf/words.txt"));
    auto summary = test::convert(fs, test::options("hf", "mg"));
    REQUIRE_MESSAGE(summary, summary.error().text());
    CHECK(base::joined(summary->notes, "\n")
              .find("tokenizer.json is a link that leads out of the checkpoint and was left out") != std::string::npos);
    CHECK_FALSE(fs.exists("mg/hf_config/tokenizer.json"));
    CHECK(fs.content("mg/hf_config/words.txt") == "words");
}

TEST_CASE("companions: the cache of Hugging Face is one checkpoint, with links to its blobs") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    const std::string snapshot = "cache/models--x--y/snapshots/0123/";
    for (const char* name : {"model.safetensors", "config.json"}) {
        fs.add(base::join("cache/models--x--y/blobs", name), fs.content(base::join("hf", name)));
        REQUIRE(fs.make_directories(snapshot));
        REQUIRE(fs.make_link(base::join("../../blobs", name), snapshot + name));
    }
    fs.add("cache/models--x--z/blobs/other", "of another model");
    REQUIRE(fs.make_link("../../../models--x--z/blobs/other", snapshot + "other.txt"));
    auto found = ckpt::companion_files(fs, snapshot);
    REQUIRE_MESSAGE(found, found.error().text());
    CHECK(found->files == std::vector<std::string>{"config.json"});
    CHECK(found->notes.size() == 1);
    REQUIRE(test::convert(fs, test::options(snapshot, "mg")));
    CHECK(fs.content("mg/hf_config/config.json") == fs.content("hf/config.json"));
}

TEST_CASE("companions: what downloads and conversions leave is none") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    for (const char* name :
         {"conversion_manifest.json", ".msc", ".mv", "tokenizer.json.incomplete", "a.aria2", "x.gguf"})
        fs.add(base::join("hf", name), "left");
    auto found = ckpt::companion_files(fs, "hf");
    REQUIRE(found);
    CHECK(found->files == std::vector<std::string>{"config.json"});
    CHECK(found->notes.empty());
}

TEST_CASE("config: the number of layers is one number") {
    for (const char* wrong : {"[2]", "true"}) {
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        std::string config = fs.content("hf/config.json");
        const std::string key = "\"num_hidden_layers\":";
        std::size_t at = config.find(key) + key.size();
        config.replace(at, config.find_first_of(",}", at) - at, wrong);
        fs.add("hf/config.json", config);
        base::Error error = test::failure(fs, test::options("hf", "mg"));
        CHECK(error.kind == base::ErrorKind::bad_input);
        CHECK(error.message == base::format("\"num_hidden_layers\" must be a whole number, not {}",
                                            *wrong == '[' ? "a list" : "true or false"));
    }
}

TEST_CASE("inspect: a rank, and any file of torch.save, shows its tensors") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, test::options("hf", "mg", 2)));
    const base::Path rank = "mg/iter_0000001/mp_rank_01";
    std::string of_directory = inspected(fs, rank), of_file = inspected(fs, rank + "/model_optim_rng.pt");
    CHECK(of_directory.starts_with(rank + ": rank of a Megatron checkpoint\n"));
    CHECK(of_file.starts_with(rank + "/model_optim_rng.pt: weight file\n"));
    for (const std::string& text : {of_directory, of_file}) {
        CHECK(text.find("\n  model/decoder.layers.0.self_attention.linear_qkv.weight ") != std::string::npos);
        CHECK(text.find("  model_optim_rng.pt\n") != std::string::npos);
    }
}

TEST_CASE("inspect: safetensors whose length begins like a pickle are no pickle") {
    std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    header.resize(0x80, ' ');
    test::MemoryFileSystem fs;
    fs.add("w.bin", std::string("\x80\0\0\0\0\0\0\0", 8) + header + "abcd");
    CHECK(inspected(fs, "w.bin").find("  w     f32") != std::string::npos);
}

TEST_CASE("source: files of other names beside Hugging Face's weights do not make them Megatron's") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    for (const char* name : {"hf/metadata.json", "hf/.metadata"}) {
        fs.add(name, "{}");
        CHECK(test::convert(fs, test::options("hf", base::format("of_{}", base::file_name(name)))));
    }
}

TEST_CASE("inspect: a .pt that is not a file of torch.save is said to be what it is") {
    test::MemoryFileSystem fs;
    fs.add("text.pt", "epoch: 3\n");
    CHECK(refusal(fs, "text.pt") ==
          "text.pt: byte 0: this is not a file of torch.save: it starts neither like a zip archive nor like a pickle, "
          "but "
          "like a text: \"epoch: 3\\x0a\"; fetch it again, or name the right file");
    fs.add("zeros.pth", std::string(100, '\0'));
    CHECK(refusal(fs, "zeros.pth").find("but with zeros; fetch") != std::string::npos);
    fs.add("other.bin", "\x01\x02\xff");
    CHECK(refusal(fs, "other.bin").find("but with the bytes 01 02 ff; fetch") != std::string::npos);
    fs.add("tar.pt", std::string(257, 'x') + "ustar" + std::string(300, '\0'));
    auto tar = ckpt::inspect(fs, test::knowledge(), {"tar.pt", {}}, false);
    REQUIRE_FALSE(tar);
    CHECK(tar.error().message.starts_with("tar files of PyTorch before 0.1.10 are not read"));
}
