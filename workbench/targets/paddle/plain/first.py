"""Forms to shake the machinery down."""
import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite

forms = FormSet()
forms.row("torch.Tensor.chunk", "torch.Tensor.size", "torch.Tensor.view", "torch.Tensor.masked_fill", "torch.nn.Module.state_dict", to="...")
forms.row("torch.triu", to="paddle.triu")
forms.row("torch.ones", to="paddle.ones")
forms.row("torch.zeros", to="paddle.zeros")
forms.row("torch.cuda.is_available", to="paddle.cuda.is_available")
forms.row("torch.nn.utils.clip_grad_norm_", to="paddle.nn.utils.clip_grad_norm_")
forms.row("torch.nn.init.normal_", to="paddle.nn.init.normal_")
forms.row("torch.utils.data.DataLoader", to="paddle.io.DataLoader")
forms.row("torch.save", to="paddle.save({obj}, {f})", differs=(Difference.FILE_FORMAT,))


@forms.form("torch.optim.AdamW")
def adamw(match: Match) -> Outcome | None:
    return Rewrite("paddle.optimizer.AdamW({lr=1e-3}, beta1=0.9, beta2=0.95, parameters={params})", consumed=frozenset({"betas"}))


@forms.form("torch.optim.lr_scheduler.CosineAnnealingLR")
def cosine(match: Match) -> Outcome | None:
    s = match.use.statement
    if not isinstance(s, ast.Assign) or s.value is not match.use.node:
        return None
    o = match.arguments["optimizer"].node
    return Rewrite("paddle.optimizer.lr.CosineAnnealingDecay({optimizer}.get_lr(), T_max={T_max})", after=f"{ast.unparse(o)}.set_lr_scheduler({ast.unparse(s.targets[0])})")
