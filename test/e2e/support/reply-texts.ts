import type { Page } from 'playwright-core';

/** Records each displayed text of the newest reply, and whether it could be stopped. Returns a function that returns the records. */
export async function recordReplyTexts(page: Page) {
  const notes = await page.evaluateHandle(() => {
    const parts: { text: string; canStop: boolean }[] = [];
    const record = () => {
      const text = [...document.querySelectorAll('[aria-label=Assistant]')].at(-1)?.textContent ?? '';
      const canStop = [...document.querySelectorAll('button')].some((button) => button.textContent === 'Stop');
      if (text !== '' && text !== parts.at(-1)?.text) parts.push({ text, canStop });
    };
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
    return parts;
  });
  return () => notes.jsonValue();
}
