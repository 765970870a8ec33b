import type { MarkdownIt } from 'markdown-it';
import readNotes from 'markdown-it-footnote';

/** A label is short: where a longer one ends is not looked for again and again. */
const mark = /\[\^([^\]\s]{1,100})\]/y;

/**
 * Footnotes for the parser: `footnote_reference_open` and `…_close` around what a note says, in its place, and
 * `footnote_ref` for a mark. The plugin itself would move the notes to the end of the text, and takes a mark only for what
 * it is where its note is in the same piece of the text; a reply is read in pieces.
 */
export function noteRules(markdown: MarkdownIt): void {
  const ownRules = new Set(markdown.block.ruler.getRules(''));
  markdown.use(readNotes);
  markdown.core.ruler.disable('footnote_tail');
  markdown.inline.ruler.disable('footnote_inline');

  const readNote = markdown.block.ruler.getRules('').find((rule) => !ownRules.has(rule));
  markdown.block.ruler.at(
    'footnote_def',
    (state, startLine, endLine, silent) => {
      const index = state.tokens.length;
      const isNote = readNote?.(state, startLine, endLine, silent) ?? false;
      const opening = isNote && !silent ? state.tokens[index] : undefined;
      // The plugin does not say in which line it begins.
      if (opening !== undefined) opening.map = [startLine, state.line];
      return isNote;
    },
    { alt: ['paragraph', 'reference'] },
  );

  markdown.inline.ruler.at('footnote_ref', (state, silent) => {
    mark.lastIndex = state.pos;
    const found = mark.exec(state.src);
    if (found === null || mark.lastIndex > state.posMax) return false;
    if (!silent) state.push('footnote_ref', '', 0).meta = { label: found[1] };
    state.pos += found[0].length;
    return true;
  });
}
