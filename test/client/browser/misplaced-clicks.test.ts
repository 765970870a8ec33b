import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ignoreMisplacedClicks } from '../../../client/browser/misplaced-clicks.ts';

/** An element whose closest control is `control`. */
class FakeElement {
  readonly control: FakeElement | null;
  constructor(control: FakeElement | null) {
    this.control = control;
  }
  closest(): FakeElement | null {
    return this.control;
  }
}

class FakeControl extends FakeElement {
  constructor() {
    super(null);
  }
  override closest(): FakeElement {
    return this;
  }
}

/** A label of the field `control`. */
class FakeLabel extends FakeElement {
  override closest(): FakeElement {
    return this;
  }
}

class FakePointerEvent extends Event {}

const globals = { Element: FakeElement, HTMLLabelElement: FakeLabel, PointerEvent: FakePointerEvent };

type Click = {
  detail?: number;
  pointerType?: 'mouse' | 'touch';
  timeMilliseconds?: number;
  x?: number;
  y?: number;
};

describe('ignoreMisplacedClicks', () => {
  const [first, second] = [new FakeControl(), new FakeControl()];
  const text = new FakeElement(null);
  let page: EventTarget;

  beforeEach(() => {
    page = new EventTarget();
    Object.assign(globalThis, globals, { window: page });
    ignoreMisplacedClicks();
  });
  afterEach(() => {
    for (const name of [...Object.keys(globals), 'window']) Reflect.deleteProperty(globalThis, name);
  });

  /** Returns whether the click has its effect. */
  function click(
    target: FakeElement,
    { detail = 1, pointerType = 'mouse', timeMilliseconds = 0, x = 0, y = 0 }: Click,
  ): boolean {
    const event = new FakePointerEvent('click', { cancelable: true });
    const properties = { target, detail, pointerType, timeStamp: timeMilliseconds, clientX: x, clientY: y };
    for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
    let isHeard = false;
    page.addEventListener('click', () => (isHeard = true), { once: true });
    page.dispatchEvent(event);
    expect(event.defaultPrevented).to.equal(!isHeard);
    return isHeard;
  }

  const tap = (target: FakeElement, timeMilliseconds: number, x = 0, y = 0) =>
    click(target, { pointerType: 'touch', timeMilliseconds, x, y });

  it('ignores the second click of a double click if it hits another control', () => {
    expect([click(first, { detail: 1 }), click(second, { detail: 2 })]).to.deep.equal([true, false]);
    expect([click(first, { detail: 1 }), click(first, { detail: 2 })]).to.deep.equal([true, true]);
  });

  it('compares every click of a gesture with the first one', () => {
    expect(click(first, { detail: 1 })).to.equal(true);
    expect(click(second, { detail: 2 })).to.equal(false);
    expect(click(second, { detail: 3 })).to.equal(false);
    expect(click(first, { detail: 4 })).to.equal(true);
  });

  it('accepts two single mouse clicks, however fast they are', () => {
    expect([click(first, { timeMilliseconds: 0 }), click(second, { timeMilliseconds: 1 })]).to.deep.equal([true, true]);
  });

  it('ignores a second tap on another control within 300 milliseconds and 24 pixels', () => {
    expect([tap(first, 0, 500, 500), tap(second, 299, 516, 516)]).to.deep.equal([true, false]);
    expect([tap(first, 1000), tap(second, 1300)]).to.deep.equal([true, true]);
    expect([tap(first, 2000), tap(second, 2100, 24)]).to.deep.equal([true, true]);
    expect([tap(first, 3000), tap(second, 3100, 0, 24)]).to.deep.equal([true, true]);
    expect([tap(first, 4000), tap(first, 4100)]).to.deep.equal([true, true]);
  });

  it('ignores further taps on another control until the user pauses', () => {
    expect(tap(first, 0)).to.equal(true);
    expect([tap(second, 200), tap(second, 400), tap(second, 800)]).to.deep.equal([false, false, true]);
  });

  it('accepts clicks from the keyboard or a script, and compares no other clicks with them', () => {
    expect(click(first, { detail: 1 })).to.equal(true);
    expect(click(second, { detail: 0 })).to.equal(true);
    expect(click(first, { detail: 2 })).to.equal(true);
  });

  it('accepts the second click of a double click on text, so that it can select a word', () => {
    expect([click(first, { detail: 1 }), click(text, { detail: 2 })]).to.deep.equal([true, true]);
    expect(click(second, { detail: 3 })).to.equal(false);
  });

  it('treats a label as its field', () => {
    expect([click(new FakeLabel(first), { detail: 1 }), click(first, { detail: 2 })]).to.deep.equal([true, true]);
    const [one, other] = [new FakeLabel(null), new FakeLabel(null)];
    expect([click(one, { detail: 1 }), click(other, { detail: 2 })]).to.deep.equal([true, false]);
  });
});
