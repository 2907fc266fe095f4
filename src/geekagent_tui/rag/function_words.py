"""Words that a question is made with and that say nothing about what it asks for, by language.

Written by hand; the Chinese ones follow the list that was measured in `reference/retrieval.md` §2. All are in
lower case and, in Chinese, simplified.
"""

CHINESE = """
是什么意思 有什么区别 有什么不同 什么时候 什么地方 为什么会 哪一年 哪一个 哪一种 哪些人 多长时间 多少个
是多少 有多少 怎么办 怎么样 怎样才能 如何才能 是怎么 是如何 是什么 有什么 为什么 为何 是谁 是哪 有哪些
哪一 哪些 哪里 哪儿 哪个 哪种 哪年 哪位 哪家 哪座 哪国 哪项 什么 多少 多久 多远 怎么 怎样 如何 何时 何地
何处 何人 何种 何年 是否 能否 可否 有没有 是不是 能不能 可不可以 会不会 请问 请告诉我 告诉我 帮我查一下
帮我查 帮我 帮忙 我想知道 我想问 想问一下 想问 给我 麻烦 一下 介绍一下 说说 谈谈 几个 几次 几种 几年
几月 几日 几天 几名 几位 几岁 几人 几部 几届 几场 几座 几条 几项 几家 几本 几张 几号 几点 第几 可以 我们
你们 他们 它们 这个 那个 这些 那些 这里 那里 有关 关于 以及 或者 还是 因为 所以 但是 如果 被称为 叫做
叫什么 谁 啥 咋
"""
CHINESE_IN_CONTEXT = (
    "多大(?![学数陆量]),多长(?![期者辈]),多高(?![校中级达层]),哪(?!吒),(?<!目)的(?![确士]),是(?!非),"
    "(?<![酒网贴咖])吧$,吗$,呢$,啊$,呀$,嘛$,么$"
)
"""Patterns, separated by commas: syllables that are parts of other words too (许多大学, 目的, 酒吧)."""
JAPANESE = """
何ですか なんですか でしょうか とは何 どこですか いつですか 誰ですか どうして どのように どのような
どのくらい どれくらい いくつ いくら どんな どこ どれ どの なぜ いつ だれ 誰 何 ですか ますか ください
について に関する
"""
KOREAN = "무엇인가요 무엇입니까 무엇 누구 언제 어디 어떻게 어떤 얼마나 인가요 입니까 왜"
THAI = """
เท่าไหร่ เท่าไร เท่าใด อย่างไร ยังไง ที่ไหน ที่ใด เมื่อไหร่ เมื่อไร เมื่อใด เพราะเหตุใด เพราะอะไร ทำไม อะไรบ้าง อะไร
ใครบ้าง ใคร ไหน กี่ ใด หรือไม่ ไหม มั้ย คือ ครับ ค่ะ คะ
"""

SPACED = (
    # English
    """
    a an the of in on at to for with by from and or as that this it its what which who whom whose when
    where why how many much do does did is are was were be been has have had am i me my we our you your
    please tell
    """,
    # German
    """
    aber alle als also am an auch auf aus bei bin bis bist da damals dann das dass dein dem den denn der
    des dessen deren dich die dies diese diesem diesen dieser dieses dir doch du durch ein eine einem
    einen einer eines er es euch euer für gab gibt hat hatte hatten ich ihm ihn ihnen ihr ihre ihrem
    ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kein keine können mein mir mit nach
    nicht noch nur ob oder ohne sein seine seinem seinen seiner sich sie sind so über um und uns unser
    unter viel viele vom von vor wann war waren warum was welche welchem welchen welcher welches wem wen
    wenn wer werden wessen wie wieso wird wo wodurch wofür woher wohin womit wurde wurden während zu zum
    zur zwischen
    """,
    # French
    """
    à au aux avec ce ces cet cette combien comme comment dans de des dont du elle elles en est et était
    étaient été être eu il ils je la le les leur leurs lequel laquelle lesquels lesquelles lui ma mais
    me mes moi mon ne nos notre nous on ont où ou par pas pour pourquoi quand que quel quelle quelles
    quels qui quoi sa sans se ses si son sont sous sur ta te tes toi ton tu un une vos votre vous y
    """,
    # Spanish
    """
    a al algo ante antes como cómo con cual cuál cuáles cuando cuándo cuanta cuánta cuántas cuanto
    cuánto cuántos de del desde donde dónde durante e el él ella ellas ellos en entre era eran es esa
    ese eso esta está están este esto estos estas fue fueron ha había han hasta hay la las le les lo los
    más me mi muy no nos o para pero por porque qué que quién quien quiénes se ser si sí sin sobre son
    su sus también te tiene tu un una uno unos unas y ya yo
    """,
    # Italian
    """
    agli ai alla alle allo anche che chi ci come con cosa da dal dalla dei del della delle di dove e è
    era gli ha hanno i il in io la le lo ma nel nella non o per perché più quale quali quando quanti
    quanto quante questa questo se si sono su sua suo sul sulla tra tu un una uno
    """,
    # Portuguese
    """
    à ao aos as com como da das de do dos e é ela ele em entre era essa esse esta este eu foi foram há
    isso isto mais mas muito na não nas no nos o os onde ou para pela pelo por porque qual quais quando
    quanto quantos quem são se sem ser seu sua também te tem um uma você
    """,
    # Dutch
    """
    aan al als bij dat de deze die dit door een en er haar had heb hebben heeft het hij hoe hoeveel hun
    ik in is je kan maar met naar niet of om onder ook op te tot uit van veel voor waar waarom wanneer
    waren was wat welk welke werd wie wordt zijn zou zich
    """,
    # Turkish
    """
    acaba bir bu da de gibi hangi hangisi için ile kaç kim kimdir kime kimin mi mı mu mü ne neden nedir
    nerede nereden nereye niçin nasıl o olarak olan olduğu şu ve veya ya
    """,
    # Vietnamese
    """
    ai bao bị bởi các cái cho có của đã đang đâu đến được gì khi không là lại làm mà một nào nếu những
    này nhiêu như ở ra rằng sao sẽ tại thế thì trong từ và vào về với vì
    """,
    # Russian
    """
    а без бы был была были было быть в вам вас ваш во вот все всех вы где да даже для до его ее ей если
    есть еще же за зачем и из или им их к как каким какая какие каких какого какое какой каком какому
    какую когда кого ко ком кому который которая которое которые которого которой котором которую
    которых кто куда ли либо меня мне много может мой мы на над нам нас наш не него нее ней нет ни них
    но о об однако он она они оно от откуда по под почему при про с сам свой себя сколько скольких со
    так также такой там те тем то того тоже той только том тот тут ты у уже чего чей чем через что чтобы
    чье чьи чья эта эти это этого этой этом этот эту я является являются
    """,
    # Arabic
    """
    من في على إلى عن مع هو هي هم هذا هذه ذلك تلك التي الذي الذين كان كانت كانوا يكون تكون ما ماذا متى
    أين كيف لماذا كم أي أية هل لم لن لا إن أن أنه أنها قد كما بين عند عندما بعد قبل حتى أو ثم و ف ب ل ك
    كل بعض غير منذ خلال حول ضد لدى لقد ليس فيها فيه منه منها به بها له لها عليه عليها وهو وهي وكان وقد
    التى الى اي اين ان انه او بم بماذا لمن ممن مما لأي بأي وما ومن وفي فيما
    """,
    # Greek
    """
    α αν από για δεν είναι εκεί ενώ εξ έχει ή ήταν η και κατά κι με μέχρι μη μία μια μόνο να ο οι όπως
    ότι που πού ποια ποιά ποιες ποιο ποιό ποιοι ποιον ποιος ποιός πόσα πόσες πόσο πόσοι πόσους πότε προς
    πώς πως σε στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των ως
    """,
    # Hindi
    """
    का के की को में से पर है हैं था थी थे और या एक यह वह ये वे इस उस इन उन जो कि किस किसे किसने किसकी
    किसके किसका कौन कौनसा क्या कब कहाँ कहां कैसे कैसा कैसी कितना कितनी कितने क्यों ने भी तो ही हो होता
    होती होते गया गई गए किया कर करता करते करने द्वारा लिए साथ तक अपने अपनी अपना
    """,
)
"""By language, for those that put spaces between words; English first."""

COURTESIES = """
你好 您好 大家好 哈喽 哈啰 嗨 早 早安 早上好 上午好 中午好 下午好 晚上好 晚安 再见 拜拜 谢谢 谢谢你 多谢
感谢 辛苦了 不客气 对不起 抱歉 好的 好 行 嗯 嗯嗯 哦 是的 对 不是 可以 收到 明白 知道了 明白了 在吗
你是谁 哈哈 你 您 大家 hi hello hey hiya howdy greetings good morning afternoon evening night day bye
goodbye thanks thank you very much thx ok okay yes no yeah sure please sorry cool great nice everyone
there again hola gracias adiós bonjour salut merci hallo danke tschüss ciao grazie olá obrigado obrigada
привет здравствуйте спасибо пока مرحبا السلام عليكم شكرا こんにちは おはよう こんばんは ありがとう
ありがとうございます 안녕 안녕하세요 감사합니다 สวัสดี ขอบคุณ ครับ ค่ะ
"""
