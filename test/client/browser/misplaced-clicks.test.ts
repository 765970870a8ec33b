import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ignoreMisplacedClicks } from '../../../client/browser/misplaced-clicks.ts';

class FakeElement {
  closest(): FakeElement | null {
    return this;
  }
}

/** A label of the field `control`. */
class FakeLabel extends FakeElement {
  readonly control: FakeElement | null;
  constructor(control: FakeElement | null) {
    super();
    this.control = control;
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
  const [first, second] = [new FakeElement(), new FakeElement()];
  const text = Object.assign(new FakeElement(), { closest: () => null });
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

  const touch = (timeMilliseconds: number, x = 0, y = 0) => ({ pointerType: 'touch', timeMilliseconds, x, y }) as const;
  const label = new FakeLabel(first);

  for (const [title, ...clicks] of [
    ['ignores the second click of a double click on another control', [first, 1, true], [second, 2, false]],
    ['accepts both clicks of a double click on the same control', [first, 1, true], [first, 2, true]],
    [
      'compares every click of a gesture with the first one',
      [first, 1, true],
      [second, 2, false],
      [second, 3, false],
      [first, 4, true],
    ],
    ['accepts two single mouse clicks, however fast they are', [first, 1, true], [second, 1, true]],
    [
      'ignores a second tap on another control soon and close by',
      [first, touch(0, 500, 500), true],
      [second, touch(299, 516, 516), false],
    ],
    ['accepts a second tap after 300 milliseconds', [first, touch(0), true], [second, touch(300), true]],
    ['accepts a second tap 24 pixels beside the first', [first, touch(0), true], [second, touch(100, 24), true]],
    ['accepts a second tap 24 pixels below the first', [first, touch(0), true], [second, touch(100, 0, 24), true]],
    ['accepts a second tap on the same control', [first, touch(0), true], [first, touch(100), true]],
    [
      'ignores further taps on another control until the user pauses',
      [first, touch(0), true],
      [second, touch(200), false],
      [second, touch(400), false],
      [second, touch(800), true],
    ],
    [
      'accepts clicks from the keyboard or a script, and compares no other clicks with them',
      [first, 1, true],
      [second, 0, true],
      [first, 2, true],
    ],
    [
      'accepts the second click of a double click on text, so that it can select a word',
      [first, 1, true],
      [text, 2, true],
      [second, 3, false],
    ],
    ['treats a label as its field', [label, 1, true], [first, 2, true]],
    ['treats a label without a field as a control', [new FakeLabel(null), 1, true], [new FakeLabel(null), 2, false]],
  ] as const) {
    it(title, () => {
      for (const [target, properties, isHeard] of clicks) {
        const event = typeof properties === 'number' ? { detail: properties } : properties;
        expect(click(target, event)).to.equal(isHeard);
      }
    });
  }
});
