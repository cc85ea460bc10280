import os

os.environ["PYTORCH_NPU_ALLOC_CONF"] = "garbage_collection_threshold:0.8,expandable_segments:true"  # expect: env.bad_value


def other():
    os.environ["PYTORCH_NPU_ALLOC_CONF"] = "garbage_collection_threshold:0.8,expandable_segments:False"  # ok: env.bad_value
