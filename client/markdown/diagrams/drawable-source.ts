/** Longer diagrams would block the page in Firefox and WebKit, which run the frame on the page's thread. */
const maxSourceCharacters = 20_000;
const maxStatements = 300;
/** The time to wrap a label grows with the square of its length. */
const maxLineCharacters = 2000;

/**
 * Returns the part of `source` that Mermaid may draw, or null if the diagram is too long or repeats parts too often. Removes
 * directives and front matter, apart from a title, because they configure Mermaid, and YAML aliases can multiply their content.
 */
export function drawableSource(source: string): string | null {
  const normalized = source.replace(/\r\n?/g, '\n');
  if (isTooLong(normalized)) return null;
  const { title, text } = withoutConfiguration(normalized);
  if (text.startsWith('---') || text.includes('%%{') || hasYamlAnchor(text) || repeatsTooOften(text)) return null;
  // A JSON string is valid YAML.
  return title === undefined ? text : `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`;
}

const frontMatter = /^---[^\S\n]*\n([\s\S]*?)^[^\S\n]*---[^\S\n]*(?:\n|$)/m;
const directive = /%%\{[\s\S]*?\}%%/g;
const comment = /^\s*%%(?!\{).*\n?/gm;

/** Removing a directive can join the text around it into another one. */
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

/** Returns whether the YAML attributes of a node (`A@{ … }`) define an anchor, whose value can be repeated. */
function hasYamlAnchor(text: string): boolean {
  return text.includes('@{') && /[\s,:[{]&\w/.test(text);
}

/** Mermaid draws a packet bit by bit. Numbers in the labels at the ends of lines are not bits. */
const packetDiagram = /^\s*packet/m;
const label = /:[^\S\n]*"[^"\n]*"[^\S\n]*$/gm;
const maxBit = 9999;
const maxSumOfBits = 99_999;

const blockDiagram = /^\s*block/m;
/** Mermaid draws `space:n` as n blocks. */
const maxSpaces = 500;

/** If days are excluded, Mermaid counts the days of each task one by one, and again for each task that follows another. */
const ganttDiagram = /^\s*gantt/m;
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
  // A number of five or more digits can be a timestamp in milliseconds.
  const hasTimestamp = /\d{5}/.test(text);
  const yearSpan = years.length === 0 ? 1 : Math.max(...years) - Math.min(...years) + 1;
  return hasTimestamp ? Number.POSITIVE_INFINITY : tasks * Math.max(366 * yearSpan, ...durations);
}

function repeatsTooOften(text: string): boolean {
  if (ganttDiagram.test(text) && excludedDays.test(text)) return countedDays(text) > maxCountedDays;
  if (packetDiagram.test(text)) {
    const bits = numbersIn(text.replace(label, ':'), /(\d+)/g);
    return bits.some((bit) => bit > maxBit) || sumOf(bits) > maxSumOfBits;
  }
  return blockDiagram.test(text) && sumOf(numbersIn(text, /space\s*:\s*(\d+)/g)) > maxSpaces;
}

const numbersIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, digits]) => Number(digits));

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
