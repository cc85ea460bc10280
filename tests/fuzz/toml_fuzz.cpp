// The settings in a pyproject.toml: written as plain TOML, they are read as the same settings.
#include "base/format.h"
#include "base/utf8.h"
#include "migrator/app/settings.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F || c == '"' || c == '\\') {
            out += base::format("\\u{:04x}", byte);
        } else {
            out += c;
        }
    }
    return out += '"';
}

std::string as_toml(const migrator::Settings& settings) {
    std::string out = "[tool.migrator]\n";
    for (const migrator::Setting& item : settings.items) {
        out += quoted(item.key) + " = [";
        for (const std::string& value : item.values) out += quoted(value) + ", ";
        out += "]\n";
    }
    return out;
}

base::Result<migrator::Settings> read(std::string_view text) {
    test::MemoryFileSystem fs;
    fs.add("pyproject.toml", std::string(text));
    return migrator::read_settings(fs, "pyproject.toml");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto settings = read(fuzz::text_of(data, size));
    if (!settings) return 0;
    const auto again = read(as_toml(*settings));
    if (!again) fuzz::require(false, "plain TOML is read: " + again.error().text());
    fuzz::require(again->items.size() == settings->items.size(), "every setting is read back");
    for (std::size_t i = 0; i < settings->items.size(); ++i) {
        const migrator::Setting& item = again->items[i];
        fuzz::require(item.key == settings->items[i].key && item.values == settings->items[i].values,
                      "a setting is read back as it was");
    }
    return 0;
}
