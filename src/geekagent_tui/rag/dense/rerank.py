"""Letting a server put the best passages into their final order, by `/rerank` as Jina and Cohere have it.

llama.cpp and vLLM serve the same.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from geekagent_tui.config import Reranking
from geekagent_tui.i18n import _
from geekagent_tui.rag.dense.encoder import LONGEST_QUESTION, EncoderError
from geekagent_tui.rag.dense.post import Poster
from geekagent_tui.rag.dense.silence import Silence
from geekagent_tui.rag.model import Hit

CANDIDATES = 20
"""Hits that are reordered."""
PATIENCE = 4.0
"""Seconds that a search waits for the order."""


class Reranker:
    """One server's reranking model."""

    def __init__(self, settings: Reranking) -> None:
        self._model = settings.model
        self._silence = Silence()
        self._poster = Poster(settings.base_url, "rerank", settings.api_key)

    async def ordered(self, query: str, hits: Sequence[Hit]) -> tuple[list[Hit], str]:
        """Hits in their final order, and what is to be told when that is the one they came in.

        A reordered hit's score is what the server gave, its only share.
        """
        if len(hits) < 2:  # nothing to put into order
            return list(hits), ""
        if self._silence.lasts:
            return list(hits), _("重排没有参与：服务刚才没有及时回答")
        question = query.strip()[:LONGEST_QUESTION]
        texts = [f"{hit.heading}\n{hit.text}" if hit.heading else hit.text for hit in hits]
        body: dict[str, Any] = {"query": question, "documents": texts, "top_n": len(texts)}
        if self._model:
            body["model"] = self._model
        try:
            async with asyncio.timeout(PATIENCE):
                answer = await self._poster.post(body, patient=False)
            scores = _scores(answer, len(hits))
        except TimeoutError:
            self._silence.begin()
            return list(hits), _("重排没有参与：{n:g} 秒内没有回答").format(n=PATIENCE)
        except EncoderError as error:
            return list(hits), _("重排没有参与：{reason}").format(reason=error.message)
        order = sorted(range(len(hits)), key=lambda place: -scores[place])
        return [_scored(hits[place], scores[place]) for place in order], ""

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()


def _scored(hit: Hit, score: float) -> Hit:
    return replace(hit, score=score, shares={"rerank": score} if hit.shares else {})


def _scores(answer: Any, count: int) -> dict[int, float]:
    """The score of each document by its place.

    Raises:
        EncoderError: Some are missing, doubled, or no numbers.
    """
    results = answer.get("results") if isinstance(answer, dict) else None
    scores: dict[int, float] = {}
    for entry in results if isinstance(results, list) else ():
        place = entry.get("index") if isinstance(entry, dict) else None
        score = entry.get("relevance_score") if isinstance(entry, dict) else None
        if type(place) is not int or not 0 <= place < count or place in scores:
            raise EncoderError(_("重排服务的回答里序号不对"))
        if not isinstance(score, int | float) or not math.isfinite(score):
            raise EncoderError(_("重排服务的回答里有不是数的值"))
        scores[place] = float(score)
    if len(scores) != count:
        message = _("重排服务给了 {found} 个分数，要的是 {wanted} 个")
        raise EncoderError(message.format(found=len(scores), wanted=count))
    return scores
