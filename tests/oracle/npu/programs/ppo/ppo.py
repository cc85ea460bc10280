"""Proximal policy optimisation on a toy environment: numpy on the host, tensors on the GPU, a buffer that lives there."""

import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

SEED = 11


class Walk:
    """A point on a line that is to be kept near the middle."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.normal(size=4).astype(np.float32)
        self.time = 0
        return self.state

    def step(self, action):
        self.state = (0.9 * self.state + (0.3 if action else -0.3) + 0.05 * self.rng.normal(size=4)).astype(np.float32)
        self.time += 1
        return self.state, float(-np.abs(self.state).mean()), self.time >= 16, {}


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.orthogonal_(layer.weight, np.sqrt(2))
                nn.init.constant_(layer.bias, 0.0)

    def act(self, obs, action=None):
        dist = Categorical(logits=self.actor(obs))
        action = dist.sample() if action is None else action
        return action, dist.log_prob(action), dist.entropy(), self.critic(obs).squeeze(-1)


class Buffer:
    def __init__(self, size, device):
        self.device = device
        self.data = {"obs": torch.zeros((size, 4)), "actions": torch.zeros(size, dtype=torch.long), "logprobs": torch.zeros(size),
                     "rewards": torch.zeros(size), "dones": torch.zeros(size), "values": torch.zeros(size)}
        self.data = {name: value.to(device) for name, value in self.data.items()}

    def advantages(self, last_value, gamma=0.99, lam=0.95):
        out, last = torch.zeros_like(self.data["rewards"]), 0
        values = torch.cat([self.data["values"], last_value.reshape(1)])
        for t in reversed(range(len(out))):
            alive = 1.0 - self.data["dones"][t]
            delta = self.data["rewards"][t] + gamma * values[t + 1] * alive - values[t]
            out[t] = last = delta + gamma * lam * alive * last
        return out


def main():
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.backends.cudnn.deterministic = True
    cuda = True
    device = torch.device("cuda" if torch.cuda.is_available() and cuda else "cpu")
    if torch.cuda.is_available():
        print("Device set to : " + str(torch.cuda.get_device_name(device))[:0] + "accelerator")
    else:
        print("Device set to : cpu")
    env, agent = Walk(SEED), Agent().to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
    buffer, size = Buffer(64, device), 64
    obs = torch.Tensor(env.reset()).to(device)
    for update in range(3):
        for step in range(size):
            with torch.no_grad():
                action, logprob, _, value = agent.act(obs)
            buffer.data["obs"][step], buffer.data["actions"][step] = obs, action
            buffer.data["logprobs"][step], buffer.data["values"][step] = logprob, value
            state, reward, done, _ = env.step(action.cpu().numpy())
            buffer.data["rewards"][step] = torch.tensor(reward).to(device).view(-1)[0]
            buffer.data["dones"][step] = float(done)
            obs = torch.as_tensor(env.reset() if done else state, dtype=torch.float32, device=device)
        with torch.no_grad():
            advantages = buffer.advantages(agent.critic(obs))
        returns = advantages + buffer.data["values"]
        indices = np.arange(size)
        for _ in range(2):
            np.random.shuffle(indices)
            for start in range(0, size, 32):
                mb = torch.from_numpy(indices[start:start + 32]).to(device)
                _, logprob, entropy, value = agent.act(buffer.data["obs"][mb], buffer.data["actions"][mb])
                ratio = (logprob - buffer.data["logprobs"][mb]).exp()
                adv = advantages[mb]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                policy_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 0.8, 1.2)).mean()
                loss = policy_loss - 0.01 * entropy.mean() + 0.5 * ((value - returns[mb]) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        print(f"update {update} loss {loss.item():.6f} return loss {returns.mean().item():.6f}")
    torch.save({k: v.cpu() for k, v in agent.state_dict().items()}, "agent.pt")
    agent.load_state_dict(torch.load("agent.pt", map_location=device))


if __name__ == "__main__":
    main()
