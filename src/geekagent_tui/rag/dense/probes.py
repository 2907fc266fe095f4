"""Sentences about nothing in particular, in several scripts, to learn where a model puts a language.

Embedding models put texts of one language close together whatever they say. With the mean of a script's
sentences subtracted, texts about different things have a similarity of about 0 in every pair of languages,
so that one floor fits all. Statements and questions are about different things on purpose.
"""

from __future__ import annotations

import re

_SAMPLE = 400
"""Characters of a text that are looked at to tell its script."""

_SCRIPTS = {
    "ja": re.compile(r"[\u3041-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_OTHERS = "en"
_ENOUGH = {"ja": 0.1}  # Japanese text is mostly Chinese characters
_MOSTLY = 0.3


def script_of(text: str) -> str:
    """Which of `STATEMENTS` a text resembles: "en" also for scripts that have none."""
    sample = text[:_SAMPLE]
    letters = sum(map(str.isalpha, sample)) or 1
    for name, letter in _SCRIPTS.items():
        if len(letter.findall(sample)) >= letters * _ENOUGH.get(name, _MOSTLY):
            return name
    return _OTHERS


STATEMENTS: dict[str, tuple[str, ...]] = {
    "zh": (
        "这座石桥建于明代，全长一百二十米，至今仍有行人往来，两侧的栏杆上刻着花卉和走兽。",
        "把面粉、酵母和温水揉成面团，盖上湿布发酵一小时，体积变为两倍后再分成小份。",
        "公司上季度的营业收入同比增长了百分之八，主要来自海外市场的订单。",
        "球队在加时赛中打入制胜一球，时隔六年再次进入决赛。",
        "病人服药三天后体温恢复正常，医生建议继续休息并多喝水。",
        "候鸟每年秋天沿着海岸线向南飞行，在湿地停留数周补充体力。",
        "该函数接受一个列表作为参数，返回其中所有偶数的平方和。",
        "画家晚年移居乡间，作品多以麦田、农舍和黄昏的光线为题材。",
        "新法规要求企业在两年内公开其碳排放数据，并接受第三方核查。",
        "列车时刻表将于下月调整，夜间班次减少，早高峰增开两趟。",
        "小说讲述了三代人在一座海岛上的生活，结尾处大火烧毁了灯塔。",
        "土壤中的微生物分解落叶，把养分还给树木的根系。",
    ),
    "en": (
        "The museum opened in a former railway depot and shows the tools of weavers two centuries ago.",
        "Stir the onions over low heat until they are soft, then add the tomatoes and a pinch of salt.",
        "The bank raised its interest rate by a quarter of a point, citing steady demand for credit.",
        "After a long rain delay the match ended in a draw, and both captains praised the groundsmen.",
        "Patients who slept at least seven hours recovered more quickly after the operation.",
        "Glaciers carved the valley, leaving a chain of narrow lakes between steep granite walls.",
        "The parser reads one token at a time and reports the line on which an error was found.",
        "Her second album mixes folk melodies with electronic drums and was recorded in a barn.",
        "The committee postponed its vote on the housing bill until the budget figures are published.",
        "Cyclists may use the bus lane between seven and nine in the morning on weekdays.",
        "The spacecraft entered orbit around the planet and began to map its magnetic field.",
        "Farmers in the region rotate wheat with beans so that the soil keeps its nitrogen.",
    ),
    "ja": (
        "この寺は山の中腹にあり、秋になると紅葉を見に多くの人が訪れる。",
        "鍋に油を熱し、野菜を炒めてからだしを加えて弱火で煮る。",
        "新しい工場では電池の部品を生産し、約三百人が働いている。",
        "台風の影響で、午後の便はすべて欠航となった。",
        "彼女は大学で物理学を学んだ後、楽器の修理工房を開いた。",
        "この装置は光の強さを測り、結果を画面に表示する。",
        "選手は最後の一周で三人を抜き、銀メダルを獲得した。",
        "川の水位が下がり、古い橋の土台が姿を現した。",
    ),
    "ko": (
        "이 도서관은 옛 우체국 건물을 고쳐 만들었으며 주말에도 문을 연다.",
        "두부를 썰어 냄비에 넣고 고추와 마늘을 더해 십 분 동안 끓인다.",
        "회사는 내년에 새로운 전기차 모델을 내놓을 계획이라고 밝혔다.",
        "태풍이 지나간 뒤 해안 도로의 통행이 다시 시작되었다.",
        "그 배우는 연극 무대에서 시작해 영화감독으로 이름을 알렸다.",
        "이 프로그램은 파일을 읽어 중복된 줄을 지우고 결과를 저장한다.",
        "연구진은 꿀벌의 수가 줄어든 원인을 조사하고 있다.",
        "마을 사람들은 매년 봄 강가에서 나무를 심는다.",
    ),
    "ru": (
        "Крепость построили на холме над рекой, и её стены сохранились до наших дней.",
        "Нарежьте картофель тонкими ломтиками и запекайте его с луком сорок минут.",
        "Завод увеличил выпуск подшипников и нанял двести новых рабочих.",
        "Из-за сильного снегопада аэропорт отменил все вечерние рейсы.",
        "Программа читает настройки из файла и записывает ошибки в журнал.",
        "Композитор написал три оперы и множество песен для детского хора.",
        "Врачи советуют больше ходить пешком и реже пить сладкие напитки.",
        "Озеро образовалось в кратере потухшего вулкана, и вода в нём тёплая.",
    ),
    "ar": (
        "بُنيت القلعة على تل يطل على الميناء، ولا تزال أبراجها قائمة حتى اليوم.",
        "يُقطع الخبز إلى قطع صغيرة ثم يُقلى مع الثوم وزيت الزيتون.",
        "أعلنت الشركة عن ارتفاع أرباحها بسبب زيادة الطلب على الأجهزة.",
        "تأجلت المباراة بسبب المطر الغزير وستقام يوم الخميس القادم.",
        "يقرأ البرنامج الملف سطرا سطرا ويكتب النتيجة في جدول.",
        "كتب الشاعر معظم قصائده في المنفى وترجمت إلى لغات كثيرة.",
        "تهاجر الطيور جنوبا في الخريف وتعود في أول الربيع.",
        "ينصح الأطباء بالنوم المبكر وشرب الماء بعد التمارين.",
    ),
    "th": (
        "วัดแห่งนี้สร้างขึ้นบนเนินเขาริมแม่น้ำ และมีภาพเขียนเก่าแก่บนผนัง",
        "หั่นผักเป็นชิ้นเล็ก ผัดกับกระเทียมและน้ำมัน แล้วเติมน้ำปลา",
        "บริษัทเปิดโรงงานใหม่เพื่อผลิตชิ้นส่วนรถยนต์และจ้างคนงานสองร้อยคน",
        "ฝนตกหนักทำให้รถไฟสายเหนือล่าช้าหลายชั่วโมง",
        "โปรแกรมอ่านข้อมูลจากแฟ้มแล้วบันทึกผลลัพธ์ลงในตาราง",
        "นักเขียนคนนี้เติบโตบนเกาะและเขียนนิยายเกี่ยวกับชาวประมง",
        "แพทย์แนะนำให้พักผ่อนให้เพียงพอและดื่มน้ำมาก ๆ",
        "นกอพยพบินลงใต้ในฤดูหนาวและหยุดพักที่หนองน้ำ",
    ),
}
"""Like passages."""

QUESTIONS: dict[str, tuple[str, ...]] = {
    "zh": (
        "这种电池充满电需要多长时间？",
        "谁在一九三五年获得了最佳导演奖？",
        "怎样取消已经提交的贷款申请？",
        "哪一种鲨鱼能在淡水里生活？",
        "该省的人口普查多久进行一次？",
        "为什么古代水手害怕这片海域？",
        "鼓手离开乐队以后做了什么工作？",
        "安装这个软件需要什么操作系统？",
        "第一台显微镜是在哪里制造的？",
        "皇帝去世后由谁继承王位？",
        "幼儿园几点开始接孩子？",
        "蛋白质在细胞的哪个部分合成？",
    ),
    "en": (
        "How long does it take to charge the battery?",
        "Who won the prize for best director in 1935?",
        "Which sharks can live in fresh water?",
        "Where was the first microscope made?",
        "Why did sailors fear that part of the sea?",
        "How do I cancel a loan application?",
        "What did the drummer do after leaving the band?",
        "Which operating system does the software need?",
        "When did the emperor's brother take the throne?",
        "In which part of the cell are proteins made?",
        "How often is a census held in the province?",
        "What time does the kindergarten close?",
    ),
    "ja": (
        "この電池の充電にはどのくらいかかりますか。",
        "一九三五年に監督賞を受けたのは誰ですか。",
        "淡水で生きられるサメはどれですか。",
        "最初の顕微鏡はどこで作られましたか。",
        "ローンの申し込みを取り消すにはどうすればよいですか。",
        "なぜ船乗りはその海を恐れたのですか。",
        "皇帝の後を継いだのは誰ですか。",
        "幼稚園は何時に終わりますか。",
    ),
    "ko": (
        "이 배터리를 충전하는 데 얼마나 걸립니까?",
        "1935년에 감독상을 받은 사람은 누구입니까?",
        "민물에서 살 수 있는 상어는 무엇입니까?",
        "최초의 현미경은 어디에서 만들어졌습니까?",
        "대출 신청을 취소하려면 어떻게 해야 합니까?",
        "선원들은 왜 그 바다를 두려워했습니까?",
        "황제의 뒤를 이은 사람은 누구입니까?",
        "유치원은 몇 시에 끝납니까?",
    ),
    "ru": (
        "Сколько времени заряжается эта батарея?",
        "Кто получил приз за режиссуру в 1935 году?",
        "Какие акулы могут жить в пресной воде?",
        "Где был изготовлен первый микроскоп?",
        "Как отменить заявку на кредит?",
        "Почему моряки боялись этой части моря?",
        "Кто унаследовал престол после императора?",
        "Во сколько закрывается детский сад?",
    ),
    "ar": (
        "كم من الوقت يستغرق شحن البطارية؟",
        "من فاز بجائزة أفضل مخرج عام 1935؟",
        "ما أنواع القرش التي تعيش في المياه العذبة؟",
        "أين صُنع أول مجهر؟",
        "كيف ألغي طلب القرض؟",
        "لماذا خاف البحارة من تلك المنطقة من البحر؟",
        "من تولى العرش بعد وفاة الإمبراطور؟",
        "متى تغلق روضة الأطفال أبوابها؟",
    ),
    "th": (
        "แบตเตอรี่นี้ใช้เวลาชาร์จนานเท่าไร",
        "ใครได้รับรางวัลผู้กำกับยอดเยี่ยมในปี 1935",
        "ฉลามชนิดใดอาศัยอยู่ในน้ำจืดได้",
        "กล้องจุลทรรศน์ตัวแรกผลิตขึ้นที่ไหน",
        "จะยกเลิกคำขอสินเชื่อได้อย่างไร",
        "ทำไมลูกเรือจึงกลัวทะเลบริเวณนั้น",
        "ใครครองราชย์ต่อจากจักรพรรดิ",
        "โรงเรียนอนุบาลปิดกี่โมง",
    ),
}
"""Like questions, in the same scripts."""
