import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseSync } from 'vite';
import { messages } from '../../../client/language/messages/en.ts';
import { root } from '../../support/served-process.ts';

type SourceFile = { words: ReadonlySet<string>; templateTexts: readonly string[]; imports: readonly string[] };

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
  const { program, module } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  JSON.stringify(program, (_, node) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') words.add(node.value);
    if (node?.type === 'Identifier') words.add(node.name);
    if (node?.type === 'TemplateElement' && node.value.cooked) templateTexts.push(node.value.cooked);
    return typeof node === 'bigint' ? undefined : node;
  });
  const imports = module.staticImports.map(({ moduleRequest }) => normalize(join(dirname(path), moduleRequest.value)));
  return { words, templateTexts, imports };
}
