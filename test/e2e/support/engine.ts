import { existsSync } from 'node:fs';
import process from 'node:process';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { insertTextLikeKeyboard, launchFirefox } from './firefox.ts';

/**
 * Features that an engine or its driver can lack. `click counts` make two clicks a double click even on a slow machine; `request bodies`
 * is the body of an intercepted request; `search of folded text` is `window.find` in `hidden="until-found"`.
 */
export type Capability =
  | 'click counts'
  | 'clipboard permissions'
  | 'DevTools'
  | 'downloads'
  | 'layout shift entries'
  | 'links within a page'
  | 'media emulation'
  | 'request bodies'
  | 'scroll-driven animations'
  | 'search of folded text'
  | 'touch';

type Engine = {
  launch: () => Promise<Browser>;
  lacks: readonly Capability[];
  prepare: (context: BrowserContext) => unknown;
};

const engines = {
  chromium: { launch: launchChromium, lacks: [], prepare: () => undefined },
  firefox: {
    launch: launchFirefox,
    lacks: [
      'click counts',
      'clipboard permissions',
      'DevTools',
      'downloads',
      'layout shift entries',
      'links within a page',
      'media emulation',
      'request bodies',
      'scroll-driven animations',
      'search of folded text',
      'touch',
    ],
    prepare: insertTextLikeKeyboard,
  },
} satisfies Record<string, Engine>;

/** The engine in which the tests run: `npm run test:e2e -- --engine firefox`. */
export const engine: Engine = process.env.E2E_ENGINE === 'firefox' ? engines.firefox : engines.chromium;

/** The headless shell needs about half of the CPU time, because it has no browser windows. */
const chromiumPath =
  process.env.CHROMIUM_PATH ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

/** The browser resolves only localhost. */
function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
}

/** Skips a test in an engine that lacks, or whose driver lacks, one of these capabilities. Its title then names the capability. */
export function needs(context: Mocha.Context, ...capabilities: Capability[]): void {
  const missing = capabilities.find((capability) => engine.lacks.includes(capability));
  if (missing === undefined || context.test === undefined) return;
  context.test.title += `${skipMark}${missing}`;
  context.skip();
}

/** Precedes the missing capability in the title of a skipped test. */
export const skipMark = ' — skipped, because the browser or its driver lacks ';
