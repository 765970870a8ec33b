/** The grammars that colour code, each with the other names that a code block may give its language. */
const otherNames = {
  bash: ['sh', 'shell', 'zsh', 'console'],
  csharp: ['cs', 'c#'],
  css: [],
  diff: ['patch'],
  go: ['golang'],
  java: [],
  javascript: ['js', 'jsx', 'mjs'],
  json: ['json5', 'jsonc'],
  python: ['py'],
  r: [],
  sql: ['postgres', 'postgresql', 'mysql'],
  typescript: ['ts', 'tsx'],
  xml: ['html', 'svg'],
  yaml: ['yml'],
} as const satisfies Record<string, readonly string[]>;

export type Grammar = keyof typeof otherNames;

const grammarNames = Object.keys(otherNames).filter((name): name is Grammar => Object.hasOwn(otherNames, name));

const grammarByName = new Map(
  grammarNames.flatMap((grammar) =>
    [grammar, ...otherNames[grammar]].map((name): [string, Grammar] => [name, grammar]),
  ),
);

/** The grammar for a language as a code block names it, or undefined where there is none. */
export function grammarFor(language: string): Grammar | undefined {
  return grammarByName.get(language);
}
