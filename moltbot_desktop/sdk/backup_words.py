"""How backups are told: in the terminal and on a page."""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.backup import (
    BundleFile,
    Does,
    Exported,
    Imported,
    ImportPlan,
    LeftOut,
    Occasion,
    Part,
    Restored,
    Snapshot,
    Step,
    Why,
)

_MOST_NAMED = 12
_PHRASES = Phrases(
    {
        "part_memory": "memory",
        "part_workspace": "files of the workspace",
        "part_sessions": "conversations",
        "part_settings": "settings",
        "part_skills": "skills",
        "part_plugins": "plugins and hooks",
        "part_schedule": "jobs",
        "part_reminders": "reminders",
        "part_inbox": "facts that wait for your yes",
        "part_told": "lists to read",
        "does_new": "new",
        "does_same": "here already",
        "does_lines": "added to",
        "does_longer": "went on there, the rest is added",
        "does_beside": "another one is here, kept beside it",
        "does_waits": "left to you",
        "why_secret": "keys do not go along; set them again",
        "why_lets_more": "it would let more than now; --mine takes it if the backup is your own",
        "why_other_computer": "a place of the other computer",
        "why_set_here": "set to something else here",
        "why_not_fitting": "would not fit here",
        "why_gone_by": "its time is over",
        "why_removed_here": "was removed here",
        "why_open": "is in use now",
        "why_link": "a link or no plain file",
        "why_too_large": "too large",
        "why_unreadable": "cannot be read",
        "why_name": "a name that cannot be used",
        "why_cache": "can be made or fetched again",
        "why_trust": "a yes from another computer does not count here; say it again",
        "why_no_counterpart": "means nothing here",
        "exported": "The backup is written and was read back: {path} ({size}).",
        "imported": "Imported. How it was before: moltbot-desktop snapshots restore {id}",
        "nothing": "Everything in it is here already.",
        "would": "This would be done:",
        "left": "Left out:",
        "count": "{count} × {what}",
        "because": "{name}: {why}",
        "more": "… and {count} more",
        "none": "There are no snapshots yet; one is made before an import or an update.",
        "snapshot": "{id}  {made}  {occasion}, {count:file|files}, {size}",
        "import": "before an import",
        "restore": "before a restore",
        "update": "before an update",
        "migration": "before settings were rewritten",
        "asked": "made by you",
        "made": "The snapshot {id} is made ({count:file|files}, {size}).",
        "restored": "Everything is as it was ({changed:file|files} put back, {removed} taken away)."
        " How it was until now: {before}",
        "at_start": "The snapshot {id} is put back when the assistant starts next.",
        "inside": "This goes in:",
        "file": "- {name} ({size})",
        "bundled": "Written: {path}. Look into it before you give it to anybody.",
        "bundle_ask": "Write it? [y/N] ",
        "bundle_not": "Nothing was written.",
        "cut_off": "An import was cut off. Import the same file again to go on, or undo it:"
        " moltbot-desktop snapshots restore {id}",
    },
    {
        "part_memory": "记忆",
        "part_workspace": "工作区文件",
        "part_sessions": "对话",
        "part_settings": "设置",
        "part_skills": "技能",
        "part_plugins": "插件和钩子",
        "part_schedule": "任务",
        "part_reminders": "提醒",
        "part_inbox": "等你确认的记忆",
        "part_told": "供查看的清单",
        "does_new": "新增",
        "does_same": "这里已经有",
        "does_lines": "补充进去",
        "does_longer": "在那边更长，补上其余部分",
        "does_beside": "这里有另一份，放在旁边",
        "does_waits": "留给你决定",
        "why_secret": "密钥不随备份；请重新设置",
        "why_lets_more": "会放宽现在的权限；如果备份是你自己的，用 --mine 导入",
        "why_other_computer": "另一台电脑上的位置",
        "why_set_here": "这里设成了别的",
        "why_not_fitting": "不适合这里",
        "why_gone_by": "时间已过",
        "why_removed_here": "在这里被删除过",
        "why_open": "正在使用",
        "why_link": "链接或不是普通文件",
        "why_too_large": "太大",
        "why_unreadable": "无法读取",
        "why_name": "名字不能用",
        "why_cache": "可以重新生成或下载",
        "why_trust": "在另一台电脑上的同意在这里不算数；请重新同意",
        "why_no_counterpart": "在这里没有意义",
        "exported": "备份已写好并读回核对：{path}（{size}）。",
        "imported": "已导入。恢复到之前：moltbot-desktop snapshots restore {id}",
        "nothing": "其中的内容这里都已经有了。",
        "would": "将要做的：",
        "left": "没有包含：",
        "count": "{count} × {what}",
        "because": "{name}：{why}",
        "more": "……另有 {count} 项",
        "none": "还没有快照；导入或更新之前会做一个。",
        "snapshot": "{id}  {made}  {occasion}，{count} 个文件，{size}",
        "import": "导入之前",
        "restore": "恢复之前",
        "update": "更新之前",
        "migration": "改写设置之前",
        "asked": "你做的",
        "made": "已做好快照 {id}（{count} 个文件，{size}）。",
        "restored": "已全部恢复（放回 {changed} 个文件，拿走 {removed} 个）。刚才的状态：{before}",
        "at_start": "助手下次启动时会恢复快照 {id}。",
        "inside": "里面有：",
        "file": "- {name}（{size}）",
        "bundled": "已写好：{path}。给别人之前请先看一下。",
        "bundle_ask": "要写吗？[y/N] ",
        "bundle_not": "什么都没有写。",
        "cut_off": "有一次导入中断了。再次导入同一个文件可以继续，或撤销："
        "moltbot-desktop snapshots restore {id}",
    },
)


def say(key: str, language: Language, **slots: object) -> str:
    return _PHRASES.say(key, language, **slots)


def part_words(part: Part, language: Language) -> str:
    return say(f"part_{part}", language)


def does_words(does: Does, language: Language) -> str:
    return say(f"does_{does}", language)


def why_words(why: Why, language: Language) -> str:
    return say(f"why_{why}", language)


def occasion_words(occasion: Occasion, language: Language) -> str:
    return say(occasion.value, language)


def size_words(size: int) -> str:
    """As ``12 KB``."""
    for unit in ("B", "KB", "MB"):
        if size < 1_000:
            return f"{size} {unit}"
        size = -(-size // 1_000)
    return f"{size} GB"


def exported_words(done: Exported, language: Language) -> str:
    lines = [say("exported", language, path=done.path, size=size_words(done.size))]
    lines += [
        "- " + say("count", language, count=count, what=part_words(part, language))
        for part, count in done.files
        if part is not Part.TOLD
    ]
    return "\n".join(lines + left_out_words(done.left_out, language))


def left_out_words(left: Sequence[LeftOut], language: Language) -> list[str]:
    """A heading and a line each, nothing where nothing was left out."""
    if not left:
        return []
    lines = [
        "- " + say("because", language, name=one.name, why=why_words(one.why, language))
        for one in left[:_MOST_NAMED]
    ]
    return [say("left", language), *lines, *_more(len(left), language)]


def plan_words(plan: ImportPlan, language: Language) -> str:
    head = [say("would", language)] if plan.changes else [say("nothing", language)]
    return "\n".join([*head, *steps_words(plan.steps, language)])


def imported_words(done: Imported, language: Language) -> str:
    last = say("imported", language, id=done.snapshot) if done.snapshot else ""
    last = last or say("nothing", language)
    return "\n".join([*steps_words(done.steps, language), last])


def steps_words(steps: Sequence[Step], language: Language) -> list[str]:
    """How many of each, by name what the owner has to know: what is beside, what waits."""
    lines = []
    for part in Part:
        of_part = [one for one in steps if one.part is part]
        for does in Does:
            found = [one for one in of_part if one.does is does]
            if not found:
                continue
            what = f"{part_words(part, language)}: {does_words(does, language)}"
            lines.append("- " + say("count", language, count=len(found), what=what))
            if does in (Does.BESIDE, Does.WAITS):
                lines += [f"    {_named(one, language)}" for one in found[:_MOST_NAMED]]
                lines += [f"    {one}" for one in _more(len(found), language)]
    return lines


def _named(step: Step, language: Language) -> str:
    if step.why is not None:
        return say("because", language, name=step.name, why=why_words(step.why, language))
    return step.to or step.name


def _more(count: int, language: Language) -> list[str]:
    rest = count - _MOST_NAMED
    return [say("more", language, count=rest)] if rest > 0 else []


def snapshots_words(found: Sequence[Snapshot], language: Language) -> str:
    if not found:
        return say("none", language)
    return "\n".join(
        say(
            "snapshot",
            language,
            id=one.id,
            made=one.made[:16].replace("T", " "),
            occasion=occasion_words(one.occasion, language),
            count=one.files,
            size=size_words(one.size),
        )
        for one in found
    )


def restored_words(done: Restored, language: Language) -> str:
    slots = {"changed": done.changed, "removed": done.removed, "before": done.before}
    return say("restored", language, **slots)


def bundle_words(files: Sequence[BundleFile], language: Language) -> str:
    lines = [
        say("file", language, name=one.name, size=size_words(len(one.text.encode())))
        for one in files
    ]
    return "\n".join([say("inside", language), *lines])
