import { expect } from 'chai';
import { describe, it } from 'mocha';
import { offlinePhrases } from '../../server/embedded/offline-model/offline-phrases.ts';
import { code, readDocument } from '../support/document.ts';

describe('docs/offline-model.md', () => {
  it('lists the phrases of the offline model', () => {
    const rows = readDocument('docs/offline-model.md')
      .tableUnder('## Phrases')
      .map((cells) => cells.slice(0, 2));
    expect(rows).to.deep.equal(offlinePhrases.map(({ phrase, effect }) => [code(phrase), effect]));
  });
});
