// ConfigFile: what --config names, read by the parser of the options, which needs time in the square of a line's size.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/format.h"

namespace ckpt {

class ConfigFile : public CLI::ConfigBase {
public:
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
        return ConfigBase::from_config(lines);
    }
};

inline void add_config_file(CLI::App& app) {
    app.config_formatter(std::make_shared<ConfigFile>());
    app.set_config("--config", "", "File with options as NAME=VALUE lines, names without the dashes");
    app.allow_config_extras(CLI::config_extras_mode::error);
}

}  // namespace ckpt
