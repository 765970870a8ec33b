import type { MarkdownIt } from 'markdown-it';

/** The one tag that means something in a reply: there is no other way to write two lines in a cell of a table. */
const lineBreak = /<br[ \t]*\/?>[ \t]*\n?[ \t]*/iy;

/** `<br>` for the parser, as the same token that a line's end is. One that stands before a line's end is a single break. */
export function breakRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('autolink', 'line_break', (state, silent) => {
    lineBreak.lastIndex = state.pos;
    if (!lineBreak.test(state.src) || lineBreak.lastIndex > state.posMax) return false;
    const end = lineBreak.lastIndex;
    if (!silent) {
      state.pending = state.pending.replace(/[ \t]+$/, '');
      state.push('hardbreak', 'br', 0);
    }
    state.pos = end;
    return true;
  });
}
