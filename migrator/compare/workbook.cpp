#include "migrator/compare/workbook.h"

#include <algorithm>
#include <cmath>

#include "base/compress.h"
#include "base/format.h"
#include "base/markup.h"
#include "base/printable.h"
#include "base/zip_records.h"

namespace migrator {
namespace {

namespace zip = base::zip;

constexpr std::size_t kMostRows = 1'048'576;  // of Excel, with the headers
constexpr std::size_t kMostCharacters = 32'767;
constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
constexpr std::string_view kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr std::string_view kRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr std::string_view kPackage = "http://schemas.openxmlformats.org/package/2006";

struct ZipPart {
    std::string name;
    base::TextSource text;
    std::uint32_t crc = 0;
    std::uint64_t size = 0, at = 0;
};

// What the headers in front of a part and in the directory share.
std::string zip_fields(const ZipPart& part) {
    zip::Fields out;
    out.u16(zip::kVersionPlain).u16(0).u16(zip::kStored).u16(zip::kTime).u16(zip::kDate);
    out.u32(part.crc).u32(part.size).u32(part.size).u16(part.name.size()).u16(0);  // no more fields
    return std::move(out).take();
}

std::string zip_header(const ZipPart& part) {
    zip::Fields out;
    return std::move(out.u32(zip::kLocalHeader).text(zip_fields(part)).text(part.name)).take();
}

std::string zip_directory_row(const ZipPart& part) {
    zip::Fields out;
    out.u32(zip::kDirectoryHeader).u16(zip::kVersionPlain).text(zip_fields(part));
    out.u16(0).u16(0).u16(0).u32(0);  // no comment, disk 0, no attributes
    return std::move(out.u32(part.at).text(part.name)).take();
}

std::string zip_end(std::size_t parts, std::uint64_t directory_at, std::uint64_t directory_bytes) {
    zip::Fields out;
    out.u32(zip::kEnd).u16(0).u16(0).u16(parts).u16(parts);
    return std::move(out.u32(directory_bytes).u32(directory_at).u16(0)).take();
}

// At most so many characters of UTF-8.
std::string_view shortened(std::string_view text, std::size_t most) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_begin = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
        if (is_begin && characters++ == most) return text.substr(0, i);
    }
    return text;
}

std::string text_markup(std::string_view text) {
    constexpr std::string_view kMore = "...";
    std::string shown = base::printable_lines(text);
    if (shortened(shown, kMostCharacters).size() < shown.size())
        shown = std::string(shortened(shown, kMostCharacters - kMore.size())) + std::string(kMore);
    return base::format("<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>", base::markup_text(shown));
}

std::string cell_markup(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return text_markup(*text);
    if (const auto* count = std::get_if<std::int64_t>(&cell)) return base::format("<c><v>{}</v></c>", *count);
    const auto* number = std::get_if<double>(&cell);
    if (number == nullptr) return "<c/>";
    return std::isfinite(*number) ? base::format("<c><v>{}</v></c>", *number) : text_markup("INF");
}

// Rows from `first` on, as many as there is room for.
base::TextSource sheet_markup(const Sheet& sheet, std::size_t first) {
    return [&sheet, first](const base::TextSink& sink) {
        sink(kHead);
        sink(base::format("<worksheet xmlns=\"{}\"><sheetData>\n<row>", kMain));
        for (const std::string& header : sheet.headers) sink(text_markup(header));
        sink("</row>\n");
        const std::size_t last = std::min(sheet.size(), first + kMostRows - 1);
        for (std::size_t i = first; i < last; ++i) {
            std::string row = "<row>";
            for (const Cell& cell : sheet.row(i)) row += cell_markup(cell);
            sink(row += "</row>\n");
        }
        sink("</sheetData></worksheet>\n");
    };
}

base::TextSource whole_text(std::string text) {
    return [text = std::move(text)](const base::TextSink& sink) { sink(text); };
}

std::vector<ZipPart> parts_of(const std::vector<Sheet>& sheets) {
    std::vector<ZipPart> pages;
    std::string names, relations, types;
    const auto add = [&](const std::string& name, base::TextSource text) {
        const std::size_t number = pages.size() + 1;
        const std::string file = base::format("worksheets/sheet{}.xml", number);
        names +=
            base::format("<sheet name=\"{}\" sheetId=\"{}\" r:id=\"rId{}\"/>", base::markup_text(name), number, number);
        relations +=
            base::format("<Relationship Id=\"rId{}\" Type=\"{}/worksheet\" Target=\"{}\"/>", number, kRelations, file);
        types += base::format(
            "<Override PartName=\"/xl/{}\" ContentType=\"application/vnd.openxmlformats-officedocument."
            "spreadsheetml.worksheet+xml\"/>",
            file);
        pages.push_back({"xl/" + file, std::move(text)});
    };
    for (const Sheet& sheet : sheets) {
        std::size_t first = 0, number = 1;
        do {
            add(number == 1 ? sheet.name : base::format("{} ({})", sheet.name, number), sheet_markup(sheet, first));
            first += kMostRows - 1;
            ++number;
        } while (first < sheet.size());
    }
    const std::string head(kHead);
    std::vector<ZipPart> out;
    out.push_back(
        {"[Content_Types].xml",
         whole_text(head + base::format("<Types xmlns=\"{}/content-types\"><Default Extension=\"rels\" ContentType=\""
                                        "application/vnd.openxmlformats-package.relationships+xml\"/><Default "
                                        "Extension=\"xml\" ContentType=\"application/xml\"/><Override "
                                        "PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-"
                                        "officedocument.spreadsheetml.sheet.main+xml\"/>{}</Types>\n",
                                        kPackage, types))});
    out.push_back(
        {"_rels/.rels",
         whole_text(head + base::format("<Relationships xmlns=\"{}/relationships\"><Relationship Id=\"rId1\" "
                                        "Type=\"{}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>\n",
                                        kPackage, kRelations))});
    out.push_back(
        {"xl/workbook.xml",
         whole_text(head + base::format("<workbook xmlns=\"{}\" xmlns:r=\"{}\"><sheets>{}</sheets></workbook>\n", kMain,
                                        kRelations, names))});
    out.push_back({"xl/_rels/workbook.xml.rels",
                   whole_text(head + base::format("<Relationships xmlns=\"{}/relationships\">{}</Relationships>\n",
                                                  kPackage, relations))});
    for (ZipPart& page : pages) out.push_back(std::move(page));
    return out;
}

}  // namespace

base::Result<base::TextSource> workbook(const std::vector<Sheet>& sheets) {
    std::vector<ZipPart> parts = parts_of(sheets);
    std::uint64_t at = 0;
    std::string directory;
    // Sizes stand in front of the texts: each is made twice, so that none is in memory as a whole.
    for (ZipPart& part : parts) {
        part.text([&](std::string_view text) {
            part.crc = base::crc32(part.crc, text);
            part.size += text.size();
        });
        part.at = at;
        at += zip_header(part).size() + part.size;
        directory += zip_directory_row(part);
    }
    if (at + directory.size() > zip::kSaturated32)
        return base::fail(base::ErrorKind::unsupported, "the workbook would have more than 4 GB; write --format csv");
    return [parts = std::move(parts), directory = std::move(directory), at](const base::TextSink& sink) {
        for (const ZipPart& part : parts) {
            sink(zip_header(part));
            part.text(sink);
        }
        sink(directory);
        sink(zip_end(parts.size(), at, directory.size()));
    };
}

}  // namespace migrator
