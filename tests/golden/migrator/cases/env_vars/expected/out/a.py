import os
os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0,1"
os.environ['ASCEND_LAUNCH_BLOCKING'] = '1'
os.environ.setdefault("ASCEND_GLOBAL_LOG_LEVEL", "1")
os.environ["TORCH_HCCL_ASYNC_ERROR_HANDLING"] = "1"
import torch
n = len(os.getenv("ASCEND_RT_VISIBLE_DEVICES", "").split(","))
