import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadMessages, openInterfaceLanguage } from '../../../client/language/interface-language.ts';
import { chooseLanguage } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('the language and the locale for who reads several', () => {
  for (const [rule, preferred, language, locale, chosen] of [
    ['are the first of theirs that there is, in any variant', ['pt-BR', 'de-AT', 'fr'], 'de', 'de-AT'],
    ['are the same for a script of the language', ['zh-Hant-TW', 'ja-JP'], 'ja', 'ja-JP'],
    ['are found whatever the case', ['AR-eg'], 'ar', 'AR-eg'],
    ['are English where there is none of theirs', ['pt-BR', 'la'], 'en', 'en'],
    ['are English where the browser tells of none', [], 'en', 'en'],
    ['are English for what is no language', ['', 'constructor'], 'en', 'en'],
    ['are not those whose name only begins alike', ['fil-PH', 'est', 'arn'], 'en', 'en'],
    ['are what they chose, in their own variant', ['de', 'fr-CA'], 'fr', 'fr-CA', 'fr'],
    ['are what they chose, whatever they read', ['de-CH', 'fr'], 'ja', 'ja', 'ja'],
  ] as const) {
    it(`${rule}: ${preferred.join(', ')}`, () => {
      expect(chooseLanguage(preferred, chosen)).to.deep.equal({ language, locale });
    });
  }
});

describe('the language of the interface', () => {
  it('is the first that the browser prefers, as long as nobody chose', async () => {
    const storage = createFakeStorage();
    const { getState } = await openInterfaceLanguage(storage, ['pt', 'ja-JP', 'en']);
    expect(getState()).to.deep.equal({
      language: 'ja',
      locale: 'ja-JP',
      messages: await loadMessages('ja'),
      chosen: undefined,
    });
    expect(storage.items.size).to.equal(0);
  });

  it('is what the browser prefers again when the choice is taken back, and stays so', async () => {
    const storage = createFakeStorage();
    const choice = await openInterfaceLanguage(storage, ['ja-JP']);
    await choice.choose('en');
    expect(choice.getState().language).to.equal('en');
    await choice.choose(undefined);
    expect(choice.getState()).to.include({ language: 'ja', locale: 'ja-JP', chosen: undefined });
    expect(storage.items.size).to.equal(0);
    expect((await openInterfaceLanguage(storage, ['en'])).getState()).to.include({ language: 'en', chosen: undefined });
  });

  it('is nothing that was kept and is no language', async () => {
    const storage = createFakeStorage();
    await (await openInterfaceLanguage(storage, [])).choose('ja');
    const [key = ''] = storage.items.keys();
    for (const kept of ['tlh', 'toString']) {
      storage.setItem(key, kept);
      expect((await openInterfaceLanguage(storage, [])).getState()).to.include({ language: 'en', chosen: undefined });
    }
  });

  it('holds where the choice cannot be kept', async () => {
    const choice = await openInterfaceLanguage(createFakeStorage(0), ['en']);
    await choice.choose('ja');
    expect(choice.getState()).to.include({ language: 'ja', chosen: 'ja' });
  });
});

describe('messages', () => {
  it('are English where those of the language cannot be fetched', async () => {
    const gone = async () => {
      throw new TypeError('Failed to fetch dynamically imported module');
    };
    expect(await loadMessages('ja', { ja: gone })).to.equal(english);
  });
});
