import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Plugin } from 'vite';
import { browserNotice } from '../../client/language/browser-notice.ts';
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

  it('sets no theme if the stored settings have none or are invalid', () => {
    for (const settings of ['', '{', 'null', '7', '{}'])
      expect({ ...rootFor({ 'advisory-chat:settings': settings }).dataset }, settings).to.deep.equal({});
  });
});

describe('the script that checks the browser', () => {
  let check = '';
  before(async () => {
    const { default: config } = await import('../../vite.config.ts');
    const plugin = config.plugins?.find((each) => (each as Plugin | undefined)?.name === 'browser-check') as Plugin;
    const transform = plugin.transformIndexHtml as unknown as (
      html: string,
      context: { path: string },
    ) => { children: string }[];
    check = transform('', { path: '/index.html' })[0]?.children ?? '';
  });

  /** Returns the notice in a browser with these languages and globals; undefined if the page starts. */
  function noticeFor(preferred: readonly string[] | undefined, globals: object) {
    let notice: { lang?: string; dir?: string; textContent?: string } | undefined;
    const root = {
      removeAttribute: () => undefined,
      appendChild(child: NonNullable<typeof notice>) {
        notice = child;
      },
    };
    const context = {
      document: { documentElement: root, getElementById: () => root, createElement: () => ({}) },
      navigator: { languages: preferred, language: 'de-DE' },
      ...globals,
    };
    runInNewContext(check, Object.assign(context, { self: context }));
    return notice;
  }

  const complete = { Promise: { withResolvers: () => undefined }, Intl: { Segmenter: class {} } };

  it('shows no notice in a browser that has all features', () => {
    expect(noticeFor(['en'], complete)).to.equal(undefined);
  });

  it('shows a notice if a feature is missing', () => {
    for (const missing of [{ Promise: {} }, { Intl: {} }, { Intl: undefined }])
      expect(noticeFor(['en'], { ...complete, ...missing })?.textContent).to.include(browserNotice.en);
  });

  it('writes the notice in the first preferred language that is available, or in English', () => {
    for (const [preferred, tag] of [
      [['xx', 'ja-JP', 'ar', 'en'], 'ja'],
      [['ar-EG', 'en'], 'ar'],
      [['xx'], 'en'],
      [undefined, 'de'],
    ] as const) {
      const notice = noticeFor(preferred, { ...complete, Promise: {} });
      expect(notice?.textContent).to.include(browserNotice[tag]);
      expect([notice?.lang, notice?.dir]).to.deep.equal([tag, languages[tag].direction]);
    }
  });
});
