import { mock } from 'node:test';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { retryStyleSheets } from '../../../client/pages/retry-style-sheets.ts';

class FakeLink extends EventTarget {
  readonly rel: string;
  readonly href: string;
  replacement: FakeLink | undefined;
  constructor(href: string, rel = 'stylesheet') {
    super();
    this.href = href;
    this.rel = rel;
  }
  cloneNode(): FakeLink {
    return new FakeLink(this.href, this.rel);
  }
  replaceWith(other: FakeLink): void {
    this.replacement = other;
  }
}

describe('retryStyleSheets', () => {
  let page: EventTarget;
  let head: EventTarget;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    page = new EventTarget();
    head = new EventTarget();
    Object.assign(globalThis, { window: page, document: { head }, HTMLLinkElement: FakeLink });
    retryStyleSheets();
  });
  afterEach(() => {
    mock.timers.reset();
    for (const name of ['window', 'document', 'HTMLLinkElement']) Reflect.deleteProperty(globalThis, name);
  });

  function fail(target: object): void {
    const event = new Event('error');
    Object.defineProperty(event, 'target', { value: target });
    head.dispatchEvent(event);
  }

  it('retries a style sheet after one second, and doubles the wait after each failure', () => {
    let link = new FakeLink('/assets/palette.css');
    for (const milliseconds of [1000, 2000, 4000]) {
      fail(link);
      mock.timers.tick(milliseconds - 1);
      expect(link.replacement).to.equal(undefined);
      mock.timers.tick(1);
      expect(link.replacement).to.include({ href: '/assets/palette.css', rel: 'stylesheet' });
      link = link.replacement ?? link;
    }
  });

  it('times the retries of each style sheet separately', () => {
    fail(new FakeLink('/assets/palette.css'));
    const other = new FakeLink('/assets/settings.css');
    fail(other);
    mock.timers.tick(1000);
    expect(other.replacement).not.to.equal(undefined);
  });

  it('does not request a script or a module preload again', () => {
    const preload = new FakeLink('/assets/palette.js', 'modulepreload');
    fail(preload);
    fail({ src: '/assets/palette.js' });
    mock.timers.tick(60_000);
    expect(preload.replacement).to.equal(undefined);
  });

  for (const [message, isLoaded] of [
    ['Unable to preload CSS for /assets/palette.css', true],
    ['Failed to fetch dynamically imported module: /assets/palette.js', false],
    [undefined, false],
  ] as const) {
    it(`${isLoaded ? 'loads a chunk without its styles' : 'rejects the import'} after ${message === undefined ? 'an unknown error' : `the error “${message}”`}`, () => {
      const payload = message === undefined ? undefined : new Error(message);
      const event = Object.assign(new Event('vite:preloadError', { cancelable: true }), { payload });
      page.dispatchEvent(event);
      expect(event.defaultPrevented).to.equal(isLoaded);
    });
  }
});
