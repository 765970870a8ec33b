import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { readRoomImports, roomOf } from './rooms/room-imports.ts';
import { documentPath, drawRooms, withPictures } from './rooms/rooms-picture.ts';

const rooms = readRoomImports();

describe('The picture of the rooms', () => {
  it('is in docs/architecture.md as the imports have it: npm run rooms-picture writes it', () => {
    const text = readText(documentPath);
    expect(text).to.equal(withPictures(text, rooms));
  });

  it('gives each room a box, round where it imports from shared, and each import an arrow', () => {
    const imports = new Map([
      ['server/chat', new Set(['server/model', 'shared'])],
      ['server/model', new Set<string>()],
      ['client/ui', new Set<string>()],
    ]);
    expect(drawRooms('server', imports)).to.equal('flowchart TD\n  chat([chat])\n  model[model]\n  chat --> model\n');
  });

  it('leaves out the files that join rooms', () => {
    expect(roomOf('server/app.ts')).to.equal(undefined);
    expect(roomOf('server/http/replies/text-reply.ts')).to.equal('server/http');
    expect(roomOf('shared/errors.ts')).to.equal('shared');
  });
});

describe('The rooms', () => {
  it('of the server never import from the client, nor the other way round', () => {
    for (const [room, imported] of rooms) {
      const [side = ''] = room.split('/');
      for (const other of imported)
        expect([side, 'shared'], `${room} imports from ${other}`).to.include(other.split('/')[0]);
    }
  });

  it('of the server each have a rule of the linter of their own, which says what they may not import', () => {
    const { overrides } = JSON.parse(readText('biome.json')) as { overrides: { includes: string[] }[] };
    const ruled = overrides.flatMap(({ includes }) => includes);
    for (const room of rooms.keys()) if (room.startsWith('server/')) expect(ruled).to.include(`${room}/**`);
  });

  it('have no circle', () => {
    const seen = new Set<string>();
    const visit = (room: string, path: string[]) => {
      expect(path, [...path, room].join(' → ')).not.to.include(room);
      if (seen.has(room)) return;
      for (const other of rooms.get(room) ?? []) visit(other, [...path, room]);
      seen.add(room);
    };
    for (const room of rooms.keys()) visit(room, []);
  });
});
