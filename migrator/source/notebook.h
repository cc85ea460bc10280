// NotebookCode: the code cells of a notebook (.ipynb) as one Python and one shell text, and where each byte of them stands
// in the notebook's JSON.
//
//   { "cells": [ { "cell_type": "code", "source": [ "import torch\n", "!nvidia-smi" ], ... }, ... ] }
//
// Magics become `pass` in the Python text, or the statement that they run (`%time f()`). Lines behind `!`, shell cells, what %env
// sets, %pip and %run are the shell text; a cell that is a file or a program of its own is a here-document in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_position.h"

namespace base {
class Json;
}

namespace migrator {

// A text that is made of pieces of a notebook's JSON strings.
class CellText {
public:
    const std::string& text() const { return text_; }
    // Where a part of the text stands in the JSON; nullopt when it is not in one JSON string, or was put there by us.
    std::optional<base::ByteRange> in_json(base::ByteRange range) const;
    // Cell and line of the cell, both from 1.
    struct Place {
        std::size_t cell = 0;
        std::size_t line = 0;
        base::ByteRange in_json;  // the string that holds the line
    };
    Place place(std::uint64_t offset) const;
    // Whether a magic of its line runs the statement there: `%time f()`. In front of that there is no place for another one.
    bool is_behind_magic(std::uint64_t offset) const;

private:
    friend class NotebookReader;
    struct Line {
        std::size_t begin = 0;
        Place place;
    };
    std::string text_;
    // By byte: where it stands in the JSON; what is ours has the place of what comes next and no size. One more at the end.
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint8_t> sizes_;
    std::vector<Line> lines_;
};

class NotebookCode {
public:
    // Fails when this is no notebook.
    static base::Result<NotebookCode> read(std::string_view json, const std::string& path);

    const CellText& python() const { return python_; }
    const CellText& shell() const { return shell_; }
    // `text` as it is written inside the JSON string at `offset`. A new line begins a new string where the notebook has a
    // string for each line.
    std::string in_string(std::string_view text, std::uint64_t offset) const;

private:
    friend class NotebookReader;
    std::string_view json_;
    CellText python_;
    CellText shell_;
    std::vector<std::pair<base::ByteRange, std::string>>
        strings_;  // and what separates their lines; empty: nothing does
};

}  // namespace migrator
