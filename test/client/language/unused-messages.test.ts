import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseSync } from 'vite';
import { messages } from '../../../client/language/messages/en.ts';
import { messages as laterMessages } from '../../../client/language/messages/en-later.ts';
import { root } from '../../support/served-process.ts';

type SourceFile = {
  words: ReadonlySet<string>;
  templateTexts: readonly string[];
  /** The groups of messages that it loads by name. */
  parts: readonly string[];
  imports: readonly string[];
  /** Those of the imports that the build removes. */
  typeImports: readonly string[];
  lazyImports: readonly string[];
};

const paths = globSync('client/**/*.{ts,tsx}', { cwd: root, exclude: ['client/language/messages/**'] });
const files = new Map(paths.map((path) => [path, read(path)]));

/** The server names a sign-in problem in a query parameter, so no file of the client needs to name it. */
const namedByTheServer = ['signInProblems'];

describe('each message', () => {
  it('is used by a file that loads its group of messages, or by a file that such a file imports', () => {
    const unused = Object.entries(messages).flatMap(([part, ofPart]) =>
      namedByTheServer.includes(part)
        ? []
        : Object.keys(ofPart)
            .filter((key) => !isUsed(part, key))
            .map((key) => `${part}.${key}`),
    );
    expect(unused).to.deep.equal([]);
  });
});

describe('each message of en-later.ts', () => {
  it('is loaded no later than the modules that show it', () => {
    expect(tooEarly('client/main.tsx', false)).to.deep.equal([]);
  });
});

/** Returns the modules that `entry` loads, at once or lazily, and that show messages which are not loaded by then. */
function tooEarly(entry: string, areLoaded: boolean): string[] {
  const modules = new Set([entry]);
  for (const path of modules) {
    const { imports = [], typeImports = [] } = files.get(path) ?? {};
    for (const imported of imports) if (!typeImports.includes(imported)) modules.add(imported);
  }
  const areLoadedNow = areLoaded || modules.has('client/language/messages/en.ts');
  return [...modules].flatMap((path) => {
    const { parts = [], lazyImports = [] } = files.get(path) ?? {};
    const isTooEarly = !areLoadedNow && parts.some((part) => part in laterMessages);
    return [...(isTooEarly ? [path] : []), ...lazyImports.flatMap((lazy) => tooEarly(lazy, areLoadedNow))];
  });
}

function isUsed(part: string, key: string): boolean {
  const users = [...files.values()].filter(({ words }) => words.has(part));
  const imported = users.flatMap(({ imports }) => imports.flatMap((path) => files.get(path) ?? []));
  // Some keys are built from a variable and a fixed text, as in `${problem}Next`.
  const isBuilt = users.some(({ templateTexts }) =>
    templateTexts.some((text) => key.endsWith(text) || key.startsWith(text)),
  );
  return isBuilt || [...users, ...imported].some(({ words }) => words.has(key));
}

/** Reads the names, strings and imports of a file. Its comments do not count. */
function read(path: string): SourceFile {
  const words = new Set<string>();
  const templateTexts: string[] = [];
  const source = readFileSync(join(root, path), 'utf8');
  const { program, module } = parseSync(path, source);
  JSON.stringify(program, (_, node) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') words.add(node.value);
    if (node?.type === 'Identifier') words.add(node.name);
    if (node?.type === 'TemplateElement' && node.value.cooked) templateTexts.push(node.value.cooked);
    return typeof node === 'bigint' ? undefined : node;
  });
  const fromHere = (imported: string) => normalize(join(dirname(path), imported));
  const imports = module.staticImports.map(({ moduleRequest }) => fromHere(moduleRequest.value));
  const typeImports = module.staticImports
    .filter(({ entries }) => entries.length > 0 && entries.every(({ isType }) => isType))
    .map(({ moduleRequest }) => fromHere(moduleRequest.value));
  const lazyImports = Array.from(source.matchAll(/\bimport\('(.+?)'\)/g), ([, imported = '']) => fromHere(imported));
  const parts = Array.from(source.matchAll(/useTranslations\('(\w+)'\)/g), ([, part = '']) => part);
  return { words, templateTexts, parts, imports, typeImports, lazyImports };
}
