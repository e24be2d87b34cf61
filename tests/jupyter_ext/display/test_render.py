"""The pieces of a comparison's page: aligned code, folded helpers, curves."""

from __future__ import annotations

import re

from jupyter_ext.display.code_view import highlighted, side_by_side
from jupyter_ext.display.render import as_html, table
from workbench.compare import Comparison, Curve, Row, Run, RunError
from workbench.compare.charts import charts


def rows(html: str) -> list[tuple[str, str]]:
    cells = re.findall(r"<tr[^>]*><td>(.*?)</td><td>(.*?)</td></tr>", html, re.S)
    return [tuple(re.sub("<[^>]+>", "", cell) for cell in pair) for pair in cells]  # type: ignore[misc]


def test_lines_are_next_to_their_origin() -> None:
    html = side_by_side("a = 1\nb = 2", "x = 0\na = 1\nb = 3", [-1, 0, 1], ("l", "r"), ())
    assert rows(html) == [("", "x = 0"), ("a = 1", "a = 1"), ("b = 2", "b = 3")]
    assert html.count('class="tf-new"') == 2


def test_lines_that_stay_unconverted_are_marked() -> None:
    html = side_by_side("a\nb", "a\nb", [0, 1], ("l", "r"), {1})
    assert '<tr class="tf-stays"><td>b' in html


def test_helpers_are_folded_under_their_names() -> None:
    helper = "\n".join(["def helper(x):", *["    x += 1"] * 12, "    return x"])
    code = f"{helper}\na = helper(1)"
    html = side_by_side("a = f(1)", code, [-1] * 14 + [0], ("l", "r"), ())
    assert "14 lines of helpers: helper<" in html
    assert html.count("<tr") == 3  # head, fold, the line itself


def test_blanks_are_inside_tags_and_nothing_is_lost() -> None:
    source = "if x:\n    for y in z:\n        'é<b>'  # &\n"
    lines = highlighted(source)
    plain = [re.sub("<[^>]+>", "", line) for line in lines]
    assert plain == ["if x:", "    for y in z:", "        &#x27;é&lt;b&gt;&#x27;  # &amp;", ""]
    assert not any(line.startswith(" ") and line.lstrip().startswith("<") for line in lines)


def test_curves_of_both_sides_share_one_scale() -> None:
    html = charts([Curve("loss", (2.0, 1.0, float("nan"), 0.5), (2.0, 1.0, 0.7, 0.5))], "paddle")
    assert html.count("<path") == 3
    assert 'class="tf-a" d="M54.0 6.0L' in html
    assert "nan" not in html


def test_the_badge_shows_the_verdict() -> None:
    comparison = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    comparison.rows = [Row("x", (), "float32", 0.0, 0.0)]
    assert 'class="tf-card tf-good"' in as_html(comparison, [0])
    comparison.rows.append(Row("y", same=None, reason="not checked: random"))
    html = as_html(comparison, [0])
    assert 'class="tf-card tf-good"' in html and "1 of 2 values agrees, 1 not checked" in html
    agreeing = comparison.rows.pop(0)
    html = as_html(comparison, [0])
    assert 'class="tf-card tf-warn"' in html and "? Not checked" in html and ">random.<" in html
    comparison.rows += [agreeing, Row("z", same=False, reason="off")]
    html = as_html(comparison, [0])
    assert 'class="tf-card tf-bad"' in html
    # Differing values come first.
    assert html.index('<td class="tf-name">z<') < html.index('<td class="tf-name">x<')


def test_values_that_agree_are_folded_where_they_are_many() -> None:
    comparison = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    comparison.rows = [Row(f"x{number}", (), "float32", 0.0, 0.0) for number in range(9)]
    comparison.rows.append(Row("off", (), "float32", 1.0, 1.0, same=False, reason="far"))
    html = as_html(comparison, [0])
    before, folded = html.split("<summary>9 values agree exactly</summary>")
    assert '<td class="tf-name">off<' in before
    assert "x0, x1, x2" in folded and "<td" not in folded  # a notebook only keeps their names
    assert table(comparison.rows).count('<td class="tf-name">') == 10


def test_an_output_brings_the_rules_that_it_needs() -> None:
    comparison = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    comparison.rows = [Row("x", (), "float32", 0.0, 0.0)]
    html = as_html(comparison, [0])
    assert ".tf-badge {" in html and ".tf-heat" not in html
    assert html.index("</style>") < 5000


def test_an_exception_heads_the_card() -> None:
    error = RunError("ValueError", "too small", 2)
    runs = (Run("torch", error=error), Run("paddle", error=error))
    comparison = Comparison("x", "x", "paddle", *runs)
    comparison.rows = [Row("exception", same=True), Row("x", (), "float32", 0.0, 0.0)]
    html = as_html(comparison, [0])
    assert 'class="tf-card tf-warn"' in html
    assert "! Raised" in html
    assert "at line 3: ValueError: too small" in html
    assert '<td class="tf-name">exception<' not in html


def test_a_number_of_the_headline_stays_on_one_line() -> None:
    comparison = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    comparison.rows = [Row("x", (), "float32", 4.6e-05, 4.6e-05)]
    html = as_html(comparison, [])
    assert '<span class="tf-number">4.6e-05</span>' in html
