"""The fields of torch's named results are tensors."""

import workbench


def test_a_field_of_a_named_result_is_a_tensor() -> None:
    source = "import torch\nx = torch.ones(2, 3)\nt = x.max(1).values.numel()\n"
    assert "torch" not in workbench.convert(source).code.splitlines()[-1].replace("torch_", "")
    assert "numel" not in workbench.convert(source).code.splitlines()[-1]
