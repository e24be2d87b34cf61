"""Forms to shake the machinery down."""
from workbench.rules.forms import FormSet

forms = FormSet()
forms.row(
    "torch.Tensor.chunk", "torch.Tensor.size", "torch.Tensor.view", "torch.Tensor.masked_fill", to="..."
)
forms.row("torch.triu", to="paddle.triu")
forms.row("torch.ones", to="paddle.ones")
forms.row("torch.zeros", to="paddle.zeros")
forms.row("torch.cuda.is_available", to="paddle.cuda.is_available")
