"""Every key binding's id and what it does, in words: the key bar and the help screen are made from it.

A binding's own `description` stays empty, because the language can change after its class was made.
"""

from __future__ import annotations

from geekagent_tui.i18n import _

_Group = tuple[str, dict[str, str]]


def groups() -> list[_Group]:
    """The bindings by where they work, in the order of the help screen: id → words."""
    return [*_on_the_main_screen(), *_in_lists_and_above()]


def _on_the_main_screen() -> list[_Group]:
    return [
        (
            _("输入"),
            {
                "composer.send": _("发送"),
                "composer.newline": _("换行"),
                "composer.complete": _("补全命令或路径"),
                "composer.undo": _("撤销输入"),
                "composer.history": _("翻看历史（在首行或末行）"),
                "app.stop": _("停止"),
            },
        ),
        (
            _("面板"),
            {
                "app.knowledge": _("知识库"),
                "app.log": _("日志"),
                "app.add": _("加入知识库"),
                "app.composer": _("回到输入框"),
                "app.help": _("帮助"),
                "app.palette": _("命令面板"),
                "app.theme": _("明暗"),
                "app.quit": _("退出"),
                "app.suspend": _("挂起，回到 shell（fg 返回）"),
                "app.copy": _("复制选中内容，连按两次退出"),
            },
        ),
        (
            _("对话"),
            {
                "chat.up": _("上翻"),
                "chat.down": _("下翻"),
                "chat.end": _("到最新"),
                "app.sources": _("最近回答的来源"),
                "sources.previous": _("上一个来源"),
                "sources.next": _("下一个来源"),
                "sources.open": _("打开来源"),
                "details.unfold": _("展开或收起思考过程、摘要"),
            },
        ),
    ]


def _in_lists_and_above() -> list[_Group]:
    return [
        (
            _("列表"),
            {
                "list.up": _("上移"),
                "list.down": _("下移"),
                "list.choose": _("打开"),
                "knowledge.filter": _("搜索资料"),
                "knowledge.group": _("分组"),
                "knowledge.sort": _("排序"),
                "knowledge.mark": _("选中"),
                "knowledge.mark-all": _("全选"),
                "knowledge.unmark": _("取消选中"),
                "knowledge.tag": _("标签"),
                "knowledge.update": _("更新"),
                "knowledge.only": _("仅此"),
                "main.unlimit": _("不再限定"),
                "knowledge.remove": _("移除"),
                "knowledge.undo": _("撤销移除"),
                "knowledge.retry": _("重试"),
                "knowledge.why": _("得分"),
                "knowledge.first": _("加入"),
                "knowledge.add": _("加入"),
                "knowledge.sync": _("全部同步"),
            },
        ),
        (
            _("采集"),
            {
                "batch.cancel": _("取消采集"),
                "batch.open": _("展开原因"),
                "batch.retry": _("重试"),
                "batch.retry-all": _("全部重试"),
                "batch.clear": _("清除失败记录"),
            },
        ),
        (
            _("文档"),
            {
                "document.next": _("下一段"),
                "document.previous": _("上一段"),
                "document.find": _("查找"),
                "find.next": _("下一处"),
                "find.previous": _("上一处"),
                "find.close": _("结束查找"),
                "document.open": _("打开原文"),
                "document.update": _("更新"),
                "document.tag": _("标签"),
                "document.remove": _("移除"),
                "document.undo": _("撤销移除"),
                "document.close": _("返回"),
            },
        ),
        (
            _("引用的原话"),
            {
                "kept.document": _("打开现在的文档"),
                "kept.close": _("返回"),
            },
        ),
        (
            _("对话框"),
            {
                "dialog.yes": _("同意"),
                "dialog.no": _("拒绝"),
                "dialog.session": _("本会话允许"),
                "dialog.always": _("始终允许"),
                "dialog.sources": _("看清单"),
                "dialog.newline": _("换行"),
                "dialog.complete": _("补全路径"),
                "dialog.toggle": _("选或不选"),
                "dialog.all": _("全选或全不选"),
                "dialog.look": _("看内容"),
                "dialog.up": _("上翻"),
                "dialog.down": _("下翻"),
                "dialog.page-up": _("上翻一页"),
                "dialog.page-down": _("下翻一页"),
                "dialog.home": _("到开头"),
                "dialog.end": _("到末尾"),
                "dialog.tab": _("下一项"),
                "dialog.close": _("关闭"),
            },
        ),
    ]


def words(binding_id: str) -> str:
    """What a binding does; empty for one that isn't told."""
    for _title, bindings in groups():
        if binding_id in bindings:
            return bindings[binding_id]
    return ""
