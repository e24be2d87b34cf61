"""Forms to shake the machinery down."""
from workbench.rules.forms import FormSet

forms = FormSet()
