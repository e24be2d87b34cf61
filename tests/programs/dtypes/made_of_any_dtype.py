import torch

for d in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64):
    print(torch.eye(2, dtype=d).long().tolist(), torch.zeros(2, dtype=d).long().tolist(), torch.ones(2, dtype=d).long().tolist(), torch.full((2,), 1, dtype=d).long().tolist())
print(torch.eye(3, dtype=torch.bool).tolist(), torch.eye(2, 3, dtype=torch.int8).tolist(), torch.eye(2, dtype=torch.uint8).tolist())
print(torch.arange(4, dtype=torch.int16).tolist(), torch.arange(4, dtype=torch.uint8).tolist(), torch.arange(4, dtype=torch.int8).sum().item(), torch.arange(4, dtype=torch.bfloat16).float().tolist(), torch.arange(4, dtype=torch.float16).float().tolist())
print(torch.ones(2, 2, dtype=torch.bool).tril().tolist(), torch.tril(torch.ones(3, 3, dtype=torch.bool)).tolist(), torch.triu(torch.ones(3, 3, dtype=torch.uint8), 1).tolist(), torch.ones(3, 3).triu(1).bool().tolist())
print(torch.rand(2, dtype=torch.float64).dtype, torch.linspace(0, 1, 3, dtype=torch.float64).tolist(), torch.randint(0, 2, (3,), dtype=torch.int32).dtype, torch.randint(0, 2, (3,), dtype=torch.uint8).dtype, torch.randint(0, 2, (3,), dtype=torch.bool).dtype)
print(torch.diag(torch.tensor([True, False])).tolist(), torch.eye(3)[torch.tensor([0, 2])].tolist(), torch.eye(3, dtype=torch.long)[0].tolist())
