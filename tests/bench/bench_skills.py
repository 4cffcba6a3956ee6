"""How long a thousand skills take: cold, and when nothing changed since the last turn.

    python tests/bench/bench_skills.py [COUNT]

Broken skills and plugins with broken manifests lie among them; each must come with its reason. The
plain way beside it walks the folders and has the YAML library read each front matter: no checks, no
hash, nothing kept. The ratio is what to compare between computers.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.discovery import Origin, PluginRoot, discover
from moltbot_desktop.skills.discovery import WORKSPACE, SkillReader, SkillRoot

COLD_SECONDS, REFRESH_MS = 1.0, 10.0
_TEXT = """\
---
name: skill-{number}
description: "Helps with matter {number}: looks it up, writes it down, and says where it stands."
metadata: {{"moltbot": {{"emoji": "✨", "requires": {{"bins": ["tool-{number}"]}}}}}}
---
# Skill {number}

## Steps
1. Call `find_files` with a word of the subject.
2. Call `read` with the path that fits.
"""
_BROKEN = (
    "no front matter",
    "---\nname: [\n---\n",
    "---\ndescription: nameless\n---\n",
    "---\n- a\n",
)
_EVERY = 25
"""One in so many is broken."""


@dataclass(frozen=True)
class Figures:
    """Times in milliseconds; `skills` and `plugins` as (usable, broken, broken with a reason)."""

    cold: float
    refresh: float
    plain: float
    skills: tuple[int, int, int]
    plugins: tuple[int, int, int]


def lay_out(folder: Path, count: int) -> None:
    """`count` skills and a tenth as many plugins, some of them broken."""
    for number in range(count):
        place = folder / "skills" / f"skill-{number}"
        place.mkdir(parents=True)
        broken = number % _EVERY == 0
        text = _BROKEN[number // _EVERY % len(_BROKEN)] if broken else _TEXT.format(number=number)
        (place / "SKILL.md").write_text(text, "utf-8")
        (place / "notes.md").write_text("More to read.\n" * 20)
    for number in range(count // 10):
        place = folder / "plugins" / f"plugin-{number}"
        place.mkdir(parents=True)
        manifest = {"id": f"plugin-{number}", "configSchema": {"type": "object"}}
        text = '{"id": 3}' if number % _EVERY == 0 else json.dumps(manifest)
        (place / "moltbot.plugin.json").write_text(text)
        (place / "plugin.py").write_text("def register(api): pass\n")


def measured(folder: Path) -> Figures:
    """What the skills and plugins that `lay_out` made cost."""
    # A day ahead: what was written a moment ago would be read again, for it may change once more.
    clock = ManualClock(datetime.now(UTC) + timedelta(days=1))
    reader = SkillReader(clock, Language.ENGLISH)
    roots = (SkillRoot(WORKSPACE, folder / "skills"),)
    cold = _ms(lambda: reader.read(roots))
    snapshot = reader.read(roots)
    refresh = statistics.median(_ms(lambda: reader.read(roots)) for _ in range(9))
    found = discover((PluginRoot(Origin.OWN, folder / "plugins"),), installed=False).plugins
    wrong = [one for one in found if one.manifest is None]
    return Figures(
        cold,
        refresh,
        _ms(lambda: plain(folder / "skills")),
        (
            len(snapshot.skills),
            len(snapshot.problems),
            sum(bool(one.reason and one.hint) for one in snapshot.problems),
        ),
        (len(found) - len(wrong), len(wrong), sum(bool(one.mistakes) for one in wrong)),
    )


def plain(folder: Path) -> int:
    """The plain way: how many front matters are mappings."""
    good = 0
    for path, _, names in os.walk(folder):
        if "SKILL.md" in names:
            parts = Path(path, "SKILL.md").read_text("utf-8").split("---\n")
            try:
                good += isinstance(yaml.safe_load(parts[1] if len(parts) > 1 else ""), dict)
            except yaml.YAMLError:
                continue
    return good


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def main() -> int:
    count = next((int(one) for one in sys.argv[1:] if one.isdecimal()), 1_000)
    with tempfile.TemporaryDirectory() as name:
        lay_out(Path(name), count)
        seen = measured(Path(name))
    told = f"{seen.skills[0]} usable, {seen.skills[2]} of {seen.skills[1]} broken with a reason"
    also = f"{seen.plugins[0]} usable, {seen.plugins[2]} of {seen.plugins[1]} broken with a reason"
    rows: list[dict[str, object]] = [
        {"name": "skills cold", "value": round(seen.cold), "unit": "ms",
         "target": f"< {COLD_SECONDS * 1_000:.0f}", "note": f"{count} folders: {told}"},
        {"name": "skills unchanged", "value": round(seen.refresh, 1), "unit": "ms",
         "target": f"< {REFRESH_MS:.0f}"},
        {"name": "skills, the plain way", "value": round(seen.plain), "unit": "ms",
         "note": f"cold is {seen.cold / seen.plain:.2f} of it"},
        {"name": "plugins beside them", "value": sum(seen.plugins[:2]), "unit": "", "note": also},
    ]  # fmt: skip
    for row in rows:
        print(json.dumps(row))
    slow = seen.cold > COLD_SECONDS * 1_000 or seen.refresh > REFRESH_MS
    return int(slow or seen.skills[1] != seen.skills[2] or seen.plugins[1] != seen.plugins[2])


if __name__ == "__main__":
    sys.exit(main())
