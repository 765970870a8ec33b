import { createElement, type ReactNode } from 'react';

/** What may be wider than the page and then scrolls by itself. It can have the focus, so that keys scroll it too. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return createElement('div', { className: 'scroll-box', role: 'group', 'aria-label': label, tabIndex: 0 }, children);
}
