r"""Which characters make words, and which scripts don't put spaces between them.

Regular expressions cannot use `\w` alone: it leaves out the vowel signs of Indic and Thai script, which
belong to the word.
"""

from __future__ import annotations

import re

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7af"
_BOPOMOFO = "\u3105-\u312f"
CJK = HAN + _KANA + _HANGUL + _BOPOMOFO

# Thai, Lao, Burmese with its extensions, Khmer.
SPACELESS = "\u0e01-\u0e3a\u0e40-\u0e5b\u0e81-\u0edf\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f\u1780-\u17ff"

# Marks that stand inside words of the other scripts: combining accents, Hebrew and Arabic vowel points, the
# blocks of Indic scripts without their full stops, joiners.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0df3\u0f71-\u0f84\u1ab0-\u1aff\u200c-\u200d"
)
_LETTER = rf"[\w{_MARKS}]"

HAS_HAN = re.compile(f"[{HAN}]")
CJK_RUN = re.compile(f"[{CJK}]+")
SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")
UNSPACED_RUN = re.compile(f"[{CJK}{SPACELESS}]+")

# In the other scripts, in this order: a number with thousands separators; a name like .net; a word or an
# identifier with the ++ or # of a programming language. The rest of a contraction ('s, 're) is matched to be
# thrown away.
WORD = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])"
    r"|(?<![\w.])\.[A-Za-z]\w*"
    r"|(?<=\w)['’](?:s|t|re|ve|ll|d|m)\b"
    rf"|{_LETTER}+(?:[.\-]{_LETTER}+)*(?:\+\+(?!\w)|\#(?!\w))?"
)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z](?:[^\W\d_]|[^\w.\-+#])*")
