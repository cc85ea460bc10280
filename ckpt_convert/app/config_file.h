// ConfigFile: what --config names, read by the parser of the options, which needs time in the square of a line's size.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/file_system.h"
#include "base/format.h"
#include "base/nearest_word.h"
#include "command_line/command_page.h"

namespace ckpt {

class ConfigFile : public CLI::ConfigBase {
public:
    explicit ConfigFile(const CLI::App& app) : app_(app) {}

    static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

    // Throws what the parser throws for any wrong file.
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
        std::string text(kMaxBytes + 1, '\0');
        input.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(input.gcount()));
        if (text.size() > kMaxBytes)
            throw CLI::FileError(
                base::format("--config: the file is larger than {} bytes; it has a line for each option", kMaxBytes));
        // Every part of a section's name would be kept with every part in front of it.
        for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
            at = std::min(text.find_first_not_of(" \t\r", at), text.size());
            if (text.substr(at, 1) == "[")
                throw CLI::FileError("--config: a section like [name] is not read; write NAME=VALUE lines alone");
        }
        std::istringstream lines(text);
        auto lines_read = ConfigBase::from_config(lines);
        for (const CLI::ConfigItem& item : lines_read) {
            if (app_.get_option_no_throw("--" + item.name) != nullptr) continue;
            std::vector<std::string> known;
            for (const command_line::OptionGroup& group : command_line::page_of(app_).all_groups()) {
                for (const auto& option : group.options) {
                    for (const std::string& name : option.names)
                        known.push_back(name.substr(name.find_first_not_of('-')));
                }
            }
            throw CLI::FileError(
                base::format("--config: \"{}\" is not an option{}", item.name, base::did_you_mean(item.name, known)));
        }
        return lines_read;
    }

private:
    const CLI::App& app_;
};

inline void add_config_file(CLI::App& app, base::FileSystem& fs) {
    app.config_formatter(std::make_shared<ConfigFile>(app));
    auto* option = app.set_config("--config", "", "File with options as NAME=VALUE lines, names without the dashes");
    option->check([&fs](const std::string& path) {
        const auto file =
            fs.open(path);  // not by the parser, which would wait for a pipe; what is missing it says itself
        return file || !fs.exists(path) ? std::string() : file.error().text();
    });
    app.allow_config_extras(CLI::config_extras_mode::error);
}

}  // namespace ckpt
