import torch
import torch_npu  # hand: import
from torch.utils.data import DataLoader
from torchvision.ops import nms

from boxes import Boxes, collate
from losses import DetectionLoss


def train(model, data, epochs):
    torch.npu.set_compile_mode(jit_compile=False)  # hand: perf.compile_mode
    device = torch.device("npu:0")  # hand: device
    model = model.to(device)
    criterion = DetectionLoss(80)
    optimizer = torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=1e-4)  # hand: perf.fused_optimizer
    loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate, num_workers=8, drop_last=True)  # hand: dataloader
    for epoch in range(epochs):
        for images, boxes, labels in loader:
            images = images.to(device)
            with torch.autocast("npu", dtype=torch.bfloat16):  # hand: amp.added
                scores, predicted = model(images)
            loss = criterion(scores, predicted, boxes.to(device), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
        torch.save(model.state_dict(), "last.pt")


def detect(model, image):
    model.load_state_dict(torch.load("last.pt", map_location="cpu"))  # hand: device.map_location
    scores, boxes = model.npu().eval()(image.npu())  # hand: device
    best = scores.max(-1)[0]
    keep = nms(boxes.cpu(), best.cpu(), 0.5)  # hand: third.nms
    return boxes[keep].cpu().numpy()


if __name__ == "__main__":
    train(torch.hub.load("detector", "small"), Boxes("train.json"), 12)
