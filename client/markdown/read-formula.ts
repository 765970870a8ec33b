/** A formula that stands in a line: where it ends in the text, and the TeX between its marks. */
export type FoundFormula = { tex: string; end: number; isDisplay: boolean };

/** A longer one is taken for text: no formula that people read is, and looking for its end would take too long. */
export const mostFormulaCharacters = 4000;

const pairs = [
  { open: '\\(', close: '\\)', isDisplay: false },
  { open: '\\[', close: '\\]', isDisplay: true },
  { open: '$$', close: '$$', isDisplay: true },
  { open: '$', close: '$', isDisplay: false },
] as const;

type Pair = (typeof pairs)[number];

/** The mark of a formula that `text` has at `index`, or undefined. */
function formulaMarkAt(text: string, index: number): Pair | undefined {
  return pairs.find(({ open }) => text.startsWith(open, index));
}

/**
 * The formula that begins at `index`: between `\(` and `\)`, `\[` and `\]`, `$$` and `$$`, or `$` and `$`. Undefined where
 * it does not end, or where it can be something else: `$5 and $6` are prices, and `\[a\]` is how Markdown writes `[a]`.
 */
export function readFormula(text: string, index: number): FoundFormula | undefined {
  const pair = formulaMarkAt(text, index);
  if (pair === undefined) return undefined;
  const from = index + pair.open.length;
  const inside = text.slice(from, from + mostFormulaCharacters);
  const length = endIn(inside, pair);
  if (length === undefined) return undefined;
  const tex = inside.slice(0, length).trim();
  const end = from + length + pair.close.length;
  if (tex === '' || !isSure(pair, text, index, inside.slice(0, length), end)) return undefined;
  return { tex, end, isDisplay: pair.isDisplay };
}

/**
 * Where `close` stands in `inside`. A blank line ends every formula, and so does another one that begins: no place in the
 * text is looked at again and again. A dollar after a backslash is a dollar.
 */
function endIn(inside: string, { open, close }: Pair): number | undefined {
  const stops = close.startsWith('$') ? /\\.|\$\$?|\n[ \t]*\n/gs : /\\.|\n[ \t]*\n/gs;
  for (const { 0: stop, index } of inside.matchAll(stops)) {
    if (stop === close) return index;
    if (stop === open || stop.startsWith('\n') || stop.startsWith('$')) return undefined;
  }
  return undefined;
}

/** Signs that prices, paths and plain words do not have. */
const texSigns = /\\[a-zA-Z]|[\^_=<>{}+*/|]|^[a-zA-Z]\d?$|^[\d.,]+$/;

function isSure({ open }: Pair, text: string, index: number, inside: string, end: number): boolean {
  if (open === '\\(' || open === '$$') return true;
  if (open === '\\[') return texSigns.test(inside.trim());
  const before = text.charAt(index - 1);
  const after = text.charAt(end);
  if (/[\p{L}\p{N}$\\]/u.test(before) || /[\p{L}\p{N}$]/u.test(after) || inside !== inside.trim()) return false;
  return texSigns.test(inside) && !isPrices(inside);
}

/** What stands between the dollars of `$5-10 + tax/$`: it begins as an amount does, and has words after it. */
function isPrices(inside: string): boolean {
  return /^\d/.test(inside) && !/\\|[\^_=]/.test(inside) && /\p{L}{2}/u.test(inside);
}
