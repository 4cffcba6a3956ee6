"""Words that say how something is asked, not what about.

`SOFT` words ask for a kind of answer ("the name of ...", "phone number"): a note that answers
often does not have them, so they count little when it is judged whether a note fits.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about again all also am an and any anybody anyone anything are as at be because been before
    being but by can could did do does doing don for from get getting give got had has have having
    he her hers here him his how i if in into is it its just know let like me might mine more most
    much must my myself no not note noted notes now of off on once one or other our ours out over
    please recall remember remind said same say saying see shall she should show so some somebody
    someone something such tell than thank thanks that the their theirs them then there these they
    thing things think this those through to today told too under until up us very want was we were
    what whatever when where whether which while who whom whose why will with would yes yesterday
    you your yours s t re ve ll d m hi hello hey ok okay memory memories mention mentioned stored
    """.split()
)

SOFT = frozenset(
    """
    name names named called call kind kinds type types sort number numbers date dates time times
    day days place places many long old color colour currently usually ever exactly
    """.split()
)

# Single characters only where they hardly ever are part of a word: 地 would cut 地址, 过 过敏.
CHINESE = """
    什么时候 什么时间 什么地方 为什么 是不是 有没有 能不能 可不可以 还记得 记不记得 告诉我 叫什么
    什么 怎么样 怎么办 怎么 怎样 如何 多少 多久 几点 几号 几月 几日 几个 哪里 哪儿 哪天 哪个 哪些
    哪一天 哪年 哪 谁 吗 呢 吧 啊 呀 嘛 请问 请 帮我 帮忙 告诉 记得 记住 记下 知道 关于 一下 之前
    以前 现在 今天 昨天 前天 明天 上周 上星期 我们 你们 他们 她们 它们 咱们 我 你 您 他 她 它 们
    的 了 是 在 有 和 很 最近 说过 提过 这个 那个 这 那 你好 谢谢 哦 嗯
""".split()

CHINESE_SOFT = ("名字", "姓名", "号码", "时间", "日期", "地方", "叫做", "叫")
