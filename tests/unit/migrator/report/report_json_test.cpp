#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

TEST_CASE("report json: the whole text of a small report") {
    FileOutcome file;
    file.path = "a \"b\".py";
    file.type = FileType::python;
    file.lines = 1;
    file.parsed = true;
    file.original = "import flash_attn\n";
    file.rewritten = file.original;
    file.findings.push_back(test::finding_outcome("package.flash_attn", FindingKind::third_party, Severity::warning,
                                                  "flash-attn", "Use torch_npu.", FixState::none, {1, 8}, {1, 18}));
    file.findings.back().old_text = "import flash_attn";
    Report report =
        make_report({"analyze", {"in"}, "", "1.2.3", false, "in"}, {test::file_of(file)}, 2, {}, {"A note."});
    std::string id = report.files[0].findings[0].id;
    CHECK(id == "aac88a11e0b82c00");
    report.translations["zh"]["A note."] = "说明。";
    CHECK(test::json_of(report) == R"json({
  "schema": "migrator-report/1",
  "tool": {
    "name": "migrator",
    "version": "1.2.3"
  },
  "command": "analyze",
  "paths": [
    "in"
  ],
  "output": null,
  "root": "in",
  "summary": {
    "verdict": "review",
    "sentence": "1 finding needs a look before the first run.",
    "files_seen": 2,
    "files_analysed": 1,
    "files_changed": 0,
    "files_with_problems": 0,
    "lines": 1,
    "findings": 1,
    "applied": 0,
    "available": 0,
    "to_review": 1,
    "blocking": 0,
    "by_severity": {
      "error": 0,
      "info": 0,
      "warning": 1
    },
    "by_state": {
      "applied": 0,
      "at_run_time": 0,
      "available": 0,
      "conflict": 0,
      "none": 1,
      "syntax_guard": 0,
      "uncertain": 0
    },
    "by_effort": {},
    "files_by_readiness": {
      "ready": 1
    },
    "by_kind": [
      {
        "kind": "third_party",
        "title": "Third-party packages",
        "findings": 1,
        "error": 0,
        "warning": 1,
        "info": 0,
        "applied": 0,
        "available": 0,
        "to_review": 1
      }
    ]
  },
  "actions": [
    {
      "severity": "warning",
      "effort": "none",
      "kind": "third_party",
      "rule": "package.flash_attn",
      "message": "Use torch_npu.",
      "subjects": [
        "flash-attn"
      ],
      "findings": 1,
      "files": 1,
      "place": "a \"b\".py:1",
      "finding_id": "aac88a11e0b82c00",
      "unverified": false
    }
  ],
  "third_party": [
    {
      "package": "flash-attn",
      "status": "unknown",
      "advice": "Use torch_npu.",
      "places": [
        "a \"b\".py:1"
      ],
      "finding_ids": [
        "aac88a11e0b82c00"
      ]
    }
  ],
  "unknown_packages": [],
  "operators": [],
  "programs": [],
  "api_coverage": [],
  "chip_coverage": [],
  "rules": [],
  "sources": {},
  "notes": [
    "A note."
  ],
  "translations": {
    "zh": {
      "A note.": "说明。"
    }
  },
  "files": [
    {
      "path": "a \"b\".py",
      "type": "python",
      "lines": 1,
      "parsed": true,
      "changed": false,
      "readiness": "ready",
      "findings": [
        {
          "id": "aac88a11e0b82c00",
          "rule": "package.flash_attn",
          "kind": "third_party",
          "severity": "warning",
          "certainty": "resolved",
          "state": "none",
          "subject": "flash-attn",
          "message": "Use torch_npu.",
          "source": "torch_npu 2.6 documentation",
          "effort": "none",
          "begin": {
            "line": 1,
            "column": 8
          },
          "end": {
            "line": 1,
            "column": 18
          },
          "old_text": "import flash_attn",
          "new_text": null
        }
      ],
      "edits": [],
      "excerpts": [
        {
          "line": 1,
          "lines": [
            "import flash_attn",
            ""
          ]
        }
      ]
    }
  ]
}
)json");
}

TEST_CASE("report json: is strict JSON whatever the project holds") {
    FileOutcome file = test::train_outcome();
    file.path = "\xFF\"\\\n.py";
    file.findings[0].old_text = std::string("a\0b\x1b", 4);
    Report report = make_report({"migrate", {"in"}, "out", "1"}, {test::file_of(file)}, 1, {}, {});
    auto parsed = base::parse_json(test::json_of(report), "report.json");
    REQUIRE(parsed);
    const base::Json& written = (*parsed->root.find("files")->array())[0];
    CHECK(*written.find("path")->string() == "\xEF\xBF\xBD\"\\\n.py");
    CHECK(*(*written.find("findings")->array())[0].find("old_text")->string() == file.findings[0].old_text);
}

TEST_CASE("report json: a finding that proposes nothing has no new text") {
    auto parsed = base::parse_json(test::json_of(test::small_report()), "report.json");
    REQUIRE(parsed);
    const base::Json::Array& findings = *(*parsed->root.find("files")->array())[0].find("findings")->array();
    CHECK(findings[0].find("new_text")->is_null());
    CHECK(*findings[1].find("new_text")->string() == "x = torch.npu.current_device()");
}
