import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const home = new URL('../../../client/styles/', import.meta.url);

/** `* + *`, `li + li` and the like: no class says on either side to whom it applies. */
const withoutClass = /(?:^|[\s>(])(?:\*|[a-z]\w*)\s*[+~]\s*(?:\*|:|[a-z]\w*\b(?![.#[]))/;

describe('The styles', () => {
  it('look at no element beside another without a class: what is added to a long reply would match all of it anew', () => {
    const found = readdirSync(home).flatMap((file) => {
      const lines = readFileSync(new URL(file, home), 'utf8').split('\n');
      return lines.filter((line) => /[,{]$/.test(line) && withoutClass.test(line)).map((line) => `${file}: ${line}`);
    });
    expect(found).to.deep.equal([]);
  });
});
