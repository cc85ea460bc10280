"""What `ckpt_convert --json` says, as dataclasses."""

import dataclasses
from typing import Dict, List, Optional


@dataclasses.dataclass
class WrittenFile:
    path: str  # below the output directory
    bytes: int


@dataclasses.dataclass
class Conversion:
    """A conversion: what was read, and what was written or, in a dry run, would be."""

    schema: str
    from_: str
    to: str
    family: str
    layers: int
    parameters: int
    dtypes: str
    tensors_written: int
    bytes_read: int
    bytes_written: int
    buffer_bytes: int
    seconds: float
    files_reused: int
    bytes_reused: int
    dry_run: bool
    files: List[WrittenFile]
    notes: List[str]


@dataclasses.dataclass
class Progress:
    """How far a conversion is, about once a second."""

    bytes: int
    total_bytes: int
    bytes_per_second: float
    seconds_left: float


@dataclasses.dataclass
class Difference:
    tensor: str
    what: str


@dataclasses.dataclass
class ChecksumRecord:
    name: str  # the file with the checksums
    files: int  # that it proves


@dataclasses.dataclass
class Content:
    """What is known of the content of a single checkpoint."""

    files: int
    proven: int
    records: List[ChecksumRecord]
    not_proven: List[str]


@dataclasses.dataclass
class Verification:
    schema: str
    checkpoints: List[str]
    family: str
    tensors: int
    bytes: int
    equal: bool
    differences: List[Difference]
    notes: List[str]
    content: Optional[Content] = None  # when there is no second checkpoint


@dataclasses.dataclass
class ListedTensor:
    name: str
    dtype: str
    shape: List[int]
    bytes: int
    file: str
    offset: int


@dataclasses.dataclass
class Listing:
    """What is in a checkpoint or in one weight file."""

    schema: str
    kind: str
    facts: Dict[str, str]
    elements: int
    bytes: int
    tensors: List[ListedTensor]
