import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chooseLanguage, isLanguage, languages, languageTags } from '../../client/language/languages.ts';

const html = readFileSync(new URL('../../client/index.html', import.meta.url), 'utf8');
const script = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';

/** Runs the script of index.html with these stored items, and returns the attributes of the root element. */
function rootFor(stored: Record<string, string>, preferred: readonly string[] = ['en']) {
  const root: { dir?: string; dataset: Record<string, string> } = { dataset: {} };
  runInNewContext(script, {
    document: { documentElement: root },
    navigator: { languages: preferred },
    location: { pathname: '/chat' },
    localStorage: { getItem: (key: string) => stored[key] ?? null },
  });
  return root;
}

describe('the script in index.html', () => {
  it('sets the direction of the interface language', () => {
    for (const chosen of ['', 'unknown', ...languageTags]) {
      for (const preferred of [[], ['xx', 'ar-EG', 'en'], ...languageTags.map((tag) => [tag, 'ar'])]) {
        const { language } = chooseLanguage(preferred, isLanguage(chosen) ? chosen : undefined);
        const { dir = 'ltr' } = rootFor({ 'advisory-chat:language': chosen }, preferred);
        expect(dir, `chosen "${chosen}", preferred ${preferred}`).to.equal(languages[language].direction);
      }
    }
  });

  it('sets the stored theme', () => {
    const settings = { theme: 'dark' };
    const { dataset } = rootFor({ 'advisory-chat:settings': JSON.stringify(settings) });
    expect({ ...dataset }).to.deep.equal(settings);
  });

  it('sets no theme if the stored settings cannot be read', () => {
    for (const settings of ['', '{', 'null', '7', '{}'])
      expect({ ...rootFor({ 'advisory-chat:settings': settings }).dataset }, settings).to.deep.equal({});
  });
});
