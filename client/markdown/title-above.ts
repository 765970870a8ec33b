/**
 * Returns the text of the last heading before `element` in its reply, or else the title of the conversation: what a file with the
 * content of `element` is about.
 */
export function titleAbove(element: Element | null): string {
  const headings = element?.closest('.markdown')?.querySelectorAll('.heading') ?? [];
  const above = Array.from(headings).filter((heading) => precedes(heading, element));
  return (above.at(-1) ?? document.querySelector('.print-title'))?.textContent ?? '';
}

function precedes(one: Element, other: Element | null): boolean {
  return other !== null && (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
