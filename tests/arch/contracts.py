"""Two import contracts that import-linter does not bring along.

Its own `forbidden` and `protected` types fail when a room does not exist yet or a library is not
used yet, and neither can hold the whole table "library -> rooms" in one place. Registered under
`contract_types` in pyproject.toml; names of rooms are relative to moltbot_desktop.
"""

from __future__ import annotations

from collections.abc import Iterable

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

PACKAGE = "moltbot_desktop"


def is_within(module: str, room: str) -> bool:
    """True when `module` (full name) is `room` (relative name) or lies inside it."""
    full = f"{PACKAGE}.{room}"
    return module == full or module.startswith(full + ".")


def is_within_any(module: str, rooms: Iterable[str]) -> bool:
    return any(is_within(module, room) for room in rooms)


def direct_imports(graph: ImportGraph) -> Iterable[tuple[str, str, int]]:
    """(importer, imported, line) of every import made by the program."""
    for importer in sorted(graph.modules):
        if importer != PACKAGE and not importer.startswith(PACKAGE + "."):
            continue
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            details = graph.get_import_details(importer=importer, imported=imported)
            yield importer, imported, details[0]["line_number"] if details else 0


class _ListingContract(Contract):
    """A contract whose violations are single imports, listed one per line."""

    def violations(self, graph: ImportGraph) -> list[str]:
        raise NotImplementedError

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        found = self.violations(graph)
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["found"]:
            output.print_error(line, bold=False)
        output.new_line()


class OneHomeContract(_ListingContract):
    """`homes`: rows "library -> room, room"; nobody else may import the library.

    A row without rooms forbids the library in the whole program.
    """

    type_name = "one_home"
    homes = fields.ListField(subfield=fields.StringField())

    def table(self) -> dict[str, tuple[str, ...]]:
        rows = (str(row).split("->") for row in self.homes)  # type: ignore[attr-defined]
        return {
            library.strip(): tuple(room.strip() for room in rooms.split(",") if room.strip())
            for library, rooms in rows
        }

    def violations(self, graph: ImportGraph) -> list[str]:
        table = self.table()
        return [
            f"{importer} (line {line}) imports {imported}, "
            f"whose home is: {', '.join(table[imported]) or 'outside the program'}"
            for importer, imported, line in direct_imports(graph)
            if imported in table and not is_within_any(importer, table[imported])
        ]


class OnlyImportsContract(_ListingContract):
    """Inside the program, `importers` may import themselves and `allowed`, nothing else.

    An importer written `room.*` means each child of the room by itself: one child may not
    import another.
    """

    type_name = "only_imports"
    importers = fields.ListField(subfield=fields.StringField())
    allowed = fields.ListField(subfield=fields.StringField())

    def owner(self, module: str) -> str | None:
        """The importer (relative name) that `module` belongs to."""
        for pattern in self.importers:  # type: ignore[attr-defined]
            room = str(pattern).removesuffix(".*")
            if not is_within(module, room):
                continue
            if room == pattern:
                return room
            rest = module.removeprefix(f"{PACKAGE}.{room}").lstrip(".")
            return f"{room}.{rest.split('.')[0]}" if rest else room
        return None

    def violations(self, graph: ImportGraph) -> list[str]:
        allowed = [str(room) for room in self.allowed]  # type: ignore[attr-defined]
        found = []
        for importer, imported, line in direct_imports(graph):
            owner = self.owner(importer)
            if owner is None or not imported.startswith(PACKAGE + "."):
                continue
            if not is_within_any(imported, [owner, *allowed]):
                found.append(f"{importer} (line {line}) imports {imported}")
        return found
