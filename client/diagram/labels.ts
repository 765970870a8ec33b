/**
 * Mermaid reads labels as HTML: it drops `<name>` and the sign of `a < b`, and draws the entity `#quot;` as `&quot;`. Characters of
 * the private use area therefore replace these signs while Mermaid draws, and the signs are restored in the drawing.
 */
const firstPlaceholder = 0xe000;

/** Only ASCII characters have a meaning in Mermaid. */
function placeholderFor(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  return code < 0x80 ? String.fromCodePoint(firstPlaceholder + code) : sign;
}

export function restoreSigns(drawing: Element): void {
  const walker = document.createTreeWalker(drawing, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    const restored = withSigns(text);
    if (restored !== text) node.nodeValue = restored;
  }
}

export function withSigns(text: string): string {
  return text
    .replace(/[\uE000-\uE07F]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - firstPlaceholder))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/** Directives, and lines in which `#…;` is a color. */
const otherLine = /^\s*(?:style|classDef|linkStyle|click|%%)/;

export function withPlaceholders(source: string): string {
  // Sankey diagrams accept ASCII only.
  if (/^\s*sankey/m.test(source)) return source.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const isFlowchart = /^\s*(?:flowchart|graph)\b/m.test(source);
  return source
    .split('\n')
    .map((line) => (otherLine.test(line) ? line : withPlaceholdersInLine(decodeEntities(line), isFlowchart)))
    .join('\n');
}

const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: '\u00A0' };

function decodeEntities(line: string): string {
  return line.replace(/#(?:(\d{1,7})|([a-z]+));/g, (entity, digits?: string, name = '') => {
    const code = Number(digits);
    const sign = digits === undefined ? entities[name] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    return sign === undefined ? entity : placeholderFor(sign);
  });
}

const lineBreak = /<br\s*\/?>/iy;

/** Replaces `<` and `>` unless they are part of an arrow, an annotation, a shape or a line break. */
function withPlaceholdersInLine(line: string, isFlowchart: boolean): string {
  let result = '';
  let [depth, isQuoted, isEdgeLabel] = [0, false, false];
  for (let index = 0; index < line.length; index += 1) {
    const sign = line.charAt(index);
    lineBreak.lastIndex = index;
    if (sign === '<' && lineBreak.test(line)) {
      result += line.slice(index, lineBreak.lastIndex);
      index = lineBreak.lastIndex - 1;
      continue;
    }
    if (sign === '"') isQuoted = !isQuoted;
    if (!isQuoted && '[({'.includes(sign)) depth += 1;
    if (!isQuoted && '])}'.includes(sign)) depth = Math.max(0, depth - 1);
    if (!isQuoted && depth === 0 && isFlowchart && sign === '|') isEdgeLabel = !isEdgeLabel;
    const isLabel = () => isQuoted || depth > 0 || isEdgeLabel || !isSyntax(line, index, isFlowchart);
    result += '<>'.includes(sign) && isLabel() ? placeholderFor(sign) : sign;
  }
  return result;
}

/** Bounds the search for the end of a node such as `A>text]`. */
const maxFlagCharacters = 500;

/** Returns whether the `<` or `>` at `index`, outside of brackets and quotes, has a meaning in Mermaid. */
function isSyntax(line: string, index: number, isFlowchart: boolean): boolean {
  const before = line.charAt(index - 1);
  const after = line.slice(index + 1, index + maxFlagCharacters);
  if (line.charAt(index) === '<') return before === '<' || /^(?:[-.|<~[(]|==)/.test(after);
  const isFlag = isFlowchart && /\w/.test(before) && /^[^[\]]*\]/.test(after);
  return isFlag || after.startsWith('>') || /[-=.~|>\])]/.test(before);
}
