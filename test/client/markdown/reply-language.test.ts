import { expect } from 'chai';
import { describe, it } from 'mocha';
import { languageOf } from '../../../client/markdown/reply-language.ts';

describe('languageOf', () => {
  for (const [text, language] of [
    ['Most of the lead time is waiting, and that is where to start.', 'en'],
    ['Der größte Teil der Durchlaufzeit ist Warten, und das ist der Anfang.', 'de'],
    ['Les pièces attendent dans le hall, et le délai est dû à une règle.', 'fr'],
    ['Las piezas esperan en el taller, y el plazo es por una regla.', 'es'],
    ['部品は待っています。', undefined],
    ['Wait.', undefined],
    ['The plan of the day: der Plan ist da und fertig.', undefined],
  ] as const) {
    it(`returns ${language} for “${text}”`, () => {
      expect(languageOf(text)).to.equal(language);
    });
  }
});
