"""One call in the forms that Python and torch allow."""

from __future__ import annotations

from workbench.proof.samples.call_forms import Call, spellings
from workbench.proof.samples.variants import variants


def written(call: Call) -> dict[str, str]:
    return dict(spellings(call))


def test_a_function_is_called_by_place_by_name_and_through_variables() -> None:
    forms = written(Call("torch.sum", ("t0", "1"), {"keepdim": "True"}))
    assert forms["positional"] == "result = torch.sum(t0, 1, keepdim=True)"
    assert forms["keywords"] == "result = torch.sum(input=t0, dim=1, keepdim=True)"
    assert forms["mixed"] == "result = torch.sum(t0, dim=1, keepdim=True)"
    assert forms["variables"] == "v0 = 1\nresult = torch.sum(t0, v0, keepdim=True)"
    assert forms["bound name"].startswith("function = torch.sum\n")
    assert forms["defaults given"].endswith("keepdim=True, dtype=None)")
    assert forms["unpacked"].endswith("result = torch.sum(*arguments, **options)")


def test_shuffled_keywords_are_the_same_in_another_order() -> None:
    forms = written(Call("torch.sum", ("t0", "1"), {"keepdim": "True"}))
    assert forms["shuffled"] != forms["keywords"]
    inside = [forms[name].partition("(")[2][:-1] for name in ("shuffled", "keywords")]
    assert sorted(inside[0].split(", ")) == sorted(inside[1].split(", "))


def test_arguments_that_are_defaults_are_left_out() -> None:
    forms = written(Call("torch.cat", ("[t0, t1]",), {"dim": "0"}))
    assert forms["defaults left out"] == "result = torch.cat([t0, t1])"


def test_a_method_is_called_on_its_tensor_through_the_class_and_as_an_operator() -> None:
    forms = written(Call("torch.Tensor.__add__", ("t1",), {}, "t0"))
    assert forms["positional"] == "result = t0.__add__(t1)"
    assert forms["operator"] == "result = t0 + t1"
    assert forms["class"] == "result = torch.Tensor.__add__(t0, t1)"


def test_a_signature_that_does_not_take_the_arguments_gives_no_keywords() -> None:
    assert "keywords" not in written(Call("torch.sum", ("t0",), {"unheard_of": "1"}))


def test_cases_of_rules_are_written_in_other_forms() -> None:
    found = dict(variants("torch.stack", "z = torch.stack([x, y], dim=1) + 1"))
    assert found["keywords"] == "z = torch.stack(tensors=[x, y], dim=1) + 1"
    assert found["shuffled"] == "z = torch.stack(dim=1, tensors=[x, y]) + 1"
    assert found["positional"] == "z = torch.stack([x, y], 1) + 1"
    found = dict(variants("torch.Tensor.flatten", "y = x * 2\ny.flatten(1)"))
    assert found["keywords"] == "y = x * 2\ny.flatten(start_dim=1)"


def test_a_case_without_a_plain_call_of_the_name_has_no_variants() -> None:
    assert list(variants("torch.stack", "f = torch.stack\nf([x, y])")) == []
    assert list(variants("torch.stack", "torch.stack(*[[x, y]])")) == []


def test_an_expression_before_a_dot_gets_brackets() -> None:
    found = dict(variants("torch.Tensor.nonzero", "(x > 0).nonzero()"))
    assert found["defaults given"] == "(x > 0).nonzero(as_tuple=False)"
    assert written(Call("torch.Tensor.__radd__", ("t0",), {}, "2"))["positional"].endswith(
        "(2).__radd__(t0)"
    )


def test_a_parameter_that_is_a_word_of_python_is_not_named() -> None:
    forms = written(Call("torch.Tensor.uniform_", ("0.0", "2.0"), {}, "t0"))
    assert not any("from_" in text for text in forms.values())
    assert dict(variants("torch.Tensor.uniform_", "x.uniform_()"))["defaults given"].endswith(
        "x.uniform_(to=1, generator=None)"
    )


def test_defaults_are_written_with_their_full_names() -> None:
    assert "layout=torch.strided" in written(Call("torch.full", ("(2,)", "1.0")))["defaults given"]
