// Workbook: sheets as one file .xlsx for programs for tables (ECMA-376: XML in a zip file, not packed).
//
//   [Content_Types].xml, _rels/.rels, xl/workbook.xml, xl/_rels/workbook.xml.rels, xl/worksheets/sheet1.xml, ...
#pragma once

#include <vector>

#include "base/result.h"
#include "base/text_sink.h"
#include "migrator/compare/sheet.h"

namespace migrator {

// A sheet with more rows than Excel takes goes on in another one, NAME (2); a text of more than 32,767 characters ends with "...".
// Reads the sheets while it gives its text. Fails with unsupported for more than 4 GB.
base::Result<base::TextSource> workbook(const std::vector<Sheet>& sheets);

}  // namespace migrator
