"""The house rules, each a function from the modules of a tree to its faults, one line a fault."""

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

MOST_LINES = 400
"""Lines of a file."""
MOST_BODY_LINES = 40
"""Lines of a function, less its signature and docstring."""
MOST_PARAMETERS = 5
"""Parameters of a function, less `self` and `cls`."""
STAND_ALONE = tuple(
    f"benchmark.isolation.{name}"
    for name in ("worker", "calls", "filter", "loading", "room", "supplies", "sweep", "watch")
)
"""The modules that are mounted alone: standard library and numpy only."""
OPEN_TO_ENTRIES = "benchmark.models"
"""The one package of ours that an entry may import."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One Python file, parsed."""

    name: str
    """Such as `benchmark.tracks.spec`; a package's `__init__` has the package's name."""
    path: Path
    """Where it lies, relative to the tree's root."""
    text: str
    """Its source."""
    tree: ast.Module
    """Its syntax."""

    @property
    def is_package(self) -> bool:
        """Whether it is an `__init__`."""
        return self.path.name == "__init__.py"

    @property
    def part(self) -> str:
        """What the table of levels knows it by: `tracks` for `benchmark.tracks.spec`; `scripts`."""
        first, *rest = self.name.split(".")
        return rest[0] if first == "benchmark" and rest else first

    def at(self, node: ast.stmt | ast.expr) -> str:
        """The place of a node, as editors take it."""
        return f"{self.path}:{node.lineno}"


Rule = Callable[[Sequence[Module]], Iterator[str]]


def read_modules(root: Path, *folders: str) -> list[Module]:
    """Every Python file below the given folders of `root`, sorted by path."""
    found = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    return [_read(path, root) for path in found]


def _read(path: Path, root: Path) -> Module:
    text, place = path.read_text(encoding="utf-8"), path.relative_to(root)
    parts = place.parent.parts if path.name == "__init__.py" else place.with_suffix("").parts
    return Module(".".join(parts), place, text, ast.parse(text))


@dataclass(frozen=True)
class Import:
    """One module that another names in an import statement."""

    target: str
    """The imported module, or the module that holds the imported name."""
    node: ast.Import | ast.ImportFrom
    """The statement."""


def imports(module: Module, known: frozenset[str]) -> Iterator[Import]:
    """What `module` imports; a name imported from a package is a module of its own where `known` has it."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            submodules = {f"{base}.{alias.name}" for alias in node.names} & known
            yield from (Import(name, node) for name in sorted(submodules))
            if len(submodules) < len(node.names):
                yield Import(base, node)


def _base(module: Module, node: ast.ImportFrom) -> str:
    """The absolute name of what `from ... import` names, relative ones resolved."""
    package = module.name.split(".") if module.is_package else module.name.split(".")[:-1]
    above = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


def _ours(modules: Sequence[Module]) -> frozenset[str]:
    return frozenset(module.name for module in modules)


def levels_hold(modules: Sequence[Module], levels: Sequence[Sequence[str]]) -> Iterator[str]:
    """A module imports only from the levels before its own, and every module has a level."""
    level_of = {part: level for level, parts in enumerate(levels) for part in parts}
    known = _ours(modules)
    by_name = {module.name: module for module in modules}
    for module in modules:
        if module.part not in level_of:
            yield f"{module.path}: {module.part} has no level; place it in tests/test_architecture.py"
            continue
        for found in imports(module, known):
            other = by_name.get(found.target)
            if other is None or other.part not in level_of or other.part == module.part:
                continue
            if level_of[other.part] >= level_of[module.part]:
                yield (
                    f"{module.at(found.node)}: {module.part} imports {other.name}, expected only levels "
                    f"before its own, {level_of[module.part]}; got {level_of[other.part]}"
                )


def no_cycles(modules: Sequence[Module]) -> Iterator[str]:
    """No module imports itself, not even by way of others."""
    known = _ours(modules)
    graph = {m.name: {i.target for i in imports(m, known) if i.target in known} for m in modules}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # The sorter lists each module before the one that imports it.
        around = " -> ".join(reversed(error.args[1]))
        yield f"import cycle: {around}; move what they share to a level before both"


def no_late_imports(modules: Sequence[Module]) -> Iterator[str]:
    """No function imports a module of ours: what a module needs stands at its top."""
    known = _ours(modules)
    for module in modules:
        inside = {id(node) for function in _functions(module.tree) for node in ast.walk(function)}
        for found in imports(module, known):
            if id(found.node) in inside and found.target in known:
                yield f"{module.at(found.node)}: late import of {found.target}; move it to the file's top"


def inits_are_empty(modules: Sequence[Module]) -> Iterator[str]:
    """An `__init__` holds a docstring, or beside it one literal table and the imports that fill it."""
    for module in modules:
        if not module.is_package:
            continue
        body = module.tree.body[1:] if ast.get_docstring(module.tree) else module.tree.body
        imported = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        rest = [node for node in body if node not in imported and not _is_docstring(node)]
        expected = "expected a docstring or one literal table with its imports"
        if len(rest) > 1 or not all(_is_table(node) for node in rest):
            yield f"{module.path}: {expected}, got other statements; move them to a module"
        used = {node.id for part in rest for node in ast.walk(part) if isinstance(node, ast.Name)}
        for node in imported:
            for alias in node.names:
                if (alias.asname or alias.name.split(".")[0]) not in used:
                    yield f"{module.at(node)}: {expected}, got {alias.name} passed on; import it from its own"


def _is_table(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return isinstance(value, ast.Dict | ast.Tuple | ast.List | ast.Set)


def worker_stands_alone(modules: Sequence[Module]) -> Iterator[str]:
    """The worker imports the standard library and numpy only."""
    for module in modules:
        if module.name in STAND_ALONE:
            for found in imports(module, frozenset()):
                top = found.target.split(".")[0]
                if top not in sys.stdlib_module_names and top != "numpy":
                    yield (
                        f"{module.at(found.node)}: the worker runs alone, yet imports {found.target}; "
                        "expected the standard library or numpy"
                    )


def entries_import_nothing(modules: Sequence[Module]) -> Iterator[str]:
    """An entry imports nothing of the benchmark but the shared models."""
    for module in modules:
        if module.name.startswith("contrib."):
            for found in imports(module, frozenset({OPEN_TO_ENTRIES})):
                inside = f"{found.target}.".startswith("benchmark.")
                if inside and not f"{found.target}.".startswith(f"{OPEN_TO_ENTRIES}."):
                    yield (
                        f"{module.at(found.node)}: an entry imports {found.target}; "
                        f"expected {OPEN_TO_ENTRIES} or nothing of the benchmark"
                    )


def files_are_short(modules: Sequence[Module]) -> Iterator[str]:
    """A file has at most `MOST_LINES` lines."""
    for module in modules:
        lines = len(module.text.splitlines())
        if lines > MOST_LINES:
            yield f"{module.path}: expected at most {MOST_LINES} lines, got {lines}; move a part of it out"


def functions_are_short(modules: Sequence[Module]) -> Iterator[str]:
    """A function's body has at most `MOST_BODY_LINES` lines."""
    for module in modules:
        for node in _functions(module.tree):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if lines > MOST_BODY_LINES:
                yield (
                    f"{module.at(node)}: expected a body of at most {MOST_BODY_LINES} lines, "
                    f"{node.name} has {lines}; name its parts"
                )


def parameters_are_few(modules: Sequence[Module]) -> Iterator[str]:
    """A function has at most `MOST_PARAMETERS` parameters; options of a command line do not count."""
    for module in modules:
        for node in _functions(module.tree):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            every += [extra for extra in (node.args.vararg, node.args.kwarg) if extra]
            counted = [a for a in every if a.arg not in ("self", "cls") and not _is_option(a)]
            if len(counted) > MOST_PARAMETERS:
                yield (
                    f"{module.at(node)}: expected at most {MOST_PARAMETERS} parameters, "
                    f"{node.name} has {len(counted)}; make a record of some"
                )


def _is_option(argument: ast.arg) -> bool:
    """Whether it is annotated as `Annotated[..., typer.Option(...)]` or as a typer argument."""
    source = ast.unparse(argument.annotation) if argument.annotation else ""
    return source.startswith("Annotated[") and ("typer.Option(" in source or "typer.Argument(" in source)


def public_names_have_docstrings(modules: Sequence[Module]) -> Iterator[str]:
    """Every module, public class, public function and public method says what it is."""
    for module in modules:
        if not ast.get_docstring(module.tree):
            yield f"{module.path}: expected a docstring at the top, got none"
        for node in _public(module.tree.body):
            if not ast.get_docstring(node):
                yield f"{module.at(node)}: expected a docstring in {node.name}, got none; say what comes back"


def _public(body: Sequence[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body)


def fields_have_docstrings(modules: Sequence[Module]) -> Iterator[str]:
    """Every field of a dataclass has its docstring under it, and every dataclass is frozen."""
    for module in modules:
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ClassDef) or not (decorator := _dataclass(node)):
                continue
            if "frozen=True" not in decorator:
                yield f"{module.at(node)}: expected a frozen dataclass, {node.name} is not; add frozen=True"
            for field, below in zip(node.body, [*node.body[1:], None], strict=True):
                if isinstance(field, ast.AnnAssign) and not _is_docstring(below):
                    name = f"{node.name}.{ast.unparse(field.target)}"
                    yield f"{module.at(field)}: expected a docstring under {name}, got none; say what it is"


def _dataclass(node: ast.ClassDef) -> str | None:
    """The source of the class's dataclass decorator, if it has one."""
    sources = (ast.unparse(decorator) for decorator in node.decorator_list)
    return next((s for s in sources if s.split("(")[0] in ("dataclass", "dataclasses.dataclass")), None)


def _is_docstring(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))
