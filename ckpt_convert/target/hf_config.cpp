#include "ckpt_convert/target/hf_config.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"
#include "ckpt_convert/mapping/quantised_config.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

// Replaces the number, word or string whose token ends at `end` of the text.
void replace_token(std::string& text, std::uint64_t end, const std::string& value) {
    std::size_t begin = end - 1;
    if (text[begin] == '"') {
        begin = text.rfind('"', begin - 1);
    } else {
        constexpr std::string_view kToken = "0123456789.+-abcdefghijklmnopqrstuvwxyzE";
        while (begin > 0 && kToken.find(text[begin - 1]) != std::string_view::npos) --begin;
    }
    text.replace(begin, end - begin, value);
}

// Takes the member with this value, and a comma, out of the text of an object.
void remove_member(std::string& text, const Json& value) {
    std::size_t end = value.offset();
    for (int depth = value.object() != nullptr ? 1 : 0; depth > 0; ++end) {
        if (text[end] == '"') {
            while (text[++end] != '"') end += text[end] == '\\';
        } else if (text[end] == '{' || text[end] == '}') {
            depth += text[end] == '{' ? 1 : -1;
        }
    }
    std::size_t begin = value.offset() - 1;
    if (text[begin] == '"') begin = text.rfind('"', begin - 1);
    begin = text.rfind('"', text.rfind('"', text.rfind(':', begin)) - 1);
    std::size_t before = text.find_last_not_of(" \t\r\n", begin - 1), behind = text.find_first_not_of(" \t\r\n", end);
    if (text[before] == ',') begin = before;
    else if (text[behind] == ',') end = behind + 1;
    text.erase(begin, end - begin);
}

struct Change {
    const Json* value;
    std::string text;  // empty: the member goes
};

// Where the config says a value of the mapping; nullptr when it does not.
const Json* place_of(const Source& source, std::string_view value) {
    for (const ValueRule& rule : source.model.mapping().values) {
        if (rule.name != value) continue;
        for (const std::string& path : rule.config) {
            const Json* found = source.config->root.find_path(path);
            if (found != nullptr && (found->integer() != nullptr || found->real() != nullptr)) return found;
        }
    }
    return nullptr;
}

// A value that is yes or no, and not what the config says. Values that no config speaks of are none of its business.
Status add_switch(std::vector<Change>& changes, std::string& added, const Source& source, std::string_view value,
                  bool on) {
    const auto& rules = source.model.mapping().values;
    auto rule = std::find_if(rules.begin(), rules.end(), [&](const ValueRule& one) { return one.name == value; });
    if (rule == rules.end() || rule->config.empty()) return {};
    for (const std::string& path : rule->config) {
        const Json* found = source.config->root.find_path(path);
        if (found == nullptr || found->boolean() == nullptr) continue;
        changes.push_back({found, on ? "true" : "false"});
        return {};
    }
    const std::string& name = rule->config.front();
    if (name.find('.') != std::string::npos)
        return base::fail(
            ErrorKind::unsupported,
            base::format("\"{}\" would have to be {} in the config of the output, and is not there", name, on),
            source.config->name);
    added += base::format("\n  \"{}\": {},", name, on);
    return {};
}

}  // namespace

Result<std::string> adapted_config(base::FileSystem& fs, const Source& source, const ConvertOptions& options) {
    Path path = base::join(source.companions, "config.json");
    std::string text = source.config_text;
    if (text.empty()) {
        TRY_ASSIGN(text, base::read_file(fs, path, 64u << 20));
    }
    std::vector<Change> changes;
    std::string added;  // members that the config does not have
    auto dtype = weight_dtype(options.params_dtype);
    if (!dtype) dtype = options.source.dequantize;
    for (const char* key : {"torch_dtype", "dtype"}) {
        const Json* found = source.config->root.find(key);
        if (dtype && found != nullptr && found->string() != nullptr)
            changes.push_back({found, base::format("\"{}\"", *torch_name(*dtype))});
    }
    for (const char* key : kQuantisation) {
        const Json* found = options.source.dequantize ? source.config->root.find(key) : nullptr;
        if (found != nullptr && (found->object() != nullptr || found->string() != nullptr))
            changes.push_back({found, ""});
    }
    for (const char* value : {"vocab", "layers", "mtp"}) {
        const Json* found = place_of(source, value);
        if (found == nullptr || (options.source.keep_padding && value == std::string_view("vocab"))) continue;
        std::int64_t now = source.model.values().at(value);
        if (whole_number(*found) != now) changes.push_back({found, std::to_string(now)});
    }
    for (const auto& [value, number] : source.apart) TRY(add_switch(changes, added, source, value, number != 0));
    // From the end, so that the places of the others stay.
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.value->offset() > b.value->offset(); });
    for (const Change& change : changes) {
        if (change.text.empty()) remove_member(text, *change.value);
        else replace_token(text, change.value->offset(), change.text);
    }
    if (!added.empty()) text.insert(text.find('{') + 1, added);
    return text;
}

}  // namespace ckpt
