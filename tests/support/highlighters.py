"""The same ten lines of Go as ten highlighters draw them."""

from __future__ import annotations

from html import escape

LINES = [
    "package main",
    "",
    'import "fmt"',
    "",
    "func main() {",
    "    for i := 0; i < 3; i++ {",
    '        fmt.Println("*a* _b_ [c]", i & 1)',
    "    }",
    "}",
    "// 1 | 2 | 3",
]
CODE = "\n".join(LINES)
_NUMBERS = range(1, len(LINES) + 1)


def _tokens(line: str) -> str:
    return "".join(
        f'<span class="tok">{escape(part)}</span>' if part.strip() else part for part in _words(line)
    )


def _words(line: str) -> list[str]:
    body = line.lstrip(" ")
    words = [line[: len(line) - len(body)]]
    for index, word in enumerate(body.split(" ")):
        words += [" ", word] if index else [word]
    return words


def _with_nbsp(line: str) -> str:
    return escape(line).replace("    ", "&nbsp;" * 4)


def hexo() -> str:
    numbers = "".join(f'<span class="line">{n}</span><br>' for n in _NUMBERS)
    lines = "".join(f'<span class="line">{_tokens(line)}</span><br>' for line in LINES)
    return (
        '<figure class="highlight go"><table><tr>'
        f'<td class="gutter"><pre>{numbers}</pre></td><td class="code"><pre>{lines}</pre></td>'
        "</tr></table></figure>"
    )


def pygments_table() -> str:
    numbers = "\n".join(f'<span class="normal">{n:2}</span>' for n in _NUMBERS)
    code = "\n".join(map(_tokens, LINES))
    return (
        '<div class="highlight-go notranslate"><div class="highlight"><table class="highlighttable">'
        "<tbody><tr>"
        f'<td class="linenos"><div class="linenodiv"><pre>{numbers}</pre></div></td>'
        f'<td class="code"><div><pre><span></span>{code}\n</pre></div></td></tr></tbody></table></div></div>'
    )


def rouge() -> str:
    numbers = "\n".join(map(str, _NUMBERS))
    code = "\n".join(map(_tokens, LINES))
    return (
        '<div class="language-go highlighter-rouge"><div class="highlight"><pre class="highlight"><code>'
        f'<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl">'
        f'<pre class="lineno">{numbers}\n</pre></td>'
        f'<td class="rouge-code"><pre>{code}\n</pre></td></tr></tbody></table></code></pre></div></div>'
    )


def chroma() -> str:
    numbers = "".join(f'<span class="lnt">{n:2}\n</span>' for n in _NUMBERS)
    code = "".join(f'<span class="line"><span class="cl">{_tokens(line)}\n</span></span>' for line in LINES)
    return (
        '<div class="highlight"><div class="chroma">\n<table class="lntable"><tr><td class="lntd">\n'
        f'<pre tabindex="0" class="chroma"><code>{numbers}</code></pre></td>\n<td class="lntd">\n'
        f'<pre tabindex="0" class="chroma"><code class="language-go" data-lang="go">{code}</code></pre></td>'
        "</tr></table>\n</div>\n</div>"
    )


def chroma_inline() -> str:
    code = "".join(
        f'<span class="line"><span class="ln">{n:2}</span><span class="cl">{_tokens(line)}\n</span></span>'
        for n, line in zip(_NUMBERS, LINES, strict=True)
    )
    return f'<div class="highlight"><pre class="chroma"><code data-lang="go">{code}</code></pre></div>'


def shiki() -> str:
    code = "\n".join(f'<span class="line">{_tokens(line)}</span>' for line in LINES)
    numbers = "".join(f'<span class="line-number">{n}</span><br>' for n in _NUMBERS)
    return (
        '<div class="language-go vp-adaptive-theme"><button title="Copy Code" class="copy"></button>'
        f'<span class="lang">go</span><pre class="shiki"><code>{code}</code></pre>'
        f'<div class="line-numbers-wrapper">{numbers}'
        "</div></div>"
    )


def docusaurus() -> str:
    code = "".join(
        f'<span class="token-line" style="color:#000">{_tokens(line)}<br></span>' for line in LINES
    )
    return (
        '<div class="language-go codeBlockContainer"><div class="codeBlockContent">'
        f'<pre tabindex="0" class="prism-code language-go"><code class="codeBlockLines">{code}</code></pre>'
        '<div class="buttonGroup"><button type="button">Copy</button></div></div></div>'
    )


def prism() -> str:
    code = "\n".join(map(_tokens, LINES))
    numbers = "<span></span>" * len(LINES)
    return (
        '<div class="code-toolbar"><pre class="line-numbers language-go"><code class="language-go">'
        f'{code}<span aria-hidden="true" class="line-numbers-rows">{numbers}</span>'
        '</code></pre><div class="toolbar"><div class="toolbar-item"><button>复制</button></div></div></div>'
    )


def syntax_highlighter() -> str:
    numbers = "".join(f'<div class="line number{n}">{n}</div>' for n in _NUMBERS)
    lines = "".join(
        f'<div class="line number{n}"><code class="go plain">{_with_nbsp(line)}</code></div>\n'
        for n, line in zip(_NUMBERS, LINES, strict=True)
    )
    return (
        '<div class="syntaxhighlighter go"><table border="0"><tbody><tr>'
        f'<td class="gutter">{numbers}</td><td class="code"><div class="container">{lines}</div></td>'
        "</tr></tbody></table></div>"
    )


def hljs_table() -> str:
    rows = "".join(
        f'<tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="{n}">'
        f'<div class="hljs-ln-n" data-line-number="{n}"></div></td>'
        f'<td class="hljs-ln-line hljs-ln-code" data-line-number="{n}">{_tokens(line)}</td></tr>'
        for n, line in zip(_NUMBERS, LINES, strict=True)
    )
    return f'<pre><code class="language-go hljs"><table class="hljs-ln">{rows}</table></code></pre>'


def crayon() -> str:
    numbers = "".join(f'<div class="crayon-num">{n}</div>' for n in _NUMBERS)
    lines = "".join(
        f'<div class="crayon-line" id="l{n}">{_tokens(line)}</div>' for n, line in enumerate(LINES)
    )
    return (
        '<div class="crayon-syntax" data-lang="go"><div class="crayon-toolbar"><span>Go</span></div>'
        '<div class="crayon-plain-wrap"><textarea class="crayon-plain">package main</textarea></div>'
        '<div class="crayon-main"><table class="crayon-table"><tr class="crayon-row">'
        f'<td class="crayon-nums"><div class="crayon-nums-content">{numbers}</div></td>'
        f'<td class="crayon-code"><div class="crayon-pre">{lines}</div></td></tr></table></div></div>'
    )


def unnamed_table() -> str:
    """No class that tells anything: only the numbers do."""
    numbers = "\n".join(map(str, _NUMBERS))
    return (
        f'<table><tr><td><pre>{numbers}</pre></td><td><pre><code class="lang-go">'
        f"{escape(CODE)}</code></pre></td></tr></table>"
    )


ALL = [
    hexo,
    pygments_table,
    rouge,
    chroma,
    chroma_inline,
    shiki,
    docusaurus,
    prism,
    syntax_highlighter,
    hljs_table,
    crayon,
    unnamed_table,
]
