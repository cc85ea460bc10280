def enable_npu_sanitizer():
    pass
