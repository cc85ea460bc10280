from ..distributed import ProcessGroupHCCL  # noqa: F401
