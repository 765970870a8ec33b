import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadMessages, openInterfaceLanguage } from '../../../client/language/interface-language.ts';
import { chooseLanguage, isLanguage } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('the language for who reads several', () => {
  it('is the first of theirs that there is, in any variant', () => {
    expect(chooseLanguage(['pt-BR', 'de-AT', 'fr']).language).to.equal('de');
    expect(chooseLanguage(['zh-Hant-TW', 'ja-JP']).language).to.equal('ja');
    expect(chooseLanguage(['AR-eg']).language).to.equal('ar');
  });

  it('is English where there is none of theirs', () => {
    for (const preferred of [['pt-BR', 'la'], [], [''], ['constructor']]) {
      expect(chooseLanguage(preferred)).to.deep.equal({ language: 'en', locale: 'en' });
    }
  });

  it('is the one that they chose, whatever they read', () => {
    expect(chooseLanguage(['de-CH', 'fr'], 'ja').language).to.equal('ja');
    expect(chooseLanguage([], 'ar').language).to.equal('ar');
  });

  it('is not one whose name only begins alike', () => {
    expect(chooseLanguage(['fil-PH', 'est', 'arn']).language).to.equal('en');
  });
});

describe('the locale of dates and numbers', () => {
  it('is their own variant of the language', () => {
    expect(chooseLanguage(['de-CH', 'fr']).locale).to.equal('de-CH');
    expect(chooseLanguage(['pt-BR', 'en-GB', 'en-US']).locale).to.equal('en-GB');
    expect(chooseLanguage(['de', 'fr-CA'], 'fr').locale).to.equal('fr-CA');
  });

  it('is the language itself where they have no variant of it', () => {
    expect(chooseLanguage(['de-CH', 'fr'], 'ja').locale).to.equal('ja');
  });
});

describe('a language', () => {
  it('is one of ours by its exact tag alone', () => {
    for (const tag of ['', 'pt', 'de-CH', 'DE', 'toString']) expect(isLanguage(tag)).to.equal(false);
  });
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
    for (const key of storage.items.keys()) storage.setItem(key, 'tlh');
    expect((await openInterfaceLanguage(storage, [])).getState()).to.include({ language: 'en', chosen: undefined });
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
