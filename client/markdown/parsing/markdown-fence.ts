import type { MarkdownIt, StateBlock } from 'markdown-it';

/**
 * Reads a fenced code block whose language is Markdown. A fence with a language in it starts a nested block, whose end does not end
 * the outer one, because models write such examples without a longer outer fence.
 */
export function markdownFenceRule(markdown: MarkdownIt): void {
  markdown.block.ruler.before('fence', 'markdown_fence', readMarkdownFence, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function readMarkdownFence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const opening = fenceAt(state, startLine);
  if (opening === undefined || !isMarkdown(opening)) return false;
  if (silent) return true;

  const open = [opening];
  let line = startLine + 1;
  for (; line < endLine && open.length > 0; line += 1) {
    if ((state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line)) break;
    const fence = fenceAt(state, line);
    const innermost = open.at(-1);
    if (fence === undefined || innermost === undefined) continue;
    if (fence.info === '' && fence.mark.startsWith(innermost.mark)) open.pop();
    // Shorter fences and those of the other mark are not tracked: their ends cannot be mistaken for the end of this block.
    else if (fence.info !== '' && isMarkdown(innermost) && fence.mark.startsWith(opening.mark)) open.push(fence);
  }
  state.line = line;
  const token = state.push('fence', 'code', 0);
  const contentEnd = open.length === 0 ? line - 1 : line;
  token.info = opening.info;
  token.content = state.getLines(startLine + 1, contentEnd, state.sCount[startLine] ?? 0, true);
  token.markup = opening.mark;
  token.map = [startLine, line];
  return true;
}

type Fence = { mark: string; info: string };

function fenceAt(state: StateBlock, line: number): Fence | undefined {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return undefined;
  const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  const mark = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
  if (mark === undefined) return undefined;
  const info = text.slice(mark.length).trim();
  return mark.startsWith('`') && info.includes('`') ? undefined : { mark, info };
}

function isMarkdown({ info }: Fence): boolean {
  return /^(?:markdown|md)(?!\S)/i.test(info);
}
