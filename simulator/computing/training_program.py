# tocuda, Apache-2.0.
"""Trains four networks for 20 steps each, on a GPU and on the CPU; prints the largest difference of their losses."""

import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Identity()
        if stride > 1:
            self.short = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.second(self.first(x)) + self.short(x))


def resnet18():
    """The network of 18 layers, with an eighth of its channels."""
    layers = [nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    for before, channels, stride in ((8, 8, 1), (8, 16, 2), (16, 32, 2), (32, 64, 2)):
        layers += [Residual(before, channels, stride), Residual(channels, channels, 1)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class Gpt(nn.Module):
    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
            self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            query, key, value = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).flatten(2))
            return x + self.mlp(self.norms[1](x))

    def __init__(self, words=50, width=32):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(24, width)
        self.layers = nn.Sequential(*[self.Layer(width, 4) for _ in range(3)], nn.LayerNorm(width))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.word.weight

    def forward(self, x):
        places = torch.arange(x.shape[1], device=x.device)
        return self.head(self.layers(self.word(x) + self.place(places))).flatten(0, 1)


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 4, 4)
        self.first, self.places = nn.Parameter(torch.zeros(1, 1, 32)), nn.Parameter(torch.randn(1, 17, 32) * 0.02)
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0, "gelu", batch_first=True, norm_first=True)
        self.layers, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, 10)

    def forward(self, x):
        patches = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), patches], 1) + self.places
        return self.head(self.layers(x)[:, 0])


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.lstm, self.head = nn.Embedding(50, 16), nn.LSTM(16, 32, 2, batch_first=True), nn.Linear(32, 50)

    def forward(self, x):
        return self.head(self.lstm(self.word(x))[0]).flatten(0, 1)


def losses(make, shape, device):
    torch.manual_seed(0)
    model = make().to(device)
    of_words = len(shape) == 2
    x = torch.randint(50, shape) if of_words else torch.randn(shape)
    y = x.roll(-1, 1).flatten() if of_words else torch.randint(10, shape[:1])
    x, y = x.to(device), y.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for _ in range(20):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        yield loss.item()


if __name__ == "__main__":
    for name, make, shape in (("resnet18", resnet18, (4, 3, 32, 32)), ("gpt", Gpt, (4, 24)), ("lstm", Lstm, (4, 12)),
                              ("vit", Vit, (4, 3, 16, 16))):  # fmt: skip
        ours, cpus = list(losses(make, shape, "cuda")), list(losses(make, shape, "cpu"))
        worst = max(abs(one - other) for one, other in zip(ours, cpus))
        print(name, f"{worst:.1e}", "falls" if ours[-1] < ours[0] else "does not fall")
