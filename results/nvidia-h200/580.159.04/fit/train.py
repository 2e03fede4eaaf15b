# tocuda, Apache-2.0.
# The program of docs/measured.md: a transformer of eight layers, three steps; LIMIT is what LibTorch may reserve.
import os, sys
import torch
from torch import nn

torch.manual_seed(0)
layers, width, batch, length = (
    int(os.environ.get(n, d)) for n, d in (("LAYERS", 8), ("WIDTH", 1024), ("BATCH", 8), ("LENGTH", 512))
)
if "LIMIT" in os.environ:  # bytes that LibTorch may reserve
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(int(os.environ["LIMIT"]) / total)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(32000, width)
        layer = nn.TransformerEncoderLayer(width, 16, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, 32000)

    def forward(self, words):
        return self.head(self.layers(self.embed(words)))


model = Model().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(3):
    words = torch.randint(0, 32000, (batch, length), device="cuda")
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
    loss.backward()
    optimizer.step()
used = torch.cuda.mem_get_info()
print(
    "loss",
    loss.item() > 0,
    "allocated",
    torch.cuda.max_memory_allocated(),
    "reserved",
    torch.cuda.max_memory_reserved(),
    "outside",
    used[1] - used[0] - torch.cuda.memory_reserved(),
)
