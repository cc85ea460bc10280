#include "migrator/rule/version.h"

#include <doctest/doctest.h>

using migrator::Version;
using migrator::VersionRange;

TEST_CASE("version: the first two numbers") {
    CHECK(Version::parse("2.1.0+cu118") == Version{2, 1});
    CHECK(Version::parse(" v2.10") == Version{2, 10});
    CHECK(Version::parse("2") == Version{2, 0});
    CHECK(Version::parse("2.x") == Version{2, 0});
    CHECK_FALSE(Version::parse("latest"));
    CHECK_FALSE(Version::parse(""));
    CHECK_FALSE(Version::parse("99999999999999999999.1"));
    CHECK(Version{2, 9} < Version{2, 10});
    CHECK(Version{2, 10}.text() == "2.10");
}

TEST_CASE("version range: conditions as requirements write them") {
    auto allows = [](const char* range, Version version) {
        auto parsed = VersionRange::parse(range);
        REQUIRE(parsed);
        return parsed->contains(version);
    };
    CHECK(allows("", {1, 0}));
    CHECK(allows(">=2.7, !=2.8", {2, 9}));
    CHECK_FALSE(allows(">=2.7,!=2.8", {2, 8}));
    CHECK_FALSE(allows(">=2.7,!=2.8", {2, 6}));
    CHECK(allows("==2.1.0", {2, 1}));
    CHECK(allows("===2.1.0", {2, 1}));
    CHECK(allows("=2.1", {2, 1}));
    CHECK(allows("==2.*", {2, 9}));
    CHECK_FALSE(allows("==2.1.*", {2, 2}));
    CHECK(allows("~=2.1", {2, 9}));
    CHECK(allows("^2.1", {2, 9}));
    CHECK_FALSE(allows("^2.1", {3, 0}));
    CHECK(allows(">2.1", {2, 1}));
    CHECK_FALSE(allows("<2.1", {2, 1}));
    CHECK(allows("<=2.1", {2, 1}));
    CHECK(allows("<=2", {2, 9}));
    CHECK_FALSE(VersionRange::parse("2.1"));
    CHECK_FALSE(VersionRange::parse(">=new"));
    CHECK(VersionRange::parse("==2.4.1")->exact() == Version{2, 4});
    CHECK_FALSE(VersionRange::parse(">=2.4")->exact());
    CHECK_FALSE(VersionRange::parse("==2.*")->exact());
}
