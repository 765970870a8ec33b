import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createId, isId } from '../../../server/database/ids.ts';

describe('createId', () => {
  it('makes lower-case ids of 25 characters that begin with a c, each of them new', () => {
    const ids = Array.from({ length: 1000 }, createId);
    for (const id of ids) expect(id).to.match(/^c[a-z0-9]{24}$/);
    expect(new Set(ids).size).to.equal(1000);
    expect(ids.every(isId)).to.equal(true);
  });
});

describe('isId', () => {
  it('is true for nothing else', () => {
    const id = createId();
    for (const value of ['', id.slice(1), `${id}a`, `${id}\n`, id.toUpperCase(), `d${id.slice(1)}`, [id], null, 25]) {
      expect(isId(value), JSON.stringify(value)).to.equal(false);
    }
  });
});
