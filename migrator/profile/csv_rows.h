// CsvRows: the rows of a CSV file of any size, one after the other, by the names of its columns. Memory is that of a window.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "migrator/profile/table_rows.h"

namespace migrator {

class CsvRows : public TableRows {
public:
    // Reads the names of the columns. Fails with bad_input where there are none.
    static base::Result<CsvRows> open(base::FileSystem& fs, const base::Path& path);

    // A row that repeats the names is left out, as where runs were appended to one file. A row without an end of its line is cut off.
    base::Result<bool> next() override;

protected:
    // Without quotes around it and blanks or tabs at its ends.
    std::string_view cell(std::size_t column) const override {
        return column < cells_.size() ? cells_[column] : std::string_view();
    }

private:
    CsvRows(std::unique_ptr<base::ByteStream> stream, base::Path path);
    base::Result<bool> refill();
    base::Result<bool> read_row();
    bool split_row(std::size_t end);

    std::unique_ptr<base::ByteStream> stream_;
    base::Path path_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, size_ = 0;
    bool is_over_ = false;
    std::uint64_t row_ = 0;
    std::vector<std::string_view> cells_;
};

}  // namespace migrator
