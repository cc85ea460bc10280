import threading
import torch

found = []


def work(device, size):
    found.append(torch.ones(size, device=device).sum().item())


thread = threading.Thread(target=work, args=("cuda", 3))
thread.start()
thread.join()
assert found == [3.0]
print(found)
