"""`report.json` of migrator as dataclasses; docs/reference/report-schema.md describes the fields.

Generated from the JSON Schema by tests/lint/schemas.py.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional


@dataclasses.dataclass
class File:
    path: str
    type: str
    lines: int
    parsed: bool
    changed: bool
    readiness: str
    findings: List[Finding]
    edits: List[Edit]
    excerpts: List[Excerpt]
    test: Optional[bool] = None
    programs: Optional[List[int]] = None
    original: Optional[Original] = None


@dataclasses.dataclass
class Excerpt:
    line: int
    lines: List[str]


@dataclasses.dataclass
class Edit:
    begin_byte: int
    end_byte: int
    begin: Position
    end: Position
    old_text: str
    new_text: str
    findings: List[str]


@dataclasses.dataclass
class Position:
    line: int
    column: int


@dataclasses.dataclass
class Original:
    sha256: Optional[str]
    encoding: str
    new_mode: Optional[int] = None


@dataclasses.dataclass
class Finding:
    id: str
    rule: str
    kind: str
    severity: str
    certainty: str
    state: str
    subject: str
    message: str
    source: str
    effort: str
    begin: Position
    end: Position
    old_text: str
    new_text: Optional[str]
    reach: Optional[str] = None
    together: Optional[List[str]] = None
    also: Optional[List[str]] = None


@dataclasses.dataclass
class Source:
    title: str
    url: str
    version: str
    read: str


@dataclasses.dataclass
class Rule:
    id: str
    kind: str
    severity: str
    certainty: str
    effort: str
    message: str
    source: str
    name_count: int
    names: List[RuleName]


@dataclasses.dataclass
class RuleName:
    from_: str
    to: Optional[str]


@dataclasses.dataclass
class ChipCoverage:
    chip: str
    product: str
    on_npu: int
    recompiled: int
    on_cpu: int
    refused: int
    unknown: int


@dataclasses.dataclass
class Coverage:
    version: str
    supported: int
    limited: int
    unsupported: int
    not_listed: int
    chosen: bool


@dataclasses.dataclass
class Program:
    name: str
    path: str
    rank: int
    origin: Optional[str]
    verdict: str
    because: Optional[str]
    with_: List[str]
    assumed: List[str]
    needs: List[str]
    not_with: List[str]
    blockers: List[str]
    open: List[str]
    edits: int
    reached: Reached
    files: int
    transfer_to_npu: str
    redirected: int
    edited: int
    left: int
    places: List[TransferPlace]


@dataclasses.dataclass
class TransferPlace:
    path: str
    line: int
    rule: str
    subject: str
    message: str


@dataclasses.dataclass
class Reached:
    always: int
    optional: int


@dataclasses.dataclass
class Project:
    state: str
    kind: str
    sentence: str
    evidence: List[ProjectSign]
    start: ProjectStart


@dataclasses.dataclass
class ProjectStart:
    install: List[str]
    environment: List[str]
    arguments: List[str]
    not_with: List[str]
    needs: List[str]


@dataclasses.dataclass
class ProjectSign:
    path: str
    line: int
    certainty: int


@dataclasses.dataclass
class Operator:
    name: str
    modules: List[str]
    signature: Optional[str]
    bindings: List[NamedPlace]
    functions: List[NamedPlace]
    kernels: List[NamedPlace]
    calls: List[str]
    wrappers: List[str]
    gradient: Optional[str]
    what: Optional[str]
    replacement: Optional[str]
    difference: Optional[str]
    effort: str
    finding_id: str


@dataclasses.dataclass
class NamedPlace:
    name: str
    place: str


@dataclasses.dataclass
class UnknownPackage:
    package: str
    imported: bool
    places: List[str]


@dataclasses.dataclass
class Package:
    package: str
    status: str
    advice: str
    places: List[str]
    finding_ids: List[str]


@dataclasses.dataclass
class Action:
    severity: str
    effort: str
    kind: str
    rule: str
    message: str
    subjects: List[str]
    findings: int
    files: int
    place: str
    finding_id: str
    unverified: bool


@dataclasses.dataclass
class Summary:
    verdict: str
    sentence: str
    files_seen: int
    files_analysed: int
    files_changed: int
    files_with_problems: int
    lines: int
    findings: int
    applied: int
    available: int
    to_review: int
    blocking: int
    by_severity: Dict[str, int]
    by_state: Dict[str, int]
    by_effort: Dict[str, int]
    files_by_readiness: Dict[str, int]
    by_kind: List[KindRow]


@dataclasses.dataclass
class KindRow:
    kind: str
    title: str
    findings: int
    error: int
    warning: int
    info: int
    applied: int
    available: int
    to_review: int


@dataclasses.dataclass
class Baseline:
    findings: int
    to_review: int
    blocking: int
    new: int
    gone: int


@dataclasses.dataclass
class Tool:
    name: str
    version: str


@dataclasses.dataclass
class Report:
    schema: str
    tool: Tool
    command: str
    paths: List[str]
    output: Optional[str]
    root: str
    summary: Summary
    actions: List[Action]
    third_party: List[Package]
    unknown_packages: List[UnknownPackage]
    operators: List[Operator]
    programs: List[Program]
    api_coverage: List[Coverage]
    chip_coverage: List[ChipCoverage]
    rules: List[Rule]
    sources: Dict[str, Source]
    notes: List[str]
    translations: Dict[str, Dict[str, str]]
    files: List[File]
    include: Optional[List[str]] = None
    exclude: Optional[List[str]] = None
    date: Optional[str] = None
    commit: Optional[str] = None
    command_line: Optional[str] = None
    source_url: Optional[str] = None
    baseline: Optional[Baseline] = None
    project: Optional[Project] = None
