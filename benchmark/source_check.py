"""What can be said of an entry's method.py without running it."""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter
from inspect import Signature as Parameters

from benchmark.errors import EntryError, raise_all
from benchmark.text import fault, is_plain, printable
from benchmark.tracks.spec import Signature

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
OPEN = "benchmark.models"
"""The one module of this repository that an entry may import."""
OURS = ("benchmark", "contrib", "scripts", "tests")
PLACES = re.compile(r"results\.json|fresh\.json|/proc(?=/|$)|contrib/|benchmark/(data|tracks)")
"""What a string holds that reads the repository, or other processes."""
MODULE_NAME = re.compile(r"benchmark(\.\w+)+")
SHOWN_CHARACTERS = 5
"""How many hidden characters of a line a message names."""
OWN_SCOPE = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class _Binding:
    name: str
    """The name that is bound at the top level; `*` for all of another module's."""
    node: ast.AST
    """What binds it."""


class _Default:
    """Any default value of a parameter."""

    def __repr__(self) -> str:
        return "..."


def reading_faults(content: bytes, where: str) -> Iterator[str]:
    """Why Python would not read a file as the lines of text that a reviewer sees. where: its name."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError as error:
        if str(error).startswith("invalid or missing"):
            return  # bytes that are no UTF-8 and no coding line: they do not compile
        encoding = str(error)
    if encoding not in ("utf-8", "utf-8-sig"):
        yield fault(where, "a file in UTF-8", printable(encoding)[:100], "take out its coding line")
    yield from _hidden_faults(content.decode("utf-8-sig", errors="replace"), where)


def _hidden_faults(text: str, where: str) -> Iterator[str]:
    """The lines of a text with a character that hides, moves or breaks what is shown of them."""
    for number, line in enumerate(text.split("\n"), start=1):
        hidden = {c for c in line.removesuffix("\r") if not (is_plain(c) or c == "\t")}
        if hidden:
            got = ", ".join(f"U+{ord(c):04X}" for c in sorted(hidden)[:SHOWN_CHARACTERS])
            step = "take it out, or write it as an escape in a string"
            yield fault(f"{where}:{number}", "characters that show as themselves", got, step)


def parse_source(content: bytes, where: str) -> ast.Module:
    """The syntax tree of a Python file that compiles. Raises EntryError naming the line of the fault.

    where: the file's name, for messages.
    """
    raise_all(EntryError, reading_faults(content, where))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(content)
            compile(module, "method.py", "exec", dont_inherit=True)
            return module
    except SyntaxError as error:
        line = "" if error.lineno is None else f":{error.lineno}"
        got = f"a syntax error: {printable(str(error.msg))[:200]}"
        raise EntryError(fault(f"{where}{line}", "Python", got, "mend it")) from None
    except (ValueError, RecursionError, MemoryError) as error:
        got = printable(str(error))[:200] or "too deep a nesting"
        raise EntryError(fault(where, "Python that can be parsed", got, "simplify the file")) from None


def function_faults(module: ast.Module, name: str, signature: Signature, where: str) -> Iterator[str]:
    """Why the module's `name` cannot stand for the track's function of `signature`.

    Silent where only running the module could tell: an imported, assigned, decorated, or star-imported
    name, or a class. where: the file's name, for messages.
    """
    bindings = list(_bindings(module))
    expected = f"a function {name}({', '.join(signature.arguments)})"
    nodes = [binding.node for binding in bindings if binding.name == name]
    if not nodes:
        if all(binding.name != "*" for binding in bindings):
            yield fault(where, f"{expected} at the top level", "none of that name", "define or import it")
        return
    last = nodes[-1]
    if isinstance(last, ast.AsyncFunctionDef):
        yield fault(f"{where}:{last.lineno}", expected, f"async def {name}", "make it a plain def")
    elif isinstance(last, ast.FunctionDef) and not last.decorator_list:
        parameters = _parameters(last)
        if wrong := _call_fault(parameters, signature):
            got = f"{name}{parameters}"[:200]
            yield fault(f"{where}:{last.lineno}", f"{expected}, called by keywords", got, wrong)


def source_cautions(module: ast.Module, where: str) -> Iterator[str]:
    """What a reviewer should look at in a file of an entry: signs that it uses what makes or holds the truth.

    Nothing here is a fault: in the sandbox none of it is there. where: the file's name, for messages.
    """
    documentation = {id(node) for node in _docstrings(module)}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield from _text_cautions(node.value, f"{where}:{node.lineno}")
            continue
        else:
            continue
        for name in names:
            if _is_closed(name):
                yield _caution(f"{where}:{node.lineno}", f"imports {name}")


def _docstrings(module: ast.Module) -> Iterator[ast.expr]:
    """The strings that stand as statements, docstrings among them: nothing reads them."""
    return (node.value for node in ast.walk(module) if isinstance(node, ast.Expr))


def _text_cautions(text: str, where: str) -> Iterator[str]:
    """Cautions about a string that names a module of ours or a place where the repository would be."""
    if found := PLACES.search(text):
        yield _caution(where, f"names {found[0]}")
    elif MODULE_NAME.fullmatch(text) and _is_closed(text):
        yield _caution(where, f"names {text}")


def _is_closed(name: str) -> bool:
    """Whether a dotted name is of this repository and not open to entries."""
    return name.split(".")[0] in OURS and not f"{name}.".startswith(f"{OPEN}.")


def _caution(where: str, does: str) -> str:
    opened = f"an entry has {OPEN} and its own files, and nothing else of the repository"
    return printable(f"warning: {where}: {does}; {opened}")


def _bindings(module: ast.Module) -> Iterator[_Binding]:
    """All that binds a name in the module's own scope, in source order; every branch counts."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            yield _Binding(node.name, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (_Binding(alias.asname or alias.name.partition(".")[0], node) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield _Binding(node.id, node)
        if not isinstance(node, OWN_SCOPE):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _parameters(function: ast.FunctionDef) -> Parameters:
    """The parameters of a def, without evaluating its defaults and annotations."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    filled = len(positional) - len(given.defaults)
    found = [
        Parameter(
            arg.arg,
            Parameter.POSITIONAL_ONLY if index < len(given.posonlyargs) else Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if index < filled else _Default(),
        )
        for index, arg in enumerate(positional)
    ]
    if given.vararg:
        found.append(Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL))
    for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        empty = Parameter.empty if default is None else _Default()
        found.append(Parameter(arg.arg, Parameter.KEYWORD_ONLY, default=empty))
    if given.kwarg:
        found.append(Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD))
    return Parameters(found)


def _call_fault(parameters: Parameters, signature: Signature) -> str | None:
    """How a def must change so that the signature's arguments reach it by keyword; None when they do."""
    stars = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    single = {name: p for name, p in parameters.parameters.items() if p.kind not in stars}
    takes_all = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.parameters.values())
    wanted = signature.arguments
    steps = {
        "add": [name for name in wanted if name not in single and not takes_all],
        "remove or give a default to": [
            name for name, p in single.items() if p.default is Parameter.empty and name not in wanted
        ],
        "take by keyword": [
            name for name in wanted if name in single and single[name].kind is Parameter.POSITIONAL_ONLY
        ],
    }
    return ", ".join(f"{step} {', '.join(names)}" for step, names in steps.items() if names) or None
