import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readDocument } from '../support/document.ts';
import { readRoomImports } from './rooms/room-imports.ts';

describe('docs/architecture.md', () => {
  it('has a line for each room', () => {
    const folders = readDocument('docs/architecture.md').codeUnder('## Folders', '');
    for (const room of readRoomImports().keys()) expect(folders).to.match(new RegExp(`^${room}/ `, 'm'));
  });
});
