import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'vite';
import { root } from '../../support/served-process.ts';

/** Each room, in alphabetical order, with the rooms that its files import from, types included. */
export function readRoomImports(): Map<string, Set<string>> {
  const files = globSync('{client,server,shared}/**/*.{ts,tsx}', { cwd: root }).sort();
  const rooms = new Map<string, Set<string>>();
  for (const file of files) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const imported = rooms.get(room) ?? new Set();
    rooms.set(room, imported);
    for (const other of importedBy(file).map(roomOf)) if (other !== undefined && other !== room) imported.add(other);
  }
  return rooms;
}

/** The room of a file: `server/chat`, `client/chat`, `shared`. A file that joins rooms, such as `server/app.ts`, has none. */
export function roomOf(file: string): string | undefined {
  const [side = '', room = '', ...inside] = file.split('/');
  if (side === 'shared') return side;
  return inside.length > 0 ? `${side}/${room}` : undefined;
}

/** The project's own files that a file imports, as paths from the root. */
function importedBy(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ];
  return specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)));
}
