"""Parts of a training loop that are not unwrapped: each is reported with line and reason."""

from __future__ import annotations

import pytest

from workbench.unwrap.unwrapping import Unwrapped, unwrap

NET = """\
import pytorch_lightning as pl
import torch

class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.a(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

net = Net()
"""
STOP, KEEP = "pl.callbacks.EarlyStopping(", "pl.callbacks.ModelCheckpoint(monitor="
LOOP = """\
import torch
from accelerate import Accelerator
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [torch.ones(2, 2)]
"""
MODEL = """\
import torch
from transformers import Trainer, TrainingArguments

class Net(torch.nn.Module):
    def forward(self, x, labels):
        return (x.sum(), x)

model = Net()
data = []
"""


def of(text: str) -> Unwrapped:
    return unwrap({"a.py": text})["a.py"]


def assert_refused(text: str, line: int, message: str) -> None:
    found = of(text)
    assert found.text == text and not found.changed
    assert any(one.line == line and message in one.message for one in found.refusals), (
        found.refusals
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pl.Trainer(max_epochs=1, precision='16-mixed').fit(net, [])", "take bf16-mixed"),
        ("pl.Trainer(max_epochs=1, precision='bf16-true').fit(net, [])", "to this dtype yourself"),
        ("pl.Trainer(max_epochs=1, callbacks=found()).fit(net, [])", "the callback found"),
        ("pl.Trainer(max_epochs=1, callbacks=[pl.Timer()]).fit(net, [])", "the callback pl.Timer"),
        (f"pl.Trainer(max_epochs=1, callbacks=[{STOP}'x')]).fit(net, loader)", "logs no value"),
        (f"pl.Trainer(max_epochs=1, callbacks=[{STOP}n, **a)]).fit(net, [])", "without stars"),
        (f"pl.Trainer(max_epochs=1, callbacks=[{KEEP}'x')]).fit(net, [])", "give the folder"),
        (
            f"pl.Trainer(max_epochs=1, callbacks=[{KEEP}'x', dirpath='a', save_top_k=3)])",
            "save_top_k",
        ),
        ("pl.Trainer().fit(net, [])", "no max_epochs"),
        ("pl.Trainer(max_epochs=1, callbacks=[Stop()]).fit(net, [])", "the callback Stop"),
        ("pl.Trainer(max_epochs=1, **options).fit(net, [])", "without stars"),
        ("pl.Trainer(max_epochs=1).fit(other, [])", "its class is not in this program"),
        ("pl.Trainer(max_epochs=1).fit(net)", "no loader for train"),
        ("pl.Trainer(max_epochs=1).tune(net)", "Trainer.tune has no form"),
        ("pl.callbacks.Callback()", "Callback has no form"),
        ("run(pl.Trainer)", "Trainer has no form"),
        ("pl.Trainer(max_epochs=-1).fit(net, loader)", "no max_epochs"),
        ("t = pl.Trainer(max_epochs=1); t.fit(net, a); t.fit(net, b)", "does nothing the second"),
    ],
)
def test_uses_of_lightning(line: str, message: str) -> None:
    assert_refused(f"{NET}{line}\n", NET.count("\n") + 1, message)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("return self.a(batch).sum()", "return None", 9, "may return nothing"),
        (
            "return self.a(batch).sum()",
            "self.manual_backward(1)",
            10,
            "automatic_optimization = False",
        ),
        (
            "self.a = ",
            "self.automatic_optimization = flag; self.a = ",
            7,
            "set it to True or False",
        ),
        (
            "def configure",
            "def on_validation_batch_end(self, a, b, c): ...\n    def configure",
            12,
            "the hook",
        ),
        ("return torch.optim.SGD(self.parameters(), lr=0.1)", "return [a, b]", 13, "one optimizer"),
        ("self.a = ", "self.save_hyperparameters(options); self.a = ", 7, "as texts"),
        ("return self.a(batch).sum()", "return self.trainer.x(batch)", 10, "self.trainer"),
        ("return self.a(batch).sum()", "return use(self.hparams)", 10, "read its attributes"),
        ("self.a = ", "self.fit_epochs = 3; self.a = ", 7, "rename yours"),
        (
            "    def __init__",
            "    automatic_optimization = flag\n\n    def __init__",
            5,
            "a setting",
        ),
        ("self, batch, batch_idx", "self, *batch", 9, "other arguments"),
    ],
)
def test_parts_of_a_module(old: str, new: str, line: int, message: str) -> None:
    fit = "pl.Trainer(max_epochs=1).fit(net, loader)\n"
    assert_refused(NET.replace(old, new) + fit, line, message)


MANUAL = NET.replace("self.a =", "self.automatic_optimization = False\n        self.a =")


@pytest.mark.parametrize(
    ("step", "options", "message"),
    [
        ("opt.step()", "accumulate_grad_batches=2", "takes no accumulate_grad_batches"),
        ("opt.step()", "gradient_clip_val=1.0", "takes no gradient_clip_val"),
        ("print(self.global_step)", "", "count the steps in the module itself"),
        ("sum(self.lr_schedulers())", "", "return the schedulers from configure_optimizers"),
        ("self.toggle_optimizer(opt)", "", "self.toggle_optimizer has no form"),
        ("x = self.manual_backward(loss)", "", "call it as a statement"),
        ("self.clip_gradients(opt)", "", "name the optimizer, the limit and the algorithm"),
    ],
)
def test_steps_that_a_module_takes_itself(step: str, options: str, message: str) -> None:
    text = MANUAL.replace("return self.a(batch).sum()", f"opt = self.optimizers()\n        {step}")
    found = of(f"{text}pl.Trainer(max_epochs=1, {options}).fit(net, loader)\n")
    assert not found.changed
    assert any(message in one.message for one in found.refusals), found.refusals


@pytest.mark.parametrize(
    ("hook", "body", "message"),
    [
        (
            "on_train_epoch_end(self, trainer, model)",
            "trainer.save_checkpoint('x')",
            "save_checkpoint",
        ),
        ("on_train_epoch_end(self, trainer, model)", "use(trainer)", "has no trainer"),
        ("on_train_epoch_end(self, trainer, model)", "model.all_gather(1)", "model.all_gather"),
        ("on_train_batch_end(self, trainer, model, *a)", "pass", "as Lightning documents"),
        ("on_train_epoch_start(self, trainer, model)", "trainer.should_stop = True", "should_stop"),
        ("on_test_end(self, trainer, model)", "pass", "the hook on_test_end of a callback"),
        ("setup(self, trainer, model, stage)", "pass", "the hook setup of a callback"),
    ],
)
def test_hooks_of_callbacks(hook: str, body: str, message: str) -> None:
    made = f"class Own(pl.Callback):\n    def {hook}:\n        {body}\n"
    fit = "pl.Trainer(max_epochs=1, callbacks=[Own()]).fit(net, loader)\n"
    line = NET.count("\n") + (2 if body == "pass" else 3)
    assert_refused(f"{NET}{made}{fit}", line, message)


def test_weights_of_other_files_are_not_loaded() -> None:
    text = NET.replace("training_step", "test_step")
    line = NET.count("\n") + 1
    for path in ("'best'", "'last'", "path"):
        run = f"pl.Trainer(max_epochs=1).test(net, loader, ckpt_path={path})\n"
        assert_refused(f"{text}{run}", line, "only the best file of a ModelCheckpoint")


def test_a_name_of_a_hook_is_not_the_trainer_of_the_program() -> None:
    made = (
        "class Own(pl.Callback):\n    def on_train_end(self, trainer, model):\n"
        "        print(trainer.max_epochs)\n"
    )
    fit = "trainer = pl.Trainer(max_epochs=1, callbacks=Own())\ntrainer.fit(net, loader)\n"
    found = of(f"{NET}{made}{fit}")
    assert not found.refusals
    assert "def on_train_end(self, model):\n        print(model.fit_epochs)" in found.text
    assert "own.on_train_end(net)" in found.text


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("a = Accelerator(mixed_precision='fp16')", 6, "changes the training"),
        ("a = Accelerator(log_with='wandb')", 6, "log_with"),
        ("a = Accelerator()\na.log({})", 7, "a writer of your own"),
        ("a = Accelerator()\nrun(a)", 7, "is passed on"),
        ("a = Accelerator(gradient_accumulation_steps=n)", 6, "write it out"),
        ("x.a = Accelerator()", 6, "bind it to one name"),
        (
            "a = Accelerator(gradient_accumulation_steps=2)\nmodel, opt = a.prepare(model, opt)\n"
            "for x in loader:\n    if x is None:\n        continue\n"
            "    with a.accumulate(model):\n        opt.step()",
            11,
            "for every batch",
        ),
    ],
)
def test_uses_of_accelerate(lines: str, line: int, message: str) -> None:
    assert_refused(f"{LOOP}{lines}\n", line, message)


@pytest.mark.parametrize(
    ("options", "settings", "message"),
    [
        ("compute_metrics=f, ", "", "compute_metrics"),
        ("", "fp16=True", "fp16=True"),
        ("", "max_steps=10", "max_steps=10"),
        ("", "lr_scheduler_type='polynomial'", "the schedule 'polynomial'"),
        ("", "eval_strategy='steps'", "evaluation by 'steps'"),
        ("", "neftune_noise_alpha=1", "neftune_noise_alpha"),
    ],
)
def test_settings_of_transformers(options: str, settings: str, message: str) -> None:
    made = f"args = TrainingArguments('out', {settings})\n"
    text = f"{MODEL}{made}t = Trainer(model, args, {options}train_dataset=data)\nt.train()\n"
    assert_refused(text, 10 if settings else 11, message)


def test_a_model_whose_forward_takes_any_keywords_is_refused() -> None:
    text = f"{MODEL}t = Trainer(model, TrainingArguments('out'), train_dataset=data)\nt.train()\n"
    assert not of(text).refusals
    assert_refused(text.replace("labels)", "labels, **rest)"), 10, "num_items_in_batch")


def test_loops_that_accelerate_counts_otherwise_are_refused() -> None:
    head = f"{LOOP}a = Accelerator(gradient_accumulation_steps=2)\n"
    for prepared, body, line in (
        (
            "model, opt = a.prepare(model, opt)",
            "    with a.accumulate(model):\n        opt.step()",
            9,
        ),
        (
            "model, opt, loader = a.prepare(model, opt, loader)",
            "    with a.accumulate(model):\n        opt.step()\n    break",
            9,
        ),
        (
            "model, opt, loader = a.prepare(model, opt, loader)",
            "    with a.accumulate(model):\n        pass\n"
            "    with a.accumulate(model):\n        opt.step()",
            9,
        ),
    ):
        text = f"{head}{prepared}\nfor x in loader:\n{body}\n"
        assert_refused(text, line, "use it once, directly in a loop over a prepared loader")


def test_a_trainer_that_goes_on_is_refused() -> None:
    text = f"{MODEL}t = Trainer(model, TrainingArguments('out'), train_dataset=data)\n"
    assert_refused(f"{text}t.train()\nt.train()\n", 12, "the second time")
    assert_refused(f"{text}for _ in range(2):\n    t.train()\n", 12, "the second time")


def test_other_programs_stay_byte_for_byte() -> None:
    for text in (
        "import torch\nx = torch.ones(2)\n",
        "from transformers import AutoModel\nm = AutoModel()\n",
    ):
        found = of(text)
        assert found == Unwrapped(text, changed=False, notes=(), refusals=())


def test_strings_and_comments_in_a_block_keep_their_text() -> None:
    text = (
        f"{LOOP}a = Accelerator()\nmodel, opt = a.prepare(model, opt)\nfor x in loader:\n"
        "    with a.accumulate(model):\n        # one\n        text = '''\n    two'''\n"
        "        a.backward(model(x).sum())  # three\n        opt.step()\n"
    )
    assert of(text).text == (
        f"{LOOP}for x in loader:\n    # one\n    text = '''\n    two'''\n"
        "    model(x).sum().backward()  # three\n    opt.step()\n"
    ).replace("from accelerate import Accelerator\n", "")


def test_a_model_that_is_assigned_with_another_value_is_known() -> None:
    text = NET.replace("net = Net()", "net, loader = Net(), [1]")
    found = of(f"{text}pl.Trainer(max_epochs=1).fit(net, loader)\n")
    assert not found.refusals and "for batch_idx, batch in enumerate(loader):" in found.text
    swapped = text.replace("Net(), [1]", "[1], Net()")
    assert of(f"{swapped}pl.Trainer(max_epochs=1).fit(net, loader)\n").refusals


def test_names_of_the_loop_do_not_hide_names_of_the_program() -> None:
    fit = "pl.Trainer(max_epochs=1).fit(net, loader)\n"
    found = of(f"{NET}optimizer = 1\n{fit}print(optimizer)\n")
    assert not found.refusals
    assert "optimizer_ = net.configure_optimizers()" in found.text
