// ReviewSite: what a browser sees of a report: its page, and the decisions, which are kept in a file beside it.
#pragma once

#include <string>

#include "base/data_store.h"
#include "base/file_system.h"
#include "migrator/review/saved_report.h"
#include "migrator/serve/http_message.h"

namespace migrator {

// Answers only who names the host that it has and knows the token, which is the first part of every path:
//
//   GET /TOKEN/                  the page
//   GET /TOKEN/decisions.json    the decisions, with an ETag
//   PUT /TOKEN/decisions.json    the same, when If-Match is that ETag and the decisions are right; nothing else is written
class ReviewSite {
public:
    // Fails with bad_input when the report, or a decisions.json that is beside it, cannot be used.
    static base::Result<ReviewSite> open(base::FileSystem& fs, const base::Path& report,
                                         const base::DataStore& templates);

    // `host`: "127.0.0.1:PORT". `token`: letters and digits.
    void listen_as(std::string host, std::string token);
    HttpResponse answer(const HttpRequest& request) const;

    const base::Path& decisions() const { return decisions_; }

private:
    explicit ReviewSite(base::FileSystem& fs) : fs_(&fs) {}

    bool is_from_here(const HttpRequest& request) const;
    HttpResponse read_decisions() const;
    HttpResponse write_decisions(const HttpRequest& request) const;
    base::Result<std::string> saved() const;

    base::FileSystem* fs_;
    SavedReport report_;
    base::Path decisions_;
    std::string page_;
    std::string host_;
    std::string token_;
};

}  // namespace migrator
