"""Deep Q-learning on made up transitions: named tuples in a memory, a target network that follows."""
import random
from collections import deque, namedtuple
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(4, 16)
        self.layer2 = nn.Linear(16, 2)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


def build():
    return DQN()


def train(policy_net, tau=0.1, gamma=0.9):
    random.seed(0)
    target_net = DQN()
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
    memory = ReplayMemory(100)
    history = []
    for step in range(24):
        state = torch.arange(4.0).add(step).sin().unsqueeze(0)
        following = None if step % 6 == 5 else torch.arange(4.0).add(step + 1).sin().unsqueeze(0)
        action = torch.tensor([[step % 2]])
        memory.push(state, action, following, torch.tensor([float(step % 3)]))
        if len(memory) < 8:
            continue
        batch = Transition(*zip(*memory.sample(8)))
        mask = torch.tensor([s is not None for s in batch.next_state], dtype=torch.bool)
        next_states = torch.cat([s for s in batch.next_state if s is not None])
        values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
        next_values = torch.zeros(8)
        with torch.no_grad():
            next_values[mask] = target_net(next_states).max(1).values
        expected = next_values * gamma + torch.cat(batch.reward)
        loss = nn.SmoothL1Loss()(values, expected.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
        optimizer.step()
        history.append(loss.item())
        target_state, policy_state = target_net.state_dict(), policy_net.state_dict()
        for key in policy_state:
            target_state[key] = policy_state[key] * tau + target_state[key] * (1 - tau)
        target_net.load_state_dict(target_state)
    return history
