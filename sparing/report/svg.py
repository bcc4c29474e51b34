"""Drawings that stand inside a page and take whatever width they are given."""

from __future__ import annotations

from html import escape


def begin(width: float, height: float, title: str) -> str:
    """The start of a drawing; `title` is for those who cannot see it."""
    look = 'font-family="system-ui, sans-serif" font-size="12"'
    room = f'viewBox="0 0 {width:.0f} {height:.0f}" style="width: 100%; max-width: {width:.0f}px"'
    return f'<svg {room} role="img" aria-label="{escape(title, quote=True)}" {look}>'


def haloed(where: str, text: str, colour: str) -> str:
    """Text that can be read across lines."""
    halo = 'fill="white" stroke="white" stroke-width="3" stroke-linejoin="round"'
    return f'<text {where} {halo}>{escape(text)}</text><text {where} fill="{colour}">{escape(text)}</text>'
