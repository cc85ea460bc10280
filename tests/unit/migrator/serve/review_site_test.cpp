#include "migrator/serve/review_site.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;

namespace {

constexpr const char* kHost = "127.0.0.1:4000";
constexpr const char* kNothing = "{\"schema\": \"migrator-decisions/1\", \"decisions\": []}\n";
constexpr const char* kSome =
    R"({"schema": "migrator-decisions/1", "decisions": [{"rule": "r", "decision": "accept"}]})";

struct Site {
    test::MemoryFileSystem fs;
    base::DataStore templates;

    Site() {
        fs.add("p/a.py", test::kTrain);
        Options options = test::options_for(Command::analyze, "p");
        options.report_directory = "review";
        REQUIRE(run(options, fs));
    }

    ReviewSite open() {
        auto site = ReviewSite::open(fs, "review/report.json", templates);
        REQUIRE(site);
        site->listen_as(kHost, "secret");
        return std::move(*site);
    }
};

HttpRequest get(std::string target) { return {"GET", std::move(target), {{"host", kHost}}, ""}; }

HttpRequest put(std::string body, std::string tag) {
    return {"PUT",
            "/secret/decisions.json",
            {{"host", kHost}, {"content-type", "application/json"}, {"if-match", std::move(tag)}},
            std::move(body)};
}

std::string tag_of(const HttpResponse& response) {
    for (const auto& [name, value] : response.headers) {
        if (name == "ETag") return value;
    }
    return {};
}

}  // namespace

TEST_CASE("serve: the page may ask where it comes from, the one on the disk nothing") {
    Site project;
    const HttpResponse page = project.open().answer(get("/secret/"));
    CHECK(page.status == 200);
    CHECK(page.body.find("connect-src 'self';") != std::string::npos);
    CHECK(project.fs.content("review/report.html").find("connect-src 'none';") != std::string::npos);
}

TEST_CASE("serve: decisions are read, written and read again; nothing else is written") {
    Site project;
    const ReviewSite site = project.open();
    const auto before = project.fs.files();
    const HttpResponse none = site.answer(get("/secret/decisions.json"));
    CHECK(none.body == kNothing);
    const HttpResponse written = site.answer(put(kSome, tag_of(none)));
    CHECK(written.status == 204);
    const HttpResponse some = site.answer(get("/secret/decisions.json"));
    CHECK(some.body == kSome);
    CHECK(tag_of(some) == tag_of(written));
    CHECK(project.fs.content("review/decisions.json") == kSome);
    CHECK(project.fs.files().size() == before.size() + 1);
}

TEST_CASE("serve: who does not know the token, or comes under another name, gets nothing") {
    Site project;
    const ReviewSite site = project.open();
    for (const char* target : {"/", "/secre/", "/secret0/", "/Secret/", "//", "/secret", "/report.json"}) {
        CAPTURE(target);
        const int status = site.answer(get(target)).status;
        CHECK(status == (std::string_view(target) == "/secret" ? 404 : 403));
    }
    for (const char* target : {"/secret/report.json", "/secret/../report.json", "/secret/decisions.json?x", "/secret//",
                               "/secret/%64ecisions.json", "/secret/decisions.json/"}) {
        CAPTURE(target);
        CHECK(site.answer(get(target)).status == 404);
    }
    HttpRequest request = get("/secret/");
    for (const char* host : {"", "localhost:4000", "evil.example:4000", "127.0.0.1", "127.0.0.1:4001"}) {
        request.headers = {{"host", host}};
        CHECK(site.answer(request).status == 403);
    }
    request.headers.clear();
    CHECK(site.answer(request).status == 403);
    request.headers = {{"host", kHost}, {"host", kHost}};
    CHECK(site.answer(request).status == 403);
    request.headers = {{"host", kHost}, {"origin", "http://evil.example"}};
    CHECK(site.answer(request).status == 403);
    request.headers = {{"host", kHost}, {"origin", "http://127.0.0.1:4000"}};
    CHECK(site.answer(request).status == 200);
}

TEST_CASE("serve: only right decisions are written, and none over those of somebody else") {
    Site project;
    const ReviewSite site = project.open();
    const std::string tag = tag_of(site.answer(get("/secret/decisions.json")));
    CHECK(site.answer(put(kSome, "")).status == 412);
    CHECK(site.answer(put(kSome, "\"0\"")).status == 412);
    for (
        const char* wrong :
        {"", "{", "[]", R"({"schema": "other", "decisions": []})",
         R"({"schema": "migrator-decisions/1", "decisions": [{"finding": "0000000000000000", "decision": "accept"}]})"}) {
        CAPTURE(wrong);
        CHECK(site.answer(put(wrong, tag)).status == 422);
    }
    HttpRequest form = put(kSome, tag);
    form.headers[1].second = "text/plain";
    CHECK(site.answer(form).status == 415);
    for (const char* method : {"POST", "DELETE", "HEAD", "OPTIONS"}) {
        HttpRequest request = put(kSome, tag);
        request.method = method;
        CHECK(site.answer(request).status == 405);
        request.target = "/secret/";
        CHECK(site.answer(request).status == 405);
    }
    CHECK_FALSE(project.fs.exists("review/decisions.json"));
}

TEST_CASE("serve: a link is replaced and not followed; decisions about another report are not opened") {
    Site project;
    project.fs.add("elsewhere.json", kNothing);
    REQUIRE(project.fs.make_link("/elsewhere.json", "review/decisions.json"));
    project.fs.add("/elsewhere.json", kNothing);
    const ReviewSite site = project.open();
    CHECK(site.answer(put(kSome, tag_of(site.answer(get("/secret/decisions.json"))))).status == 204);
    CHECK(project.fs.content("/elsewhere.json") == kNothing);
    project.fs.add("review/decisions.json",
                   R"({"schema": "migrator-decisions/1", "decisions": [{"finding": "0000000000000000"}]})");
    const auto other = ReviewSite::open(project.fs, "review/report.json", project.templates);
    REQUIRE_FALSE(other);
    CHECK(other.error().message.find("the decisions are about another report") != std::string::npos);
}
