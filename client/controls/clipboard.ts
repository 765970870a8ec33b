/** A text, and the same as HTML for programs that take it. */
export type Copied = { text: string; html?: (() => Promise<string>) | undefined };

/**
 * Puts both on the clipboard, or the text alone where that is all that can be had. Fails where the browser lets the page put
 * nothing there. To be called in the click itself: a browser may refuse what comes later.
 */
export async function toClipboard({ text, html }: Copied): Promise<void> {
  // There is no clipboard on a page that came by plain HTTP, whatever its type says.
  const { clipboard } = navigator;
  if (html !== undefined && typeof ClipboardItem === 'function') {
    try {
      const item = new ClipboardItem({
        'text/plain': new Blob([text], { type: 'text/plain' }),
        'text/html': html().then((markup) => new Blob([markup], { type: 'text/html' })),
      });
      await clipboard.write([item]);
      return;
    } catch {
      // The HTML could not be made, or this browser takes none.
    }
  }
  await clipboard.writeText(text);
}
