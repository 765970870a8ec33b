import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { restrictDrops } from '../../../client/browser/drops.ts';

class FakeElement {
  readonly isField: boolean;
  constructor({ isField }: { isField: boolean }) {
    this.isField = isField;
  }
  matches(selector: string): boolean {
    return selector === ':read-write' && this.isField;
  }
}

const field = new FakeElement({ isField: true });
const text = new FakeElement({ isField: false });

describe('restrictDrops', () => {
  let page: EventTarget;

  beforeEach(() => {
    page = new EventTarget();
    Object.assign(globalThis, { window: page, Element: FakeElement });
    restrictDrops();
  });
  afterEach(() => {
    for (const name of ['window', 'Element']) Reflect.deleteProperty(globalThis, name);
  });

  /** Returns what the browser does with data of `types` over `target`, and the effect that it shows. */
  function drag(event: 'dragover' | 'drop', target: FakeElement, ...types: string[]) {
    const dragged = new Event(event, { cancelable: true });
    const dataTransfer = { types, dropEffect: 'copy' };
    for (const [name, value] of Object.entries({ target, dataTransfer }))
      Object.defineProperty(dragged, name, { value });
    page.dispatchEvent(dragged);
    return { isLeftToBrowser: !dragged.defaultPrevented, dropEffect: dataTransfer.dropEffect };
  }

  for (const event of ['dragover', 'drop'] as const) {
    it(`lets the browser handle text over a field on ${event}`, () => {
      expect(drag(event, field, 'text/plain')).to.deep.equal({ isLeftToBrowser: true, dropEffect: 'copy' });
    });

    it(`refuses text and links outside fields on ${event}`, () => {
      expect(drag(event, text, 'text/uri-list')).to.deep.equal({ isLeftToBrowser: false, dropEffect: 'none' });
    });

    it(`allows the drop of a file on ${event}, but keeps the browser from opening it`, () => {
      const expected = { isLeftToBrowser: false, dropEffect: 'copy' };
      expect(drag(event, field, 'text/plain', 'Files')).to.deep.equal(expected);
      expect(drag(event, text, 'Files')).to.deep.equal(expected);
    });
  }
});
