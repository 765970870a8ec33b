import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { dataSection, readDataSection } from '../../../server/prompt/layers.ts';
import { hostileText, runs } from './hostile-text.ts';

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

  it('has neither angle brackets nor line breaks between its tags, whatever the text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(dataSection({ text })).to.match(/^<data>[^<>\n\v\f\r\u0085\u2028\u2029]*<\/data>$/);
      }),
      runs,
    );
  });
});

describe('readDataSection', () => {
  it('gives back any text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(readDataSection(`# Heading\n\n${dataSection(text)}\n\nMore.`)).to.equal(text);
      }),
      runs,
    );
  });

  it('gives back any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(readDataSection(dataSection(value)))).to.equal(JSON.stringify(value));
      }),
      runs,
    );
  });

  it('is undefined where there is no section', () => {
    expect(readDataSection('# L1 Role and remit')).to.equal(undefined);
  });

  it('throws where the section holds no JSON', () => {
    expect(() => readDataSection('<data>week 3</data>')).to.throw(SyntaxError);
  });
});
