import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './served-process.ts';

export const readText = (path: string) => readFileSync(join(root, path), 'utf8');

export const code = (text: string) => `\`${text}\``;

/** Reads a Markdown document of the project by its path from the root, for tests that compare its tables and examples. */
export function readDocument(path: string) {
  const text = readText(path);

  /** Returns the text under a heading, up to the next heading of level 2 or 3. */
  function section(heading: string): string {
    const [, rest] = text.split(`\n${heading}\n`);
    if (rest === undefined) throw new Error(`${path} has no "${heading}".`);
    return rest.split(/^#{2,3} /m, 1)[0] ?? '';
  }

  return {
    text,
    sectionUnder: section,

    /** Returns the cells of the table in a section, row by row, without its header. */
    tableUnder(heading: string): string[][] {
      const lines = section(heading)
        .split('\n')
        .filter((line) => line.startsWith('|'));
      return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
    },

    codeUnder(heading: string, language: string): string {
      const found = section(heading).split(`\`\`\`${language}\n`)[1]?.split('```')[0];
      if (found === undefined) throw new Error(`${path} has no code under "${heading}".`);
      return found;
    },
  };
}
