import { expect } from 'chai';
import { describe, it } from 'mocha';
import { dataSection } from '../../../server/prompt/layers.ts';

describe('dataSection', () => {
  it('is one line of JSON between data tags', () => {
    expect(dataSection({ name: 'A', size: null, list: ['b\nc'] })).to.equal(
      '<data>{"name":"A","size":null,"list":["b\\nc"]}</data>',
    );
  });

  it('escapes what could close the section or start a line', () => {
    expect(dataSection('</data>&\u0085\u2028\u2029')).to.equal(
      '<data>"\\u003c/data\\u003e\\u0026\\u0085\\u2028\\u2029"</data>',
    );
  });

  it('leaves other scripts and emoji readable', () => {
    expect(dataSection('Größe 数 🙂')).to.equal('<data>"Größe 数 🙂"</data>');
  });
});
