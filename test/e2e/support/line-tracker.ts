/** A fully visible line below the header: some of its words, and its distance from the top of the window in pixels. */
export type Line = { words: string; top: number };

declare global {
  interface Window {
    findLines: () => Generator<Line>;
    /**
     * Returns undefined if the line no longer exists. Of several lines with the same words, the last found one counts, or else
     * the one nearest to `top`.
     */
    topOfLine: (line: Line) => number | undefined;
  }
}

/** Adds functions that track lines on `page`, independently of the page's scroll anchoring. */
export async function trackLines(page: { evaluate(run: () => void): Promise<unknown> }): Promise<void> {
  await page.evaluate(() => {
    const log = () => document.querySelector('[role=log]') ?? document.body;
    const isText = (node: Node) => node.parentElement?.closest('button, [role=status], .thinking, .notice') === null;
    const topOf = (node: Text, offset: number) => {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      return range.getClientRects()[0]?.top;
    };

    /** WebKit lacks `caretPositionFromPoint`. */
    const caretAt = (x: number, y: number) => {
      const position = document.caretPositionFromPoint?.(x, y);
      if (position) return { node: position.offsetNode, offset: position.offset };
      const range = document.caretRangeFromPoint?.(x, y);
      return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
    };

    // The last found line is checked first, because searching a long conversation can take longer than a frame.
    let lastFound: { node: Text; offset: number } | undefined;

    window.findLines = function* () {
      const first = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
      const last = document.querySelector('.dock')?.getBoundingClientRect().top ?? 0;
      const { left, width } = log().getBoundingClientRect();
      for (let y = first + 1; y < last; y += 4) {
        for (const share of [0.02, 0.1, 0.3, 0.7, 0.95]) {
          const at = caretAt(left + width * share, y);
          const node = at?.node;
          if (at === undefined || !(node instanceof Text) || !log().contains(node) || !isText(node)) continue;
          // Removes Markdown syntax, which disappears when the text is rendered.
          const run = /[\p{L}\p{N}][\p{L}\p{N} ]{3,}/u.exec(
            node.data.slice(Math.max(0, at.offset - 4), at.offset + 28),
          );
          if (run === null) continue;
          const offset = Math.max(0, at.offset - 4) + run.index;
          const words = run[0].trimEnd();
          const top = topOf(node, offset);
          // Skips lines that are not fully in view.
          if (top === undefined || top < first - 1 || top >= last - 30) continue;
          lastFound = { node, offset };
          yield { words, top };
          break;
        }
      }
    };

    window.topOfLine = ({ words, top }) => {
      if (lastFound?.node.isConnected && lastFound.node.data.startsWith(words, lastFound.offset)) {
        return topOf(lastFound.node, lastFound.offset);
      }
      const walker = document.createTreeWalker(log(), NodeFilter.SHOW_TEXT);
      const nodes: Text[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        if (node instanceof Text) nodes.push(node);
      const allText = nodes.map(({ data }) => data).join('');
      let nearest: number | undefined;
      let start = 0;
      let index = 0;
      for (let match = allText.indexOf(words); match !== -1; match = allText.indexOf(words, match + 1)) {
        while (start + (nodes[index]?.length ?? 0) <= match) {
          start += nodes[index]?.length ?? 0;
          index += 1;
        }
        const node = nodes[index];
        const now = node && topOf(node, match - start);
        if (now !== undefined && (nearest === undefined || Math.abs(now - top) < Math.abs(nearest - top)))
          nearest = now;
      }
      return nearest;
    };
  });
}
