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

# Folded (memory/forms.py), so these are for traditional Chinese too. Single characters only where
# they hardly ever are part of a word: 地 would cut 地址, 过 过敏.
CHINESE = """
    什么时候 什么时间 什么地方 为什么 是不是 有没有 能不能 可不可以 还记得 记不记得 告诉我 叫什么
    什么 怎么样 怎么办 怎么 怎样 如何 多少 多久 几点 几号 几月 几日 几个 哪里 哪儿 哪天 哪个 哪些
    哪一天 哪年 哪 谁 吗 呢 吧 啊 呀 嘛 请问 请 帮我 帮忙 告诉 记得 记住 记下 知道 关于 一下 之前
    以前 现在 今天 昨天 前天 明天 上周 上星期 我们 你们 他们 她们 它们 咱们 我 你 您 他 她 它 们
    的 了 是 在 有 和 很 最近 说过 提过 这个 那个 这 那 你好 谢谢 哦 嗯 啥时候 啥 咋样 咋 来着
    多长时间 多长 多大 多高 几岁 几天 几次 几年 周几 星期几 是否 应该 需要 可以 要不要 会不会
    该不该 到底 究竟 大概 总共 一共 咱 查查 查一查 想想 想知道 忘记 忘了 喔 啦 几 时候
""".split()

CHINESE_SOFT = ("名字", "姓名", "号码", "时间", "日期", "地方", "叫做", "叫")

# What goes from a Japanese question before it is cut by script, as regular expressions.
JAPANESE = (
    "何(?:曜日|号室|時間|日間|[時日月年分歳才人番号回階個本枚度曜科社点円色]|)",
    "誰",
    "私",
    "僕",
    "俺",
    "教え",
    "覚え",
    "知りたい",
)

JAPANESE_SOFT = frozenset(
    "名前 番号 時間 場所 日付 日時 曜日 日 時 月 年 人 回 前 後 中 上 下 方 物 事 所 今".split()
)

JAPANESE_PARTICLES = frozenset("はがをにでともやへのかなねよだ")

# Words in hiragana that only say how something is asked.
JAPANESE_SMALL = """
    いつ どこ だれ なに なん どれ どの どんな どう どうして どうすれば どうやって どっち どちら
    いくつ いくら なぜ くらい ぐらい ごろ だっけ でしたっけ っけ です ですか でした だった だろう
    でしょう だよ だね かな かも ある あった あります ありました あれば いる いた いて います
    いました いれば ます ました ません ましょう する すれば すると した して しない しなきゃ
    しとく してる しておく され された させ せて できる できた できない なる なった なれば ない
    なくて なかった なきゃ なければ いけない ならない たい たく たら たっけ てた てる ている
    てある ておく とく おいた おいて おけば くれる くれた ください もらう もらった もらえる あげる
    しまう ちゃう ちゃった ちゃ じゃ やる やって やれば いい よい よかった だめ という って
    といった いって について における まで までに から より には では とは への での との からの
    のは のが のを のに のも のか こと もの ため とき ところ ほう など だけ しか この その あの
    これ それ あれ ここ そこ わたし ぼく うち ねえ もう また まだ ほしい みたい ように ような さん
    ちゃん くん にち えば けば せば めば れば げば べば てば えて べて めて けて くて ても でも
    んだ んだっけ んで るん れて られ られて くる いく するとき ときに したとき したら たいとき
    ったところ った れる れた られる しい しく かった いるとき るとき
""".split()

# Whole words of a Korean question, as regular expressions.
KOREAN = (
    "뭐.{0,3}|뭘.{0,2}|뭔.{0,2}|무엇.{0,4}|무슨|어떤|어느|어떻게|왜",
    "언제.{0,4}|어디.{0,4}|어딨.{0,2}|누구.{0,4}|누가|누굴|얼마.{0,3}|몇.{0,3}|며칠.{0,3}",
    "알려.{0,3}|말해.{0,3}|가르쳐.{0,3}|기억.{0,4}|알아.{0,2}|알고|아니|아세요",
    "내|내가|나|나는|난|나의|나한테|제|제가|저|저는|저의|우리|우리가|우리는|그|그게|이|이게",
    "것|것은|것이|거|거야|거지|게|수|건|있.{0,4}|없.{0,4}|해|해야|해요|하지|하는|하면|한|할|했.{0,3}",
    "하나요|하니|하냐|하더라|되지|되나|되나요|되니|돼|돼요|된|될|됐.{0,3}|싶.{0,3}|줘|줄래|주세요",
    "좀|혹시|다시|지금|오늘|어제|그때|때|중에|대해|야|요|지|죠",
)

KOREAN_SOFT = frozenset("이름 성함 번호 시간 날짜 장소 요일".split())

# What is glued to a Korean noun, or to a noun that became a verb.
KOREAN_ENDINGS = """
    은 는 이 가 을 를 의 에 에서 에게 에게서 한테 한테서 께 께서 로 으로 와 과 랑 이랑 하고 도 만
    까지 부터 마다 보다 처럼 에는 에도 에서는 에선 에게는 한테는 로는 으로는 까지는 부터는 이나 나
    라고 이라고 야 이야 예요 이에요 에요 인가 인가요 이지 지 였지 이었지 더라 였더라 이었더라 니
    냐 이니 이냐 죠 이죠 입니까 입니다 해 해야 하지 하는 하면 하려면 할 한 했지 했어 했더라 하나요
    하기 해요 하러 돼 되지 되는 된 됐지 들 들은 들이 들을 께서는 께선 이란 란
""".split()
