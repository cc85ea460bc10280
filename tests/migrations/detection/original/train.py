import torch
from torch.utils.data import DataLoader
from torchvision.ops import nms

from boxes import Boxes, collate
from losses import DetectionLoss


def train(model, data, epochs):
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda:0")
    model = model.to(device)
    criterion = DetectionLoss(80)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate, num_workers=0)
    for epoch in range(epochs):
        for images, boxes, labels in loader:
            images = images.to(device)
            scores, predicted = model(images)
            loss = criterion(scores, predicted, boxes.to(device), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
        torch.save(model.state_dict(), "last.pt")


def detect(model, image):
    model.load_state_dict(torch.load("last.pt"))
    scores, boxes = model.cuda().eval()(image.cuda())
    best = scores.max(-1)[0]
    keep = nms(boxes, best, 0.5)
    return boxes[keep].cpu().numpy()


if __name__ == "__main__":
    train(torch.hub.load("detector", "small"), Boxes("train.json"), 12)
