import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { expect } from 'chai';
import compile from 'icu-minify/compile';
import { describe, it } from 'mocha';
import { loadMessages } from '../../../client/language/interface-language.ts';
import { languages, languageTags } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';

/** Names, keys, units, and words that German, French or Spanish share with English. */
const shared = /^(Advisory|Chat|Enter|Shift|min|Assistant|Code|Conversations?|Demo|Message|Normal|Question|optional)$/;

const inEnglish = flat(english);

for (const language of languageTags) {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();

  /** The keys of the messages in `language` that are not as `isRight` has them, beside the same in English. */
  async function wrong(isRight: (message: string, inEnglish: string) => boolean): Promise<string[]> {
    const said = Object.entries(flat(await loadMessages(language)));
    return said.filter(([key, message]) => !isRight(message, inEnglish[key] ?? '')).map(([key]) => key);
  }

  describe(`what the interface says in ${languages[language].name}`, () => {
    it('is all that it says in English, and no more', async () => {
      expect(Object.keys(flat(await loadMessages(language)))).to.deep.equal(Object.keys(inEnglish));
    });

    it('is ICU MessageFormat that the build takes', async () => {
      expect(await wrong((message) => message !== '' && isCompiled(message))).to.deep.equal([]);
    });

    it('has the values and the elements that it has in English', async () => {
      const isSame = (message: string, other: string) => namesIn(message).join() === namesIn(other).join();
      expect(await wrong(isSame)).to.deep.equal([]);
    });

    it('tells apart what English tells apart by name', async () => {
      const isSame = (message: string, other: string) =>
        selectsIn(other).every(({ value, options }) =>
          selectsIn(message).some(
            (said) => said.value === value && Object.keys(said.options).join() === Object.keys(options).join(),
          ),
        );
      expect(await wrong(isSame)).to.deep.equal([]);
    });

    it(`counts in the ways of the language: ${pluralCategories.join(', ')}`, async () => {
      const expected = pluralCategories.toSorted().join();
      const isCounted = (message: string) =>
        pluralsIn(message).every(({ options }) => categoriesOf(options).toSorted().join() === expected);
      expect(await wrong(isCounted)).to.deep.equal([]);
    });

    it('has words of their own for none where English has', async () => {
      const saysNone = (options: object) => '=0' in options || 'zero' in options;
      const isSame = (message: string, other: string) =>
        pluralsIn(other).every(
          ({ value, options }) =>
            !saysNone(options) || pluralsIn(message).some((said) => said.value === value && saysNone(said.options)),
        );
      expect(await wrong(isSame)).to.deep.equal([]);
    });

    it('has as many lines as in English', async () => {
      const lines = (message: string) => message.split('\n').length;
      expect(await wrong((message, other) => lines(message) === lines(other))).to.deep.equal([]);
    });

    it('ends each isolate of the other direction that it begins', async () => {
      const isEnded = (message: string) =>
        (message.match(/[\u2066-\u2068]/g) ?? []).length === (message.match(/\u2069/g) ?? []).length;
      expect(await wrong(isEnded)).to.deep.equal([]);
    });

    it('is not what another language says', async () => {
      const said = Object.values(flat(await loadMessages(language)));
      for (const other of languageTags.filter((tag) => tag !== language)) {
        const same = Object.values(flat(await loadMessages(other))).filter((message, index) => message === said[index]);
        expect(same.length / said.length, `as in ${languages[other].name}`).to.be.below(0.1);
      }
    });

    if (language === 'en') return;

    it('is not English, but for what is the same in both', async () => {
      const isOther = (message: string, other: string) =>
        message !== other || wordsIn(message).every((word) => shared.test(word));
      expect(await wrong(isOther)).to.deep.equal([]);
    });
  });
}

/** Every message by its part and its key. */
function flat(messages: Awaited<ReturnType<typeof loadMessages>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(messages).flatMap(([part, ofPart]) =>
      Object.entries(ofPart).map(([key, message]) => [`${part}.${key}`, message]),
    ),
  );
}

function isCompiled(message: string): boolean {
  try {
    compile(message);
    return true;
  } catch {
    return false;
  }
}

/** What is said in words, and not by values, signs and single letters alone. */
function wordsIn(message: string): string[] {
  return elementsOf(message).flatMap((element) =>
    element.type === TYPE.literal ? (element.value.match(/\p{L}{2,}/gu) ?? []) : [],
  );
}

/** The names of the values and the elements of a message, each with what has to be given for it. */
function namesIn(message: string): string[] {
  const names = elementsOf(message).flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    return [`${given[element.type]} ${element.value}`];
  });
  return [...new Set(names)].toSorted();
}

/** What is given for an element of a message: which of several ways it is said in is a matter of the language. */
const given = {
  [TYPE.argument]: 'text',
  [TYPE.select]: 'text',
  [TYPE.number]: 'number',
  [TYPE.plural]: 'number',
  [TYPE.date]: 'date',
  [TYPE.time]: 'date',
  [TYPE.tag]: 'element',
} as const;

function selectsIn(message: string) {
  return elementsOf(message).filter((element) => element.type === TYPE.select);
}

function pluralsIn(message: string) {
  return elementsOf(message).filter((element) => element.type === TYPE.plural);
}

/** Without the exact numbers. */
function categoriesOf(options: object): string[] {
  return Object.keys(options).filter((option) => !option.startsWith('='));
}

/** The elements of a message, those within others too. */
function elementsOf(message: string): MessageFormatElement[] {
  return withInner(parse(message));
}

function withInner(elements: readonly MessageFormatElement[]): MessageFormatElement[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.tag) return [element, ...withInner(element.children)];
    if (element.type !== TYPE.select && element.type !== TYPE.plural) return [element];
    return [element, ...Object.values(element.options).flatMap(({ value }) => withInner(value))];
  });
}
