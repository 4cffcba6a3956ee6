"""The container and the unit say what this program understands, and name what is there."""

from __future__ import annotations

import configparser
import json
import re
import tomllib

from devtools.places import ROOT
from moltbot_desktop.app.serving import STOP_SECONDS
from moltbot_desktop.cli.parser import Arguments, parse

DOCKERFILE = ROOT / "packaging" / "docker" / "Dockerfile"
UNIT = ROOT / "packaging" / "systemd" / "moltbot-desktop.service"
PROGRAM = "moltbot-desktop"


def dockerfile() -> list[tuple[str, str]]:
    """Its instructions of the last stage, in order."""
    text = re.sub(r"\\\n", " ", DOCKERFILE.read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]
    last = max(number for number, (word, _) in enumerate(found) if word == "FROM")
    return found[last:]


def words_of(instruction: str) -> list[str]:
    """The words of an instruction in JSON form."""
    (rest,) = (rest for word, rest in dockerfile() if word == instruction)
    return list(json.loads(rest[rest.index("[") :]))


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read(UNIT)
    return parser


def understood(*words: str) -> Arguments:
    return parse(words)


def test_the_program_is_called_what_both_call_it() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert PROGRAM in scripts


def test_the_container_serves_and_says_how_it_is() -> None:
    assert words_of("ENTRYPOINT")[-1] == PROGRAM
    assert understood(*words_of("CMD")).command == "serve"
    name, *words = words_of("HEALTHCHECK")
    assert name == PROGRAM
    assert understood(*words).command == "health"


def test_the_container_keeps_everything_in_its_volume_and_runs_as_nobody_special() -> None:
    instructions = dict(dockerfile())
    user, volume = instructions["USER"], instructions["VOLUME"]
    assert user not in ("", "root", "0")
    assert volume == f"/home/{user}/.moltbot"


def test_what_the_container_is_made_of_is_there() -> None:
    text = DOCKERFILE.read_text()
    for path in re.findall(r"packaging/[\w./-]+", text):
        assert (ROOT / path).is_file(), path
    commands = re.findall(rf"{PROGRAM} ([a-z]+)$", text, re.MULTILINE)
    assert [understood(word).command for word in commands] == ["status"]
    ignored = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text().split()
    needed = ("moltbot_desktop", "resources", "skills", "packaging", "pyproject.toml")
    assert not set(ignored) & set(needed)


def test_the_unit_serves() -> None:
    service = unit()["Service"]
    path, *words = service["ExecStart"].split()
    assert path.startswith("%h/")
    assert path.endswith(f".venv/bin/{PROGRAM}")
    assert understood(*words).command == "serve"


def test_the_unit_waits_until_the_program_has_ended_by_itself() -> None:
    service = unit()["Service"]
    assert float(service["TimeoutStopSec"]) > STOP_SECONDS
    # A setting that only a person can mend is not tried for ever.
    assert service["RestartPreventExitStatus"] == "2"
    assert service["Restart"] == "on-failure"


def test_the_units_own_advice_can_be_followed() -> None:
    for path in re.findall(r"packaging/[\w./-]+", UNIT.read_text()):
        assert (ROOT / path).is_file(), path
