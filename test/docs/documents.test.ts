import { expect } from 'chai';
import { describe, it } from 'mocha';
import { generatedDocuments } from '../../docs/write.ts';
import { readText } from '../support/document.ts';

describe('npm run docs', () => {
  for (const [path, text] of generatedDocuments()) {
    it(`generates the committed ${path}`, () => {
      expect(readText(path)).to.equal(text);
    });
  }
});
