/** `html` is the same content for programs that accept formatted text. */
type ClipboardContent = { text: string; html?: (() => Promise<string>) | undefined };

/**
 * Writes both formats, or only the text if the HTML cannot be written. Rejects if the browser denies access. Call it synchronously
 * in the click handler: browsers deny access outside a user gesture.
 */
export async function writeToClipboard({ text, html }: ClipboardContent): Promise<void> {
  // Undefined on pages served over plain HTTP, despite its type.
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
      // Building the HTML failed, or the browser does not accept HTML.
    }
  }
  await clipboard.writeText(text);
}
