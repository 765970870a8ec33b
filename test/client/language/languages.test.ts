import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadMessages, openInterfaceLanguage } from '../../../client/language/interface-language.ts';
import { chooseLanguage, languages, languageTags } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('chooseLanguage', () => {
  for (const [rule, preferred, language, locale, chosen] of [
    ['takes the first supported language in any variant', ['pt-BR', 'de-AT', 'fr'], 'de', 'de-AT'],
    ['takes the first variant of the language', ['de-CH', 'fr', 'de-AT'], 'de', 'de-CH'],
    ['ignores the script subtag', ['zh-Hant-TW', 'ja-JP'], 'ja', 'ja-JP'],
    ['ignores case', ['AR-eg'], 'ar', 'AR-eg'],
    ['returns English if none is supported', ['pt-BR', 'la'], 'en', 'en'],
    ['returns English without preferences', [], 'en', 'en'],
    ['returns English for invalid tags', ['', 'constructor'], 'en', 'en'],
    ['does not match a prefix of a subtag', ['fil-PH', 'est', 'arn'], 'en', 'en'],
    ['prefers the chosen language, in the variant of the browser', ['de', 'fr-CA'], 'fr', 'fr-CA', 'fr'],
    ['prefers the chosen language to all languages of the browser', ['de-CH', 'fr'], 'ja', 'ja', 'ja'],
  ] as const) {
    it(`${rule}: ${JSON.stringify(preferred)}`, () => {
      expect(chooseLanguage(preferred, chosen)).to.deep.equal({ language, locale });
    });
  }
});

describe('languages', () => {
  for (const language of languageTags) {
    it(`give “${language}” the name and direction that its speakers use`, () => {
      const name = new Intl.DisplayNames([language], { type: 'language' }).of(language);
      expect(languages[language].name.toLowerCase()).to.equal(name?.toLowerCase());
      const isRightToLeft = /\p{Script=Arabic}/u.test(languages[language].name);
      expect(languages[language].direction).to.equal(isRightToLeft ? 'rtl' : 'ltr');
    });
  }
});

describe('openInterfaceLanguage', () => {
  it('defaults to the first supported language of the browser', async () => {
    const storage = createFakeStorage();
    const { getState } = await openInterfaceLanguage(storage, ['pt', 'ja-JP', 'en']);
    const messages = await loadMessages('ja');
    expect(getState()).to.deep.equal({ language: 'ja', locale: 'ja-JP', messages, chosen: undefined });
    expect(storage.items.size).to.equal(0);
  });

  it('returns to the language of the browser when the choice is reset, even after a reload', async () => {
    const storage = createFakeStorage();
    const choice = await openInterfaceLanguage(storage, ['ja-JP']);
    await choice.choose('en');
    expect(choice.getState().language).to.equal('en');
    await choice.choose(undefined);
    expect(choice.getState()).to.include({ language: 'ja', locale: 'ja-JP', chosen: undefined });
    expect(storage.items.size).to.equal(0);
    expect((await openInterfaceLanguage(storage, ['en'])).getState()).to.include({ language: 'en', chosen: undefined });
  });

  for (const language of languageTags) {
    it(`shows “${language}” with its messages after a reload once the user has chosen it`, async () => {
      const storage = createFakeStorage();
      await (await openInterfaceLanguage(storage, ['pt'])).choose(language);
      const { messages, ...reloaded } = (await openInterfaceLanguage(storage, ['pt'])).getState();
      expect(reloaded).to.deep.equal({ language, locale: language, chosen: language });
      const own = await import(`../../../client/language/messages/${language}.ts`);
      expect(messages).to.deep.equal({ ...english, ...own.messages });
    });
  }

  it('shows the language that was chosen last, even if an earlier choice loads more slowly', async () => {
    const choice = await openInterfaceLanguage(createFakeStorage(), []);
    await Promise.all([choice.choose('fr'), choice.choose('en')]);
    expect(choice.getState()).to.include({ language: 'en', chosen: 'en' });
  });

  it('ignores a stored choice that is not a supported language', async () => {
    const storage = createFakeStorage();
    await (await openInterfaceLanguage(storage, [])).choose('ja');
    const [key = ''] = storage.items.keys();
    for (const kept of ['tlh', 'toString']) {
      storage.setItem(key, kept);
      expect((await openInterfaceLanguage(storage, [])).getState()).to.include({ language: 'en', chosen: undefined });
    }
  });

  it('keeps the choice in memory if it cannot be stored', async () => {
    const choice = await openInterfaceLanguage(createFakeStorage(0), ['en']);
    await choice.choose('ja');
    expect(choice.getState()).to.include({ language: 'ja', chosen: 'ja' });
  });
});

describe('loadMessages', () => {
  it('returns the English messages if those of the language cannot be loaded', async () => {
    const unavailable = async () => {
      throw new TypeError('Failed to fetch dynamically imported module');
    };
    expect(await loadMessages('ja', { ja: unavailable })).to.equal(english);
  });
});
