import cv2
import torchvision  # expect: third_party.ascend_fork
from deepspeed.ops.sparse_attention import SparseSelfAttention  # expect: third_party.native, third_party.cuda_part_call

frame = cv2.cuda.GpuMat()  # expect: third_party.cuda_part_call
boxes = torchvision.ops.nms([], [], 0.5)  # expect: third_party.needs_adapter, advice.dynamic_shape
pooled = torchvision.ops.ps_roi_align([], [], 7)  # expect: third_party.not_in_adapter
plain = cv2.imread("a.png")  # ok: third_party.cuda_part_call
