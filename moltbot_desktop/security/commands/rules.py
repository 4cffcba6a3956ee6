"""Programs that only look, or only add to a folder, with the options for which that is true.

    level_of(("ls", "-la", "docs"))              # Level.LOOKS
    level_of(("find", ".", "-delete"))           # Level.OTHER
    level_of(("mkdir", "-p", "a/b"))             # Level.ADDS

What is not named here is `OTHER`: an option that nobody looked at may write a file (`sort -o`),
start a program (`git --ext-diff`) or never end. `paths_in` gives the words that may be paths, so
that the policy can look at the places they mean; better one too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.security.commands.lexer import Argv


class Level(StrEnum):
    """What a program with these words can do, from little to much."""

    LOOKS = "looks"
    """Reads what its words name."""
    LOOKS_DEEP = "looks_deep"
    """Reads whole folders, or obeys a file that lies in one (git): without walls it is `OTHER`."""
    ADDS = "adds"
    """Makes new things in folders, and changes nothing that is there."""
    OTHER = "other"


@dataclass(frozen=True)
class Usage:
    """How a program may be used.

    Attributes:
        letters: options of one letter without a value.
        valued: options of one letter with a value, in the same word or the next.
        long: long options without their dashes; one that ends in ``=`` takes a value.
        most_words: words that are no options; more of them mean something else (uniq IN OUT).
        number: ``-5`` is an option too.
        deep: letters and long options that make it go through whole folders.
    """

    letters: str = ""
    valued: str = ""
    long: str = ""
    most_words: int = 1000
    number: bool = False
    deep: str = ""
    level: Level = Level.LOOKS


_SUMS = Usage("bt", "", "tag binary text")
_USAGES: Mapping[str, Usage] = MappingProxyType(
    {
        "ls": Usage(
            "1aAbBcCdfFghHiklLmnNopqQrRsStuUvxXZ", "wT",
            "all almost-all human-readable recursive reverse size directory inode classify "
            "group-directories-first color= color full-time sort= time= time-style= "
            "numeric-uid-gid no-group ignore= hide= file-type si",
        ),
        "cat": Usage("AbeEnstTuv", "", "number show-all number-nonblank squeeze-blank show-ends"),
        "head": Usage("qvz", "nc", "lines= bytes= quiet verbose", number=True),
        "tail": Usage("qvz", "nc", "lines= bytes= quiet verbose", number=True),
        "wc": Usage("clmLw", "", "bytes chars lines words max-line-length"),
        "nl": Usage("p", "bdfhilnsvw"),
        "tac": Usage(),
        "rev": Usage(),
        "fold": Usage("bs", "w", "width= spaces"),
        "cut": Usage("nsz", "bcdf", "bytes= characters= delimiter= fields= only-delimited "
                     "complement output-delimiter="),
        "tr": Usage("cCdst", "", "complement delete squeeze-repeats truncate-set1"),
        "uniq": Usage("cdDiuz", "fsw", "count repeated unique ignore-case", most_words=1),
        "sort": Usage("bdfghiMnrRsuVz", "kt", "reverse numeric-sort unique key= field-separator= "
                      "human-numeric-sort version-sort ignore-case general-numeric-sort"),
        "paste": Usage("sz", "d", "serial delimiters="),
        "comm": Usage("123z", "", "check-order nocheck-order"),
        "diff": Usage(
            "abBcdeiNpqrstTuwyZ", "UCW",
            "brief unified unified= context context= side-by-side ignore-case ignore-all-space "
            "ignore-blank-lines recursive suppress-common-lines color color= width= text",
            deep="r recursive",
        ),
        "cmp": Usage("bls", "n", "print-bytes verbose silent quiet bytes="),
        "grep": Usage(
            "abcEFGhHilLnoqsvwxyzPr", "ABCem",
            "ignore-case invert-match word-regexp line-regexp count line-number with-filename "
            "no-filename only-matching quiet files-with-matches files-without-match recursive "
            "extended-regexp fixed-strings perl-regexp basic-regexp color color= max-count= "
            "after-context= before-context= context= include= exclude= exclude-dir= regexp= text",
            number=True,
            deep="r recursive",
        ),
        "stat": Usage("fLt", "c", "format= printf= dereference file-system terse"),
        "file": Usage("bhiLkprs", "", "brief mime mime-type mime-encoding dereference"),
        "du": Usage("abchHklLmsx", "dt", "all apparent-size bytes total human-readable "
                    "max-depth= summarize threshold= exclude= si one-file-system time"),
        "df": Usage("ahHiklPT", "t", "human-readable inodes print-type total type= si local"),
        "tree": Usage("adfhiClnpqrstuDFgsx", "LPI", "dirsfirst du filelimit= noreport gitignore"),
        "date": Usage("uIR", "dI", "utc universal date= iso-8601 iso-8601= rfc-3339= rfc-email"),
        "cal": Usage("13jmsy", "ABn"),
        "uptime": Usage("ps", "", "pretty since", most_words=0),
        "whoami": Usage(most_words=0),
        "id": Usage("Ggnruz", "", "user group groups name real"),
        "groups": Usage(),
        "uname": Usage("amnrspvio", "", "all kernel-name nodename kernel-release machine", 0),
        "hostname": Usage("fsdiI", "", "fqdn short", most_words=0),
        "arch": Usage(most_words=0),
        "nproc": Usage("", "", "all ignore=", most_words=0),
        "lscpu": Usage("aeJ", "", "json", most_words=0),
        "free": Usage("bkmghtw", "", "human mebi gibi total wide", most_words=0),
        "locale": Usage("a", "", "all-locales"),
        "pwd": Usage("LP", "", "logical physical", most_words=0),
        "echo": Usage("neE"),
        "printf": Usage(),
        "true": Usage(),
        "false": Usage(),
        "seq": Usage("w", "fs", "format= separator= equal-width", number=True),
        "expr": Usage(),
        "factor": Usage(),
        "basename": Usage("az", "s", "multiple suffix="),
        "dirname": Usage("z", "", "zero"),
        "realpath": Usage("emLPqsz", "", "canonicalize-existing canonicalize-missing no-symlinks "
                          "relative-to= relative-base="),
        "readlink": Usage("femnqsvz", "", "canonicalize canonicalize-existing"),
        "which": Usage("a", "", "all"),
        "md5sum": _SUMS, "sha1sum": _SUMS, "sha256sum": _SUMS, "sha512sum": _SUMS, "b2sum": _SUMS,
        "cksum": Usage(),
        "base64": Usage("di", "w", "decode wrap= ignore-garbage", most_words=1),
        "od": Usage("abcdfilosvx", "AjNtw", "address-radix= skip-bytes= read-bytes= format="),
        "hexdump": Usage("bcCdovx", "ns"),
        "xxd": Usage("abeiu", "cglos", most_words=1),
        "strings": Usage("afw", "net", "all bytes= radix= print-file-name"),
        "jq": Usage("rcMnseSaj", "", "raw-output compact-output monochrome-output null-input "
                    "slurp exit-status sort-keys ascii-output join-output tab"),
        "mkdir": Usage("pv", "", "parents verbose", level=Level.ADDS),
        "rmdir": Usage("pv", "", "parents verbose ignore-fail-on-non-empty", level=Level.ADDS),
        "touch": Usage("c", "", "no-create", level=Level.ADDS),
    }
)  # fmt: skip
_ALIASES = MappingProxyType({"egrep": "grep", "fgrep": "grep", "dir": "ls", "vdir": "ls"})

_FIND_TESTS = frozenset(
    "name iname path ipath wholename iwholename regex iregex type xtype size mtime mmin atime amin "
    "ctime cmin maxdepth mindepth newer perm user group links inum regextype".split()
)
_FIND_ALONE = frozenset(
    "empty print print0 ls prune quit depth not a and o or true false readable writable executable "
    "nouser nogroup daystart mount xdev".split()
)
_GIT_READS = frozenset(
    "log status diff show blame shortlog describe rev-parse ls-files ls-tree rev-list".split()
)
_GIT_OPTIONS = frozenset(
    "oneline graph all decorate stat numstat shortstat name-only name-status patch no-patch cached "
    "staged short branch porcelain since until after before author grep pretty format date reverse "
    "merges no-merges first-parent follow max-count skip abbrev-commit abbrev word-diff no-color "
    "color summary dirstat tags branches remotes show-toplevel abbrev-ref verify others modified "
    "deleted ignored untracked-files exclude-standard long always dirty contains count numbered "
    "email left-right cherry-pick cherry-mark left-only right-only ignore-all-space "
    "ignore-space-change minimal patience histogram find-renames find-copies full-history "
    "topo-order unified date-order relative-date no-ext-diff no-textconv no-pager "
    "name-rev is-inside-work-tree git-dir show-current diff-filter pickaxe-regex".split()
)  # fmt: skip
_GIT_LETTERS = re.compile(r"-(?:[pswbzMCgSGLnUtrdmvaxei]\S*|\d+|-)")
_OPENS_NOTHING = frozenset({"echo", "printf", "seq", "expr", "true", "false", "factor"})
_NUMBER = re.compile(r"-\d+")
_PART_OF_OPTION = re.compile(r"[=:,]")


def level_of(argv: Argv) -> Level:
    """What the program can do with these words, as far as its name tells; a name with a folder in
    it, or one not in the list, can do anything."""
    name = _ALIASES.get(argv[0], argv[0])
    match name:
        case "find":
            return _find(argv[1:])
        case "git":
            return _git(argv[1:])
        case "date":
            return _date(argv[1:])
    usage = _USAGES.get(name)
    return Level.OTHER if usage is None else _used(argv[1:], usage)


def paths_in(argv: Argv) -> Iterator[str]:
    """Words, and parts of words, that may name a file."""
    if argv[0] in _OPENS_NOTHING:
        return
    for word in argv[1:]:
        if not word.startswith("-"):
            yield word
            if "=" in word:
                yield word.partition("=")[2]
        elif "/" in word or ".." in word or "=" in word:
            yield from filter(None, _PART_OF_OPTION.split(word)[1:])
            yield word[2:]
            if "/" in word:
                yield word[word.find("/") :]


def _used(words: Argv, usage: Usage) -> Level:
    allowed = frozenset(usage.long.split())
    count, deep, rest = 0, False, list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            count += len(rest)
            break
        if not word.startswith("-") or word == "-" or (usage.number and _NUMBER.fullmatch(word)):
            count += not word.startswith("-") or word == "-"
            continue
        if word.startswith("--"):
            name, equals, _ = word[2:].partition("=")
            if name + equals not in allowed:
                return Level.OTHER
            deep = deep or name in usage.deep.split()
            continue
        taken = _letters(word[1:], usage)
        if taken is None or (taken and not rest):
            return Level.OTHER
        deep = deep or any(one in usage.deep.split() for one in word[1:])
        del rest[:taken]
    if count > usage.most_words:
        return Level.OTHER
    return Level.LOOKS_DEEP if deep and usage.level is Level.LOOKS else usage.level


def _letters(letters: str, usage: Usage) -> int | None:
    """How many of the next words are values of these options; None when one is not known."""
    for place, one in enumerate(letters):
        if one in usage.valued:
            return 0 if letters[place + 1 :] else 1
        if one not in usage.letters:
            return None
    return 0


def _date(words: Argv) -> Level:
    """A word that does not begin with + would set the clock."""
    plain = tuple(word for word in words if not word.startswith("+"))
    if any(not word.startswith("-") for word in plain) and not {"-d", "-I"} & set(plain):
        return Level.OTHER
    values = sum(word == "-d" for word in plain)
    bare = sum(not word.startswith("-") for word in plain)
    return _used(words, _USAGES["date"]) if bare <= values else Level.OTHER


def _find(words: Argv) -> Level:
    rest = list(words)
    while rest and not rest[0].startswith(("-", "!", "(")):
        rest.pop(0)
    while rest:
        word = rest.pop(0)
        name = word.removeprefix("-")
        if word.startswith("-") and name in _FIND_TESTS and rest:
            rest.pop(0)
        elif not (word.startswith("-") and name in _FIND_ALONE) and word not in ("!", "(", ")"):
            return Level.OTHER
    return Level.LOOKS_DEEP


def _git(words: Argv) -> Level:
    if words == ("--version",):
        return Level.LOOKS
    rest = words[1:] if words[:1] == ("--no-pager",) else words
    if not rest or rest[0] not in _GIT_READS | {"branch", "remote", "tag"}:
        return Level.OTHER
    options = rest[1:]
    if rest[0] in ("branch", "remote", "tag"):
        listing = {"branch": ("-a", "-r", "-v", "-vv", "--show-current", "--all"),
                   "remote": ("-v",), "tag": ("-l", "--list", "-n")}[rest[0]]  # fmt: skip
        return Level.LOOKS_DEEP if set(options) <= set(listing) else Level.OTHER
    for word in options[: options.index("--")] if "--" in options else options:
        if word.startswith("--"):
            if word[2:].partition("=")[0] not in _GIT_OPTIONS:
                return Level.OTHER
        elif word.startswith("-") and not _GIT_LETTERS.fullmatch(word):
            return Level.OTHER
    return Level.LOOKS_DEEP
