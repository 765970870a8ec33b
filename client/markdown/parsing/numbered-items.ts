import type { MarkdownIt, Token } from 'markdown-it';

/** CommonMark requires the indentation of the item's text, but models often indent by two spaces. */
const minIndent = 2;

const itemNumber = /\d{1,9}[.)](?=[ \t]|$)/my;

/** Makes lines that are indented by at least two spaces part of the numbered item above, such as its sub-list. */
export function numberedItemRule({ block }: MarkdownIt): void {
  block.State = class extends block.State {
    /** The number of columns by which each line is indented further, to the text of its items. */
    readonly #shifts: number[] = [];

    override push(...parameters: Parameters<InstanceType<typeof block.State>['push']>): Token {
      if (parameters[0] === 'list_item_open') this.#moveLines();
      return super.push(...parameters);
    }

    #moveLines(): void {
      const indent = this.sCount[this.line] ?? 0;
      const content = this.#contentColumn();
      if (content === undefined) return;
      let start = content;
      for (let line = this.line + 1; line < this.lineMax; line += 1) {
        if (this.isEmpty(line)) continue;
        const lineIndent = this.sCount[line] ?? 0;
        if (lineIndent < indent + minIndent) return;
        start = Math.min(start, lineIndent);
        this.sCount[line] = lineIndent + content - start;
        this.#shifts[line] = (this.#shifts[line] ?? 0) + content - start;
      }
    }

    /** Returns the column of the current item's text, or undefined if the item has no number or no text. */
    #contentColumn(): number | undefined {
      const start = (this.bMarks[this.line] ?? 0) + (this.tShift[this.line] ?? 0);
      const lineEnd = this.eMarks[this.line] ?? 0;
      itemNumber.lastIndex = start;
      const length = itemNumber.exec(this.src)?.[0].length;
      if (length === undefined) return undefined;
      const spaces = this.skipSpaces(start + length) - start - length;
      const isBlank = start + length + spaces >= lineEnd;
      if (isBlank && this.isEmpty(this.line + 1)) return undefined;
      return (this.sCount[this.line] ?? 0) + length + (isBlank || spaces > 4 ? 1 : spaces);
    }

    /** The shift is not in the text, so it is not removed from code. */
    override getLines(begin: number, end: number, indent: number, keepLastLF: boolean): string {
      let lines = '';
      for (let line = begin; line < end; line += 1) {
        const written = Math.max(0, indent - (this.#shifts[line] ?? 0));
        lines += super.getLines(line, line + 1, written, keepLastLF || line + 1 < end);
      }
      return lines;
    }
  };
}
