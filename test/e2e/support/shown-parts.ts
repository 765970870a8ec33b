import type { Page } from 'playwright-core';

/** From now on, notes each text that the newest reply shows and whether it could be stopped then; call the result to read the notes. */
export async function noteShownParts(page: Page) {
  const notes = await page.evaluateHandle(() => {
    const parts: { text: string; canStop: boolean }[] = [];
    const look = () => {
      const text = [...document.querySelectorAll('[aria-label=Assistant]')].at(-1)?.textContent ?? '';
      const canStop = [...document.querySelectorAll('button')].some((button) => button.textContent === 'Stop');
      if (text !== '' && text !== parts.at(-1)?.text) parts.push({ text, canStop });
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    return parts;
  });
  return () => notes.jsonValue();
}
