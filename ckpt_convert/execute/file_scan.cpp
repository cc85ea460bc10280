#include "ckpt_convert/execute/file_scan.h"

#include <algorithm>

namespace ckpt {

Status scan_file(base::ReadableFile& file, std::vector<ScanRange> ranges,
                 const std::function<void(std::uint64_t)>& progress) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<std::byte> block;
    std::vector<const ScanRange*> open;
    auto next = ranges.begin();
    for (std::uint64_t at = 0; at < file.size(); at += block.size()) {
        block.resize(std::min(kScanBytes, file.size() - at));
        TRY(file.read_at(at, block));
        const std::uint64_t end = at + block.size();
        for (; next != ranges.end() && next->begin < end; ++next) open.push_back(&*next);
        for (const ScanRange* range : open) {
            const std::uint64_t from = std::max(at, range->begin), to = std::min(end, range->end);
            if (from < to) range->take(base::ByteSpan(block).subspan(from - at, to - from));
        }
        std::erase_if(open, [&](const ScanRange* range) { return range->end <= end; });
        progress(block.size());
    }
    return {};
}

}  // namespace ckpt
