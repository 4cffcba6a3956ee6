"""The house rules that import contracts cannot hold, checked on the syntax tree.

Each rule is a function from one parsed module to its violations. test_rules.py runs them over
the program; test_rules_bite.py breaks each of them once. Exceptions to a rule are listed, with
their reason, in allowed.py, never in here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "moltbot_desktop"


@dataclass(frozen=True)
class Violation:
    """One place that breaks a rule. `where` is `module:qualname`, relative to the package."""

    rule: str
    where: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.where} (line {self.line}): {self.text} [{self.rule}]"


@dataclass(frozen=True)
class Source:
    """A parsed module. `name` is relative to the package: `core.clock`, `tools`."""

    name: str
    tree: ast.Module
    lines: tuple[str, ...]

    @property
    def room(self) -> str:
        return self.name.split(".")[0]

    @cached_property
    def nodes(self) -> tuple[tuple[ast.AST, str], ...]:
        """Every node with the dotted name of the function or class around it ("" at the top)."""
        found: list[tuple[ast.AST, str]] = []
        stack: list[tuple[ast.AST, str]] = [(self.tree, "")]
        while stack:
            node, inside = stack.pop()
            found.append((node, inside))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = f"{inside}.{node.name}" if inside else node.name
            stack.extend((child, inside) for child in ast.iter_child_nodes(node))
        return tuple(found)

    def within(self, rooms: Iterable[str]) -> bool:
        return any(self.name == room or self.name.startswith(room + ".") for room in rooms)


Rule = Callable[[Source], Iterator[Violation]]


def read_sources(package: Path) -> list[Source]:
    """Every module of the package folder, parsed."""
    return [read_source(path, package) for path in sorted(package.rglob("*.py"))]


def read_source(path: Path, package: Path) -> Source:
    parts = path.relative_to(package).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = path.read_text(encoding="utf-8")
    return Source(name or PACKAGE, ast.parse(text, str(path)), tuple(text.splitlines()))


def violation(rule: str, source: Source, inside: str, node: ast.AST, text: str) -> Violation:
    where = f"{source.name}:{inside}" if inside else source.name
    return Violation(rule, where, getattr(node, "lineno", 1), text)


def imported_names(node: ast.AST) -> tuple[str, ...]:
    """Full dotted names that an import statement brings in; () for any other node."""
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return tuple(f"{node.module}.{alias.name}" for alias in node.names)
    return ()


def starts_with(name: str, prefixes: Iterable[str]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


def dotted_name(node: ast.AST) -> str:
    """`a.b.c` of a chain of attributes; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else node.attr
    return ""


def aliases(source: Source) -> dict[str, str]:
    """Local name -> full name, for `import a.b as c` and `from a import b as c` anywhere."""
    known: dict[str, str] = {}
    for node, _ in source.nodes:
        if isinstance(node, ast.Import):
            known |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            known |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return known


def called_names(source: Source) -> Iterator[tuple[ast.Call, str, str]]:
    """Every call with its full dotted name (imports resolved) and where it stands."""
    known = aliases(source)
    for node, inside in source.nodes:
        if isinstance(node, ast.Call):
            first, dot, rest = dotted_name(node.func).partition(".")
            yield node, known.get(first, first) + dot + rest, inside


# --- core touches nothing outside

_NOT_IN_CORE = (
    *("asyncio", "threading", "concurrent", "multiprocessing", "os", "io", "pathlib", "shutil"),
    *("tempfile", "time", "random", "secrets", "logging", "subprocess", "socket", "sqlite3"),
)


def core_is_pure(source: Source) -> Iterator[Violation]:
    """core holds values: no clock, disk, network, thread or log of its own."""
    if source.room != "core":
        return
    for node, inside in source.nodes:
        for name in imported_names(node):
            if starts_with(name, _NOT_IN_CORE):
                yield violation("core-is-pure", source, inside, node, f"imports {name}")


def no_any_in_ports(source: Source) -> Iterator[Violation]:
    """core and sdk are what everybody builds against: every value there has a type."""
    if source.room not in {"core", "sdk"}:
        return
    for node, inside in source.nodes:
        if "typing.Any" in imported_names(node):
            yield violation("no-any-in-ports", source, inside, node, "imports typing.Any")


# --- Qt


def qt_widgets_in_ui(source: Source) -> Iterator[Violation]:
    """Widgets only in ui (and app, which starts them); qt knows QtCore and QtNetwork."""
    if source.room in {"ui", "app"}:
        return
    barred = ("PySide6.QtWidgets", "PySide6.QtGui")
    for node, inside in source.nodes:
        for name in imported_names(node):
            if starts_with(name, barred):
                yield violation("qt-widgets-in-ui", source, inside, node, f"imports {name}")


# --- imports


_DYNAMIC = (
    *("importlib.import_module", "importlib.reload", "importlib.util.spec_from_file_location"),
    *("importlib.util.module_from_spec", "__import__", "runpy.run_module", "runpy.run_path"),
    *("pkgutil.walk_packages", "exec", "eval", "builtins.exec", "builtins.eval"),
)


def dynamic_import_in_loader(source: Source) -> Iterator[Violation]:
    """Code comes in by name in one file, where what may be loaded is decided.

    And in one more, whose names stand beside an import of the same (`late_modules_beside_imports`).
    """
    if source.within(["plugins.loader", "core.late"]):
        return
    for node, name, inside in called_names(source):
        if name in _DYNAMIC:
            yield violation("dynamic-import", source, inside, node, f"calls {name}")


def imports_at_the_top(source: Source) -> Iterator[Violation]:
    """An import inside a function hides a circle or a cost.

    Never one of our own modules. A library may come late when a comment on the line, or on the
    line above, says why.
    """
    late = within_functions(source)
    for node, inside in source.nodes:
        if not isinstance(node, ast.Import | ast.ImportFrom) or node not in late:
            continue
        names = imported_names(node)
        own = any(starts_with(name, [PACKAGE]) for name in names) or not names
        if own:
            text = f"imports {', '.join(names) or 'relatively'} inside a function"
            yield violation("imports-at-the-top", source, inside, node, text)
        elif not has_comment(source, node.lineno):
            text = f"imports {', '.join(names)} inside a function without a comment saying why"
            yield violation("imports-at-the-top", source, inside, node, text)


def late_modules_beside_imports(source: Source) -> Iterator[Violation]:
    """`x = LateModule("a.x")` stands in the `else` of an `if TYPE_CHECKING` that imports a.x as x.

    So what is loaded late is seen by type checkers, by the import contracts and by the makers of a
    frozen program, and it is what they saw.
    """
    beside: dict[ast.Call, str] = {}
    for branch in source.tree.body:
        if isinstance(branch, ast.If) and dotted_name(branch.test) == "TYPE_CHECKING":
            names = {bound: full for one in branch.body for bound, full in bound_names(one)}
            for late in branch.orelse:
                for bound, value in assigned(late):
                    if isinstance(value, ast.Call):
                        beside[value] = names.get(bound, "")
    for call, name, inside in called_names(source):
        if name.rsplit(".", 1)[-1] != "LateModule":
            continue
        named = call.args[0] if call.args else None
        asked = named.value if isinstance(named, ast.Constant) else None
        if not isinstance(asked, str) or asked != beside.get(call, ""):
            text = "loads a module late without an import of the same beside"
            yield violation("late-modules", source, inside, call, text)


def bound_names(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """(local name, full name) of what an import statement binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], alias.name
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def within_functions(source: Source) -> set[ast.AST]:
    functions = (
        node for node, _ in source.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {inner for function in functions for inner in ast.walk(function)}


def has_comment(source: Source, line: int) -> bool:
    above = source.lines[line - 2].strip() if line >= 2 else ""
    return "#" in source.lines[line - 1] or above.startswith("#")


# --- threads and time


_THREAD_MAKERS = (
    *("threading.Thread", "threading.Timer", "_thread.start_new_thread", "asyncio.to_thread"),
    *("concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor"),
    *("multiprocessing.Process", "multiprocessing.Pool", "multiprocessing.get_context"),
    *("PySide6.QtCore.QThread", "PySide6.QtCore.QThreadPool"),
)
_THREAD_BASES = ("threading.Thread", "PySide6.QtCore.QThread", "PySide6.QtCore.QRunnable")
_THREAD_ROOMS = ("qt", "channels.host", "models", "memory", "tools", "app")


def threads_in_few_rooms(source: Source) -> Iterator[Violation]:
    """Who makes a thread must also know how it ends; that is said in six places only."""
    if source.within(_THREAD_ROOMS):
        return
    for call, name, inside in called_names(source):
        default_pool = name.endswith(".run_in_executor") and (
            call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value is None
        )
        if name in _THREAD_MAKERS or default_pool:
            yield violation("threads-in-few-rooms", source, inside, call, f"calls {name}")
    known = aliases(source)
    for node, inside in source.nodes:
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                first, dot, rest = dotted_name(base).partition(".")
                name = known.get(first, first) + dot + rest
                if name in _THREAD_BASES:
                    text = f"class {node.name} extends {name}"
                    yield violation("threads-in-few-rooms", source, inside, node, text)


_CLOCKS = (
    *("time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.sleep"),
    *("time.localtime", "time.gmtime", "datetime.now", "datetime.datetime.now"),
    *("datetime.utcnow", "datetime.datetime.utcnow", "datetime.today", "datetime.datetime.today"),
    *("date.today", "datetime.date.today"),
)


def time_from_the_clock(source: Source) -> Iterator[Violation]:
    """Time is handed in (core.clock), or what depends on it cannot be tested without waiting."""
    if source.within(["app.clock"]):
        return
    for call, name, inside in called_names(source):
        if name in _CLOCKS:
            yield violation("time-from-the-clock", source, inside, call, f"calls {name}")


# --- errors


def broad_except_at_borders(source: Source) -> Iterator[Violation]:
    """`except Exception` is for listed borders; elsewhere it hides bugs.

    A handler that always raises again (to clean up first) hides nothing and is free.
    """
    for node, inside in source.nodes:
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not raises_again(node):
            caught = ast.unparse(node.type) if node.type else "everything"
            yield violation("broad-except", source, inside, node, f"catches {caught}")
        if isinstance(node, ast.Call) and suppresses_all(node):
            yield violation("broad-except", source, inside, node, "suppresses Exception")


_BROAD = frozenset({"Exception", "BaseException"})


def caught_names(handler: ast.ExceptHandler) -> tuple[str, ...]:
    if handler.type is None:
        return ("BaseException",)
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return tuple(dotted_name(kind).rsplit(".", 1)[-1] for kind in kinds)


def is_broad(handler: ast.ExceptHandler) -> bool:
    return not _BROAD.isdisjoint(caught_names(handler))


def raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise)


def suppresses_all(call: ast.Call) -> bool:
    names = {dotted_name(argument) for argument in call.args}
    return dotted_name(call.func).endswith("suppress") and not _BROAD.isdisjoint(names)


def cancellation_goes_on(source: Source) -> Iterator[Violation]:
    """A coroutine that swallows CancelledError makes a task that cannot be stopped.

    A plain function around `asyncio.run` may: nobody above it is waiting for the cancellation.
    """
    for function, inside in source.nodes:
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        where = f"{inside}.{function.name}" if inside else function.name
        for node in own_nodes(function):
            if not isinstance(node, ast.ExceptHandler) or raises_again(node):
                continue
            for name in {"CancelledError", "BaseException"} & set(caught_names(node)):
                yield violation("cancellation", source, where, node, f"swallows {name}")


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from own_nodes(child)


# --- reading

_WHOLE = frozenset({"read_text", "read_bytes", "readlines", "readall"})


def reads_have_a_bound(source: Source) -> Iterator[Violation]:
    """What others may have written is read up to a size that is said (`storage.bounded`).

    A line of asyncio's streams has its bound where the stream is opened.
    """
    awaited = {id(node.value) for node, _ in source.nodes if isinstance(node, ast.Await)}
    for node, inside in source.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, bare = node.func.attr, not node.args and not node.keywords
        line = name == "readline" and bare and id(node) not in awaited
        if name in _WHOLE or (name == "read" and bare) or line or is_json_load(node.func):
            text = f"calls {ast.unparse(node.func)} without a bound"
            yield violation("bounded-reads", source, inside, node, text)


def is_json_load(called: ast.expr) -> bool:
    return dotted_name(called) == "json.load"


# --- state


_MUTABLE_CALLS = frozenset(
    {"list", "dict", "set", "bytearray", "deque", "defaultdict", "OrderedDict", "Counter"}
)
_MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "add", "discard", "update"}
    | {"setdefault", "popitem", "appendleft", "popleft", "sort", "reverse"}
)
# Module-level names in lower case that hold no state of ours.
_PLAIN_CALLS = frozenset(
    {"getLogger", "TypeVar", "ParamSpec", "NewType", "ContextVar", "LateModule"}
)


def no_module_state(source: Source) -> Iterator[Violation]:
    """What a module holds is fixed once it is imported; state lives in objects that app builds.

    Constants are in UPPER_CASE (types in CamelCase), and a list, dict or set among them is
    never changed; there is no `global`.
    """
    tables = set()
    for node in module_level(source.tree.body):
        for name, value in assigned(node):
            if not is_constant_name(name) and not is_plain(value):
                text = f"{name} is module-level state (a constant is written in UPPER_CASE)"
                yield violation("no-module-state", source, "", node, text)
            if is_mutable(value):
                tables.add(name)
    for node, inside in source.nodes:
        for name in changed_names(node) & tables:
            if inside:
                text = f"changes the module-level {name}"
                yield violation("no-module-state", source, inside, node, text)
        if isinstance(node, ast.Global):
            text = f"global {', '.join(node.names)}"
            yield violation("no-module-state", source, inside, node, text)


def module_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import, those inside `if` and `try` included."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, [])
            if isinstance(statement, ast.If | ast.Try | ast.With):
                yield from module_level(inner)


def assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Name):
                    yield part.id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value


def is_constant_name(name: str) -> bool:
    bare = name.strip("_")
    dunder = name.startswith("__") and name.endswith("__")
    return dunder or bare.isupper() or (bare[:1].isupper() and "_" not in bare)


def is_plain(value: ast.expr | None) -> bool:
    """A logger, a type variable, or another name for a function: nothing that changes."""
    if isinstance(value, ast.Name | ast.Attribute | ast.Lambda):
        return True
    called = dotted_name(value.func).rsplit(".", 1)[-1] if isinstance(value, ast.Call) else ""
    return called in _PLAIN_CALLS


def is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return dotted_name(value.func).rsplit(".", 1)[-1] in _MUTABLE_CALLS
    literal = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
    return isinstance(value, literal)


def changed_names(node: ast.AST) -> set[str]:
    """Names whose object this node changes in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        return {owner.id} if isinstance(owner, ast.Name) and node.func.attr in _MUTATORS else set()
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    return {
        target.value.id
        for target in targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    }


# --- names

_DRAWERS = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "stuff", "shared"})


def no_drawers(source: Source) -> Iterator[Violation]:
    """A module is named after what it holds, or everything ends up in it."""
    for part in source.name.split("."):
        if part.strip("_") in _DRAWERS:
            text = f"a module called {part} is a drawer; name it after what it holds"
            yield violation("no-drawers", source, "", source.tree, text)


# --- documentation

_DOCUMENTED = ("models", "sdk")
_UNITS = (
    *("seconds", "ms", "bytes", "tokens", "characters", "layers", "threads", "dimensions"),
    *("rounds", "calls", "lines", "count", "number", "items", "share", "results", "port", "id"),
    *("size", "width", "length", "limit", "depth", "seed", "temperature", "gate"),
)


def figures_are_explained(source: Source) -> Iterator[Violation]:
    """A public class of these rooms says what it is, the unit of every number, and its errors.

    A number's unit stands in its name (`size_bytes`), or its name stands in the documentation.
    """
    if not source.within(_DOCUMENTED):
        return
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                text = "a public class without documentation"
                yield violation("figures-explained", source, node.name, node, text)
            yield from _unexplained(source, node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            yield from _untold_errors(source, node, node.name, ast.get_docstring(node) or "")


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"


def _unexplained(source: Source, owner: ast.ClassDef) -> Iterator[Violation]:
    told = ast.get_docstring(owner) or ""
    for node in owner.body:
        if isinstance(node, ast.AnnAssign):
            yield from _unitless(source, owner.name, node, node.target, node.annotation, told)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            here = f"{owner.name}.{node.name}"
            both = told + "\n" + (ast.get_docstring(node) or "")
            yield from _untold_errors(source, node, here, both)
            if node.name in _CONTRACT_METHODS:
                continue
            for argument in (*node.args.args, *node.args.kwonlyargs):
                name = ast.Name(argument.arg)
                yield from _unitless(source, here, argument, name, argument.annotation, both)


# Their numbers are explained in the contract (`formats.contract.CallFormat`).
_CONTRACT_METHODS = frozenset({"section", "body_end"})


def _unitless(
    source: Source,
    where: str,
    node: ast.AST,
    target: ast.expr,
    annotation: ast.expr | None,
    told: str,
) -> Iterator[Violation]:
    name = target.id if isinstance(target, ast.Name) else ""
    kinds = {dotted_name(part) for part in ast.walk(annotation)} if annotation else set[str]()
    containers = {"frozenset", "tuple", "list", "dict", "Mapping", "Sequence", "Callable"}
    if not kinds & {"int", "float"} or kinds & containers or not _is_public(name):
        return
    if name.split("_")[-1] not in _UNITS and not re.search(rf"\b{name}\b", told):
        text = f"the number `{name}` has no unit, neither in its name nor in the documentation"
        yield violation("figures-explained", source, where, node, text)


def _untold_errors(
    source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, where: str, told: str
) -> Iterator[Violation]:
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = dotted_name(node.exc.func).rsplit(".", 1)[-1]
            if name[:1].isupper() and name != "AssertionError" and name not in told:
                text = f"raises {name} and does not say so"
                yield violation("figures-explained", source, where, node, text)


RULES: tuple[Rule, ...] = (
    core_is_pure,
    no_any_in_ports,
    qt_widgets_in_ui,
    dynamic_import_in_loader,
    imports_at_the_top,
    late_modules_beside_imports,
    threads_in_few_rooms,
    time_from_the_clock,
    broad_except_at_borders,
    cancellation_goes_on,
    reads_have_a_bound,
    no_module_state,
    no_drawers,
    figures_are_explained,
)


def violations(sources: Iterable[Source]) -> list[Violation]:
    return [found for source in sources for rule in RULES for found in rule(source)]


def split_allowed(
    found: Iterable[Violation], allowed: Mapping[str, Mapping[str, str]]
) -> tuple[list[Violation], Set[tuple[str, str]]]:
    """Violations that are not on the list, and list entries that excuse nothing any more."""
    found = list(found)
    entries = {(rule, where) for rule, places in allowed.items() for where in places}
    left = [v for v in found if (v.rule, v.where) not in entries]
    return left, entries - {(v.rule, v.where) for v in found}
