import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, normalize } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseSync } from 'vite';
import { root } from './support/served-process.ts';

/**
 * A room is a directory directly in `server` or `client`, or `shared` or `client-package` (docs/architecture.md, Rooms). Each
 * row lists the rooms from which a room of this side may import, including types. A room's row follows the rows of all rooms
 * that it imports from, so there is no cycle. Files directly in `server` and `client` may import any room of their side. A room
 * may import such a file if the file imports no room except `shared`, or if the room's row names the file. The rooms within a
 * room, such as `database/schema`, follow the same rules.
 */
const mayImport: Record<string, Record<string, string>> = {
  server: {
    engagement: 'shared',
    process: '',
    http: 'shared',
    pages: 'shared http',
    postgres: '',
    redis: '',
    prompt: 'shared engagement',
    'database/schema': 'shared engagement postgres',
    'database/serving': 'shared engagement postgres',
    'database/operators': 'shared engagement postgres database/schema database/serving',
    database: 'shared engagement postgres',
    config: 'shared postgres redis',
    limits: 'shared redis',
    model: 'shared prompt',
    metrics: 'shared http',
    tracing: 'shared http database model',
    auth: 'shared http database',
    onboarding: 'shared http database',
    chat: 'shared http database limits model prompt',
    embedded: 'shared http auth prompt',
    doctor: 'shared process http auth postgres redis prompt database config limits model',
    startup: 'shared http auth chat config database embedded limits metrics model pages redis tracing',
    admin: 'shared http engagement database config process startup',
  },
  client: {
    chat: 'shared',
    browser: '',
    device: 'shared chat',
    library: 'shared chat device',
    controls: 'browser',
    language: 'shared chat',
    diagram: '',
    rendering: '',
    'markdown/parsing': '',
    'markdown/tables': 'browser controls language markdown/parsing markdown/inline-view.tsx',
    markdown: 'shared browser device controls language diagram rendering',
    reading: 'chat',
    session: 'shared device',
    onboarding: 'shared device controls session',
    commands: 'device library controls language',
    documents: 'chat browser device library controls markdown',
    settings: 'chat browser device library controls language commands documents',
    turns: 'shared chat session settings',
    'ui/page': 'shared chat browser device library controls session commands documents settings turns',
    'ui/turn':
      'shared chat browser library controls markdown reading rendering session commands documents turns ui/page',
    'ui/list': 'shared browser device library controls rendering commands settings ui/page',
    ui: 'chat browser controls markdown reading documents turns',
    'pages/demo-chat': 'shared chat browser device library controls markdown session commands documents turns ui',
    'pages/live-chat':
      'shared chat browser device library controls language markdown reading session onboarding commands documents turns ui',
    pages:
      'shared chat browser device library controls language markdown rendering reading session onboarding commands documents settings turns ui',
  },
};

/** Maps each room's path, such as `server/chat`, to the paths that it may import from. */
const rows = new Map([
  ['shared', []],
  ...Object.entries(mayImport).flatMap(([side, rooms]) =>
    Object.entries(rooms).map(([room, row]): [string, string[]] => [
      `${side}/${room}`,
      row
        .split(' ')
        .filter((name) => name !== '')
        .map((name) => (name === 'shared' ? name : `${side}/${name}`)),
    ]),
  ),
  ['client-package', ['shared', 'client/chat']],
]);

const packageOfOneRoom = [
  { package: /^(@mikro-orm|@electric-sql)\//, room: 'server/database' },
  { package: /^@anthropic-ai\//, room: 'server/model' },
];

/** Rooms that are independent of React, so that mocha tests them without a page. */
const headless = ['client/chat', 'client/device', 'client/library', 'client-package'];
const packagesOfPages = /^(react|react-dom|use-intl|wouter)(\/|$)|^@tanstack\//;

/** `names` are the imported exports. `*` stands for all of them. */
type Import = {
  file: string;
  room: string;
  specifier: string;
  imported: string;
  importedRoom: string;
  names: string[];
};

const files = globSync('{client,client-package,server,shared}/**/*.{ts,tsx}', { cwd: root });
const imports = files.flatMap(importsOf);
const withinRooms = imports.filter(({ room }) => isRoom(room));
const joining = new Set(
  imports.filter(({ room, importedRoom }) => isWithin(importedRoom, room)).map(({ file }) => file),
);

describe('a source directory', () => {
  it('is in the table of allowed imports, which has no other directories', () => {
    expect([...rows.keys()]).to.have.members([...new Set(files.map(roomOf).filter(isRoom))]);
  });

  it('comes in the table after all directories that it may import from', () => {
    const rooms = [...rows.keys()];
    for (const [index, room] of rooms.entries())
      for (const other of rows.get(room) ?? [])
        if (isRoom(other)) expect(rooms.slice(0, index), `${room} imports from ${other}`).to.include(other);
  });

  it('imports only from the directories that the table allows', () => {
    const refused = withinRooms.filter(({ room, specifier, imported, importedRoom }) => {
      // A style sheet belongs to the page. The component imports it, so that both are loaded together.
      if (!specifier.startsWith('.') || importedRoom === room || specifier.endsWith('.css')) return false;
      const row = rows.get(room) ?? [];
      if (isWithin(room, importedRoom)) return joining.has(imported) && !row.includes(imported);
      return ![room, ...row].some((other) => importedRoom === other || isWithin(importedRoom, other));
    });
    expect(describeImports(refused)).to.deep.equal([]);
  });

  it('imports no package that is reserved for another directory or for pages', () => {
    const refused = withinRooms.filter(
      ({ room, specifier }) =>
        !specifier.startsWith('.') &&
        (packageOfOneRoom.some(
          (rule) => rule.package.test(specifier) && rule.room !== room && !isWithin(room, rule.room),
        ) ||
          (headless.includes(room) && packagesOfPages.test(specifier)) ||
          (room === 'shared' && !/^zod(\/|$)/.test(specifier))),
    );
    expect(describeImports(refused)).to.deep.equal([]);
  });
});

describe('a file directly in server or client', () => {
  it('imports only from its own top-level directory and from shared, and no reserved package', () => {
    const refused = imports.filter(({ room, specifier, importedRoom }) => {
      if (isRoom(room)) return false;
      if (!specifier.startsWith('.')) return packageOfOneRoom.some((rule) => rule.package.test(specifier));
      return importedRoom !== 'shared' && importedRoom.split('/')[0] !== room;
    });
    expect(describeImports(refused)).to.deep.equal([]);
  });
});

describe('the name of a source file', () => {
  it('is unique within its top-level directory, except for the entries `main` of the programs', () => {
    const names = files.map((file) => `${file.split('/')[0]} ${basename(file).replace(/\..*/, '')}`);
    const repeated = names.filter((name, index) => names.indexOf(name) !== index && !name.endsWith(' main'));
    expect(repeated).to.deep.equal([]);
  });
});

/** The files directly in `client-package` are the API of the published package. */
const isPublished = (file: string) => dirname(file) === 'client-package';

describe('an export of the product', () => {
  const others = globSync('{{test,bench,docs}/**/*,vite.config}.{ts,tsx}', { cwd: root });
  const withNames = [...imports, ...others.flatMap(importsOf)].flatMap(({ file, imported, names }) =>
    names.map((name) => ({ file, imported, name })),
  );
  const importersOf = (file: string, name: string) =>
    withNames.filter((each) => each.imported === file && [name, '*'].includes(each.name)).map((each) => each.file);
  const exported = files
    .filter((file) => !isPublished(file))
    .flatMap((file) => exportsOf(file).map((name) => ({ file, name, importers: importersOf(file, name) })));

  it('is imported by another file', () => {
    const unused = exported.filter(({ importers }) => importers.length === 0);
    expect(unused.map(({ file, name }) => `${file} exports ${name}`)).to.deep.equal([]);
  });

  it('is used by the product, not only by tests', () => {
    const unused = exported.filter(
      ({ file, name, importers }) =>
        importers.every((importer) => /^(test|bench)\//.test(importer)) && !isUsedIn(file, name),
    );
    expect(unused.map(({ file, name }) => `${file} exports ${name}`)).to.deep.equal([]);
  });
});

function exportsOf(file: string): string[] {
  const { staticExports } = parseSync(file, readFileSync(join(root, file), 'utf8')).module;
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? 'default'));
}

/** Returns whether a file uses a name that it declares. */
function isUsedIn(file: string, name: string): boolean {
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  let occurrences = 0;
  JSON.stringify(program, (_key, node) => {
    if (/Identifier$/.test(node?.type) && node.name === name) occurrences += 1;
    return node;
  });
  return occurrences > 1;
}

function isRoom(room: string): boolean {
  return room !== 'server' && room !== 'client' && !/\.tsx?$/.test(room);
}

/** Returns the innermost room, such as `server/chat` or `shared`, or `server` or `client` for a file directly in them. */
function roomOf(file: string): string {
  const [side = '', room = '', inner = ''] = file.split('/');
  if (!matchesGlob(file, '{client,server}/*/**')) return side;
  return rows.has(`${side}/${room}/${inner}`) ? `${side}/${room}/${inner}` : `${side}/${room}`;
}

function isWithin(room: string, outer: string): boolean {
  return room.startsWith(`${outer}/`);
}

/** Returns the imports of a file: package names, and project files as paths relative to the root. */
function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  const found = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      names: entries.map(({ importName: { kind, name } }) => (kind === 'Default' ? 'default' : (name ?? '*'))),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest, importName }) => ({
        specifier: moduleRequest?.value ?? '',
        names: [importName.name ?? '*'],
      })),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      specifier: source.slice(start + 1, end - 1),
      names: ['*'],
    })),
  ];
  return found
    .filter(({ specifier }) => specifier !== '')
    .map(({ specifier, names }) => {
      const imported = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
      return { file, room: roomOf(file), specifier, imported, importedRoom: roomOf(imported), names };
    });
}

const describeImports = (refused: Import[]) => refused.map(({ file, specifier }) => `${file} imports ${specifier}`);
