/** Longer diagrams would block the page, because most browsers run the frame in the thread of the page. */
const maxSourceCharacters = 20_000;
const maxStatements = 300;
/** The time to wrap a label grows with the square of its length. */
const maxLineCharacters = 2000;

/**
 * Returns what Mermaid may draw of `source`, or null if it stays code. Front matter, apart from a title, and directives are left
 * out: they configure Mermaid, and YAML multiplies. Diagrams that are too long, or that repeat parts too often, stay code.
 */
export function drawableSource(source: string): string | null {
  const normalized = source.replace(/\r\n?/g, '\n');
  if (isTooLong(normalized)) return null;
  const { title, text } = withoutConfiguration(normalized);
  if (text.startsWith('---') || text.includes('%%{') || hasYamlReference(text) || repeats(text)) return null;
  // A string of JSON is also one of YAML.
  return title === undefined ? text : `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`;
}

const frontMatter = /^---[^\S\n]*\n([\s\S]*?)^[^\S\n]*---[^\S\n]*(?:\n|$)/m;
const directive = /%%\{[\s\S]*?\}%%/g;
const comment = /^\s*%%(?!\{).*\n?/gm;

/** Without one part, the text around it can be another one. */
const maxRounds = 5;

function withoutConfiguration(source: string): { title?: string; text: string } {
  let title: string | undefined;
  let text = source;
  for (let round = 0; round < maxRounds; round += 1) {
    text = text.trimStart();
    const [matter = '', yaml = ''] = text.startsWith('---') ? (frontMatter.exec(text) ?? []) : [];
    title ??= titleIn(yaml);
    text = text.slice(matter.length).replace(directive, '').replace(comment, '');
  }
  return { text, ...(title !== undefined && { title }) };
}

function titleIn(yaml: string): string | undefined {
  const [, value] = /^\s*title:[^\S\n]+(\S.*?)\s*$/m.exec(yaml) ?? [];
  return value?.replace(/^(["'])(.*)\1$/, '$2');
}

function isTooLong(source: string): boolean {
  const lines = source.split('\n');
  return (
    source.length > maxSourceCharacters ||
    source.split(/[\n;]/).length > maxStatements ||
    lines.some((line) => line.length > maxLineCharacters)
  );
}

/** Returns whether the attributes of a node, `A@{ … }`, which are YAML, name a value so that it can be repeated. */
function hasYamlReference(text: string): boolean {
  return text.includes('@{') && /[\s,:[{]&\w/.test(text);
}

/** Mermaid draws a packet bit by bit. The labels at the ends of lines are no numbers of bits. */
const isPacket = /^\s*packet/m;
const label = /:[^\S\n]*"[^"\n]*"[^\S\n]*$/gm;
const maxBit = 9999;
const maxSumOfBits = 99_999;

/** Mermaid draws each of these spaces as a block. */
const isBlockDiagram = /^\s*block/m;
const maxSpaces = 500;

/** If days are excluded, Mermaid counts the days of each task one by one, again for each task that follows another one. */
const isGantt = /^\s*gantt/m;
const excludedDays = /^\s*excludes\s/m;
const maxCountedDays = 150_000;

function countedDays(text: string): number {
  const tasks = text.split('\n').filter((line) => line.includes(':')).length;
  const years = numbersIn(text, /\b(\d{4})\b/g);
  const daysOfUnit: Readonly<Record<string, number>> = { d: 1, w: 7, M: 31, y: 366 };
  const durations = Array.from(
    text.matchAll(/\b(\d+)(?:\.\d+)?([dwMy])\b/g),
    ([, count, unit = '']) => Number(count) * (daysOfUnit[unit] ?? 0),
  );
  // A longer number can be a time in milliseconds.
  const hasTimestamp = /\d{5}/.test(text);
  const yearSpan = years.length === 0 ? 1 : Math.max(...years) - Math.min(...years) + 1;
  return hasTimestamp ? Number.POSITIVE_INFINITY : tasks * Math.max(366 * yearSpan, ...durations);
}

function repeats(text: string): boolean {
  if (isGantt.test(text) && excludedDays.test(text)) return countedDays(text) > maxCountedDays;
  if (isPacket.test(text)) {
    const bits = numbersIn(text.replace(label, ':'), /(\d+)/g);
    return bits.some((bit) => bit > maxBit) || sumOf(bits) > maxSumOfBits;
  }
  return isBlockDiagram.test(text) && sumOf(numbersIn(text, /space\s*:\s*(\d+)/g)) > maxSpaces;
}

const numbersIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, digits]) => Number(digits));

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
