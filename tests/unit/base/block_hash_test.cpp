#include <doctest/doctest.h>

#include "base/sha1.h"
#include "base/sha256.h"

namespace {

template <class Hash>
std::string in_parts(const std::string& text, std::size_t part) {
    Hash hash;
    for (std::size_t at = 0; at < text.size(); at += part) hash.add(std::string_view(text).substr(at, part));
    return hash.finish_hex();
}

}  // namespace

TEST_CASE("hashes: the examples of FIPS 180-4") {
    CHECK(in_parts<base::Sha1>("abc", 3) == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(base::Sha1().finish_hex() == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(in_parts<base::Sha1>("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 60) ==
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    CHECK(in_parts<base::Sha256>("abc", 3) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(base::Sha256().finish_hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("hashes: the digest does not depend on the parts that the text comes in") {
    const std::string text(1000, 'x');
    const std::string sha1 = in_parts<base::Sha1>(text, 1000), sha256 = base::sha256_hex(text);
    for (std::size_t part : {1, 7, 55, 56, 63, 64, 65, 128, 999}) {
        CAPTURE(part);
        CHECK(in_parts<base::Sha1>(text, part) == sha1);
        CHECK(in_parts<base::Sha256>(text, part) == sha256);
    }
}
