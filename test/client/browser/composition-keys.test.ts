import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { hideCompositionKeys } from '../../../client/browser/composition-keys.ts';

describe('hideCompositionKeys', () => {
  let page: EventTarget;

  beforeEach(() => {
    page = new EventTarget();
    Object.assign(globalThis, { window: page });
    hideCompositionKeys();
  });
  afterEach(() => void Reflect.deleteProperty(globalThis, 'window'));

  for (const [title, properties, expected] of [
    ['a key of a composition', { isComposing: true, keyCode: 13 }, false],
    ['the last key of a composition in Safari', { isComposing: false, keyCode: 229 }, false],
    ['any other key', { isComposing: false, keyCode: 13 }, true],
  ] as const) {
    it(`${expected ? 'leaves' : 'hides'} ${title} ${expected ? 'to' : 'from'} the page, and keeps its default action`, () => {
      let isHeard = false;
      page.addEventListener('keydown', () => (isHeard = true));
      const press = Object.assign(new Event('keydown', { cancelable: true }), properties);
      page.dispatchEvent(press);
      expect({ isHeard, isPrevented: press.defaultPrevented }).to.deep.equal({ isHeard: expected, isPrevented: false });
    });
  }
});
