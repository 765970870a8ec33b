export const documentPath = 'docs/architecture.md';

const sides = ['server', 'client'] as const;

const beginning = (side: string) => `<!-- rooms of ${side}: written by npm run rooms-picture -->\n`;
const ending = (side: string) => `<!-- end of the rooms of ${side} -->`;

/** The document with a picture of the rooms between each pair of marks, in place of the one that is there. */
export function withPictures(document: string, rooms: Map<string, Set<string>>): string {
  return sides.reduce((text, side) => {
    const [before, rest] = text.split(beginning(side));
    const [, after] = rest?.split(ending(side)) ?? [];
    if (before === undefined || after === undefined) throw new Error(`${documentPath} has no marks for ${side}.`);
    return `${before}${beginning(side)}\n\`\`\`mermaid\n${drawRooms(side, rooms)}\`\`\`\n\n${ending(side)}${after}`;
  }, document);
}

/** One side's rooms as a Mermaid flowchart. Round ends stand for an import from `shared`. */
export function drawRooms(side: string, rooms: Map<string, Set<string>>): string {
  const mine = [...rooms].filter(([room]) => room.startsWith(`${side}/`));
  const name = (room: string) => room.slice(side.length + 1);
  const boxes = mine.map(([room, imported]) =>
    imported.has('shared') ? `${name(room)}([${name(room)}])` : `${name(room)}[${name(room)}]`,
  );
  const arrows = mine.flatMap(([room, imported]) =>
    [...imported]
      .filter((other) => other !== 'shared')
      .sort()
      .map((other) => `${name(room)} --> ${name(other)}`),
  );
  return ['flowchart TD', ...[...boxes, ...arrows].map((line) => `  ${line}`), ''].join('\n');
}
