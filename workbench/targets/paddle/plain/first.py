"""Forms to shake the machinery down."""
from workbench.rules.forms import FormSet

forms = FormSet()
forms.row("torch.cuda.is_available", to="paddle.cuda.is_available")
