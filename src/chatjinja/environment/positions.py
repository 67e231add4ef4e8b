"""Where in the template an error belongs: from the traceback of the generated code."""

from __future__ import annotations

from itertools import islice
from types import CodeType, TracebackType
from typing import TYPE_CHECKING

from chatjinja.compiler.sites import Site
from chatjinja.diagnostics import render_error
from chatjinja.errors import TemplateError, UnsupportedError
from chatjinja.source import Source, Span

if TYPE_CHECKING:
    from chatjinja.environment.forms import Form
    from chatjinja.environment.jinja_forms import JinjaForm


def locate(error: TemplateError, source: Source, form: Form | JinjaForm | None = None) -> None:
    """Fill in place, template name and text of an error. Does nothing the second time."""
    if error.rendered is not None:
        return
    error.template_name = source.name
    if form is not None:
        _from_traceback(error, source, form)
    if error.span is not None and error.lineno is None:
        position = source.position(min(error.span.start, len(source.text)))
        error.lineno, error.colno = position.lineno, position.colno
    error.rendered = render_error(error, source)


def _from_traceback(error: TemplateError, source: Source, form: Form | JinjaForm) -> None:
    unsupported = isinstance(error, UnsupportedError) or error.code == "stray-signal"
    if error.phase is None and not unsupported:
        error.phase = "run"
    frame = _innermost(error.__traceback__, form.filename)
    if frame is None:
        return
    position = form.positions.get(frame)
    if position is None:
        code, lasti = frame
        position = next(islice(code.co_positions(), lasti // 2, None), None)
        if position is None:
            return
        form.positions[frame] = position
    lineno, end_lineno, column, end_column = position
    if column is None or lineno is None or end_lineno is None or end_column is None:
        error.lineno = lineno
        return
    sites = form.compiled.sites.get((lineno, column, end_lineno, end_column))
    if sites is not None:
        _report(error, source, sites[min(error.site, len(sites) - 1)])


def _report(error: TemplateError, source: Source, site: Site) -> None:
    position = source.position(site.at)
    error.lineno, error.colno = position.lineno, position.colno
    error.span = Span(site.start, site.end)
    if error.phase == "run":
        error.node = site.node


def _innermost(traceback: TracebackType | None, filename: str) -> tuple[CodeType, int] | None:
    """Code and instruction of the innermost frame of generated code."""
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename:
            found = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return found
