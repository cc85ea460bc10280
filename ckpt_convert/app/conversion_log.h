// What a conversion tells while it runs and when it is done: text with a progress bar, or JSON events.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/console.h"
#include "base/language.h"
#include "ckpt_convert/app/convert.h"

namespace ckpt {

// A progress bar on standard error.
class ProgressObserver : public ConvertObserver {
public:
    ProgressObserver(base::Language language, bool enabled) : language_(std::move(language)), enabled_(enabled) {}
    void planned(const ConvertSummary& summary) override;
    void written(std::uint64_t bytes) override;

private:
    base::Language language_;
    bool enabled_;
    std::optional<base::ProgressBar> bar_;
};

// One JSON object per line on standard output: "plan", then "progress" about once a second, then "done".
class JsonObserver : public ConvertObserver {
public:
    void planned(const ConvertSummary& summary) override;
    void written(std::uint64_t bytes) override;
    void done(const ConvertSummary& summary);

private:
    std::mutex mutex_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_;
};

std::string summary_text(const ConvertSummary& summary, const ConvertOptions& options, const base::Language& language,
                         bool colour);

}  // namespace ckpt
