import io
import torch

file = io.BytesIO()
torch.save(torch.ones(3).cuda(), file)
file.seek(0)
x = torch.load(file, map_location=lambda storage, location: storage.cuda())
print(x.sum().item())
