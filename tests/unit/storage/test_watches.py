"""Which folders are watched, so that nothing is missed and nothing is watched twice."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.storage.watching import Laid, watches_for


def laid(folders: set[str], *places: str) -> set[Laid]:
    there = {Path(folder) for folder in folders}
    return set(watches_for([Path(place) for place in places], there.__contains__))


def test_a_folder_is_watched_deep_and_what_it_lies_in_shallow() -> None:
    assert laid({"/", "/ws", "/ws/memory"}, "/ws/memory") == {
        Laid(Path("/ws/memory"), deep=True),
        Laid(Path("/ws"), deep=False),
    }


def test_a_file_is_watched_by_its_folder() -> None:
    assert laid({"/", "/ws"}, "/ws/MEMORY.md") == {Laid(Path("/ws"), deep=False)}


def test_for_what_is_not_there_the_nearest_folder_waits() -> None:
    assert laid({"/", "/home"}, "/home/anna/ws/memory") == {Laid(Path("/home"), deep=False)}


def test_a_place_inside_another_needs_no_watch_of_its_own() -> None:
    folders = {"/", "/ws", "/ws/memory", "/ws/memory/sub"}
    one = laid(folders, "/ws/memory")
    assert laid(folders, "/ws/memory", "/ws/memory/sub", "/ws/memory/sub/x.md") == one


PARTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
PATHS = PARTS.map(lambda parts: Path("/", *parts))


@given(places=st.lists(PATHS, min_size=1, max_size=5), folders=st.lists(PATHS, max_size=6))
def test_every_place_and_its_coming_and_going_is_watched_once(
    places: list[Path], folders: list[Path]
) -> None:
    there = {Path("/")} | {above for folder in folders for above in (folder, *folder.parents)}
    watches = watches_for(places, there.__contains__)
    deep = {watch.folder for watch in watches if watch.deep}

    def covered(folder: Path) -> bool:
        return not deep.isdisjoint((folder, *folder.parents))

    for place in places:
        if place in there:
            assert covered(place)
        above = next(folder for folder in place.parents if folder in there)
        assert Laid(above, deep=False) in watches or covered(above)
    for watch in watches:
        assert watch.folder in there
        assert deep.isdisjoint(watch.folder.parents), "what lies in a deep one is in it already"
        assert watch.deep or watch.folder not in deep
