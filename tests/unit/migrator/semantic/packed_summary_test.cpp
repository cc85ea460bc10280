#include "migrator/semantic/packed_summary.h"

#include <doctest/doctest.h>

using migrator::Certainty;
using migrator::Meanings;
using migrator::ModuleSummary;
using migrator::Origin;
using migrator::PackedSummary;

namespace {

using Texts = std::vector<std::string_view>;

const migrator::Meaning kObject{.name = "pkg.a.Net", .origin = Origin::project, .certainty = Certainty::likely};
const migrator::Meaning kValue{
    .name = {}, .type = "pkg.b.make", .type_is_called = true, .type_certainty = Certainty::textual};

ModuleSummary sample() {
    ModuleSummary out;
    out.module = "pkg.a";
    out.names = {{"Net", {kObject}}, {"net", {kValue, kObject}}, {"nothing", {migrator::Meaning{}}}, {"z", {}}};
    out.stars = {"pkg.c", "pkg.b"};
    out.classes["pkg.a.Net"] = {{"torch.nn.Module", "pkg.b.Base"}, true, {{"forward", {kValue}}, {"Net", {kObject}}}};
    out.classes["pkg.a.Empty"] = {};
    out.results = {{"pkg.a.f", {kValue}}, {"pkg.a.g", {migrator::Meaning{}}}};
    out.parameters = {{"pkg.a.f", {"x", "device", "a"}}, {"pkg.a.g", {}}};
    return out;
}

}  // namespace

TEST_CASE("packed summary: gives back what went in") {
    const PackedSummary packed(sample());
    CHECK(packed.module() == "pkg.a");
    CHECK(packed.stars() == Texts{"pkg.c", "pkg.b"});
    CHECK(packed.name("Net") == Meanings{kObject});
    CHECK(packed.name("net") == Meanings{kValue, kObject});
    CHECK(packed.name("nothing") == Meanings{migrator::Meaning{}});
    CHECK(packed.name("z") == Meanings{});
    for (const std::string_view absent : {"", "A", "Ne", "forward", "nes", "zz"}) CHECK_FALSE(packed.name(absent));

    REQUIRE(packed.class_count() == 2);
    CHECK(packed.class_name(0) == "pkg.a.Empty");
    CHECK(packed.bases(0).empty());
    CHECK_FALSE(packed.is_open(0));
    CHECK_FALSE(packed.member(0, "forward"));
    CHECK(packed.class_name(1) == "pkg.a.Net");
    CHECK(packed.bases(1) == Texts{"torch.nn.Module", "pkg.b.Base"});
    CHECK(packed.is_open(1));
    CHECK(packed.member(1, "forward") == Meanings{kValue});
    CHECK(packed.member(1, "Net") == Meanings{kObject});
    CHECK_FALSE(packed.member(1, "net"));

    REQUIRE(packed.function_count() == 2);
    CHECK(packed.function_name(0) == "pkg.a.f");
    CHECK(packed.results(0) == Meanings{kValue});
    CHECK(packed.parameters(0) == Texts{"x", "device", "a"});
    CHECK(packed.function_name(1) == "pkg.a.g");
    CHECK(packed.results(1) == Meanings{migrator::Meaning{}});
    CHECK(packed.parameters(1).empty());
}

TEST_CASE("packed summary: of a module with nothing in it") {
    const PackedSummary packed{ModuleSummary{}};
    CHECK(packed.module().empty());
    CHECK(packed.stars().empty());
    CHECK_FALSE(packed.name(""));
    CHECK(packed.class_count() == 0);
    CHECK(packed.function_count() == 0);
}
