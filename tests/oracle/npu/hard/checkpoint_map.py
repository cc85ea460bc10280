import io
import torch

net = torch.nn.Linear(2, 2).cuda()
file = io.BytesIO()
torch.save(net.state_dict(), file)
file.seek(0)
state = torch.load(file, map_location=torch.device("cuda", 0))
net.load_state_dict(state)
print(len(state))
