import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { expect } from 'chai';
import compile from 'icu-minify/compile';
import { describe, it } from 'mocha';
import { browserNotice } from '../../../client/language/browser-notice.ts';
import { loadMessages } from '../../../client/language/interface-language.ts';
import { languages, languageTags } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';

/** Words that German, French or Spanish share with English: names, keys, units and others. */
const shared =
  /^(Advisory|Chat|Enter|Esc|Shift|min|Assistant|Code|Conversations?|Demo|Details|Message|Normal|Notifications|Offline|Question|Suggestions|System|optional)$/;

/** Messages whose values come in another order than in English, because the grammar of the language requires it. */
const reordered: Partial<Record<(typeof languageTags)[number], readonly string[]>> = {
  es: ['fieldErrors.tooLong'],
  fr: ['fieldErrors.tooLong'],
  ja: ['deviceData.used', 'retrying.again', 'versions.questionShown', 'versions.replyShown'],
};

/** Messages that end with the title of a conversation in some languages, and the one that replaces them for several conversations. */
const endsDiffer = ['undo.deleted', 'undo.deletedSeveral'];

const inEnglish: Readonly<Record<string, string>> = { ...flat(english), browserNotice: browserNotice.en };

for (const language of languageTags) {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();

  async function wrong(isRight: (message: string, inEnglish: string) => boolean): Promise<string[]> {
    const entries = Object.entries({ ...flat(await loadMessages(language)), browserNotice: browserNotice[language] });
    return entries.filter(([key, message]) => !isRight(message, inEnglish[key] ?? '')).map(([key]) => key);
  }

  describe(`the messages in ${languages[language].name}`, () => {
    const expectedCategories = pluralCategories.toSorted().join();
    const rules: Record<string, (message: string, inEnglish: string) => boolean> = {
      'are ICU MessageFormat that the build can compile': (message) => message !== '' && isCompiled(message),
      'name the same values and elements as the English ones': (message, other) =>
        namesIn(message).join() === namesIn(other).join(),
      'use each text value as often as the English ones': (message, other) =>
        textsIn(message).join() === textsIn(other).join(),
      'have the same select cases as the English ones': (message, other) =>
        selectsIn(other).every(({ value, options }) =>
          selectsIn(message).some(
            (said) => said.value === value && Object.keys(said.options).join() === Object.keys(options).join(),
          ),
        ),
      [`have every plural category of the language: ${pluralCategories.join(', ')}`]: (message) =>
        pluralsIn(message).every(({ options }) => categoriesOf(options).toSorted().join() === expectedCategories),
      'handle zero separately wherever the English message does': (message, other) =>
        pluralsIn(other).every(
          ({ value, options }) =>
            !hasZeroCase(options) ||
            pluralsIn(message).some((said) => said.value === value && hasZeroCase(said.options)),
        ),
      'have as many lines as the English ones': (message, other) =>
        message.split('\n').length === other.split('\n').length,
      'close every directional isolate': (message) =>
        message.match(/[\u2066-\u2068]/g)?.length === message.match(/\u2069/g)?.length,
      'are translated, except for words that both languages share': (message, other) =>
        language === 'en' || message !== other || wordsIn(message).every((word) => shared.test(word)),
    };
    for (const [rule, isRight] of Object.entries(rules)) {
      it(rule, async () => {
        expect(await wrong(isRight)).to.deep.equal([]);
      });
    }

    it('use the values in the same order as the English ones, except where the grammar requires another order', async () => {
      const isSame = (message: string, other: string) => valuesIn(message).join() === valuesIn(other).join();
      expect((await wrong(isSame)).toSorted()).to.deep.equal(reordered[language] ?? []);
    });

    it('end with the same kind of punctuation as the English ones', async () => {
      const isSame = (message: string, other: string) => endOf(message) === endOf(other);
      const ended = (await wrong(isSame)).filter((key) => !endsDiffer.includes(key));
      expect(ended).to.deep.equal([]);
    });

    it('use the names of days and units of time that are usual in the language', async () => {
      const { conversations, duration, later } = { ...english, ...(await loadMessages(language)) };
      const day = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
      expect(conversations.today.toLowerCase()).to.equal(day.format(0, 'day'));
      expect(conversations.yesterday.toLowerCase()).to.equal(day.format(-1, 'day'));
      expect(later.tomorrow).to.match(new RegExp(`^${day.format(1, 'day')}(?!\\p{L})`, 'u'));
      expect(conversations.week).to.include(unitNames('day', language)[0]);
      const words = [...wordsIn(duration.hours, 1), ...wordsIn(duration.minutes, 1), ...wordsIn(duration.seconds, 1)];
      const units = ['hour', 'minute', 'minute', 'second', 'second'] as const;
      expect(words).to.have.length(units.length);
      for (const [index, unit] of units.entries()) {
        expect([symbols[unit], ...unitNames(unit, language)]).to.include(words[index]);
      }
    });

    it('differ from those of every other language', async () => {
      const said = Object.values(flat(await loadMessages(language)));
      for (const other of languageTags.filter((tag) => tag !== language)) {
        const same = Object.values(flat(await loadMessages(other))).filter((message, index) => message === said[index]);
        expect(same.length / said.length, `as in ${languages[other].name}`).to.be.below(0.1);
      }
    });
  });
}

function flat(messages: Awaited<ReturnType<typeof loadMessages>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(messages).flatMap(([part, ofPart]) =>
      Object.entries(ofPart).map(([key, message]) => [`${part}.${key}`, message]),
    ),
  );
}

const hasZeroCase = (options: object) => '=0' in options || 'zero' in options;

function isCompiled(message: string): boolean {
  try {
    compile(message);
    return true;
  } catch {
    return false;
  }
}

/** Returns the words of a message, without values, punctuation and words shorter than `minLetters`. */
function wordsIn(message: string, minLetters = 2): string[] {
  return elementsOf(message)
    .flatMap((element) => (element.type === TYPE.literal ? (element.value.match(/\p{L}+/gu) ?? []) : []))
    .filter((word) => word.length >= minLetters);
}

/** The SI symbols, which languages with Latin letters can use instead of their own abbreviations. */
const symbols = { hour: 'h', minute: 'min', second: 's' };

/** Returns the long, short and narrow name of a unit in the plural. */
function unitNames(unit: string, language: string): string[] {
  return (['long', 'short', 'narrow'] as const).map((unitDisplay) => {
    const parts = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).formatToParts(5);
    return parts.find(({ type }) => type === 'unit')?.value ?? '';
  });
}

/** Returns the kind of the punctuation at the end: the same sign for that of every language, or an empty string. */
function endOf(message: string): string {
  // A plural ends like its cases.
  const [last = ''] = message.replace(/[\s}”»“」]+$/u, '').slice(-1);
  const kinds: Readonly<Record<string, string>> = { '。': '.', '？': '?', '؟': '?', '：': ':' };
  const kind = kinds[last] ?? last;
  return '.?:…'.includes(kind) ? kind : '';
}

function namesIn(message: string): string[] {
  const names = elementsOf(message).flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    return [`${parameters[element.type]} ${element.value}`];
  });
  return [...new Set(names)].toSorted();
}

/** Returns the values of a message, in the order of their first use. */
function valuesIn(message: string): string[] {
  const values = elementsOf(message).flatMap((element) => {
    const isValue = element.type !== TYPE.literal && element.type !== TYPE.pound && element.type !== TYPE.tag;
    return isValue ? [element.value] : [];
  });
  return [...new Set(values)];
}

function textsIn(message: string): string[] {
  return elementsOf(message)
    .flatMap((element) => (element.type === TYPE.argument ? [element.value] : []))
    .toSorted();
}

/** Maps each kind of ICU element to the type of its value. Translations can use different kinds. */
const parameters = {
  [TYPE.argument]: 'text',
  [TYPE.select]: 'text',
  [TYPE.number]: 'number',
  [TYPE.plural]: 'number',
  [TYPE.date]: 'date',
  [TYPE.time]: 'date',
  [TYPE.tag]: 'element',
} as const;

const selectsIn = (message: string) => elementsOf(message).filter((element) => element.type === TYPE.select);

const pluralsIn = (message: string) => elementsOf(message).filter((element) => element.type === TYPE.plural);

/** Returns the plural categories, without exact numbers. */
const categoriesOf = (options: object): string[] => Object.keys(options).filter((option) => !option.startsWith('='));

const elementsOf = (message: string): MessageFormatElement[] => withInner(parse(message));

function withInner(elements: readonly MessageFormatElement[]): MessageFormatElement[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.tag) return [element, ...withInner(element.children)];
    if (element.type !== TYPE.select && element.type !== TYPE.plural) return [element];
    return [element, ...Object.values(element.options).flatMap(({ value }) => withInner(value))];
  });
}
