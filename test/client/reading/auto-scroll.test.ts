import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAutoScroll } from '../../../client/reading/auto-scroll.ts';

class FakeNode extends EventTarget {
  readonly isField: boolean;
  constructor({ isField = false } = {}) {
    super();
    this.isField = isField;
  }
  matches(): boolean {
    return this.isField;
  }
}

const text = new FakeNode();
const field = new FakeNode({ isField: true });
const root = new FakeNode();
const globals = { Node: FakeNode, Element: FakeNode };

describe('createAutoScroll', () => {
  const { now } = performance;
  let page: EventTarget;
  let selection: { isCollapsed: boolean; anchorNode: FakeNode } | null;
  let milliseconds: number;
  let autoScroll: ReturnType<typeof createAutoScroll>;

  beforeEach(() => {
    page = new EventTarget();
    selection = null;
    // Timers of other tests measure their waits with this clock, so it continues from the current time.
    milliseconds = Math.floor(now.call(performance));
    performance.now = () => milliseconds;
    const document = Object.assign(new EventTarget(), { documentElement: root, getSelection: () => selection });
    Object.assign(globalThis, globals, { window: page, document });
    const log = { contains: (node: unknown) => node === text };
    autoScroll = createAutoScroll(log as unknown as HTMLElement);
  });
  afterEach(() => {
    autoScroll.dispose();
    performance.now = now;
    for (const name of [...Object.keys(globals), 'window', 'document']) Reflect.deleteProperty(globalThis, name);
  });

  function fire(type: string, properties: { target?: FakeNode; key?: string; deltaY?: number } = {}): void {
    const event = new Event(type);
    for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
    page.dispatchEvent(event);
  }

  const press = (key: string, target = root) => fire('keydown', { key, target });
  const select = (isCollapsed: boolean, anchorNode: FakeNode) => {
    selection = { isCollapsed, anchorNode };
    document.dispatchEvent(new Event('selectionchange'));
  };

  it('is off at first, and on from start() to stop()', () => {
    expect(autoScroll.isOn()).to.equal(false);
    autoScroll.start();
    expect(autoScroll.isOn()).to.equal(true);
    autoScroll.stop();
    expect(autoScroll.isOn()).to.equal(false);
  });

  const starts = {
    'the wheel': () => fire('wheel', { deltaY: 1 }),
    'a finger': () => fire('touchmove'),
    'the scrollbar': () => fire('pointerdown', { target: root }),
    'a key': () => press('ArrowDown'),
  };
  for (const [means, act] of Object.entries(starts)) {
    it(`starts when the user scrolls to the end with ${means}, but not elsewhere or after 1.5 seconds`, () => {
      for (const [wait, isAtEnd, isOn] of [
        [0, false, false],
        [1500, true, false],
        [1499, true, true],
      ] as const) {
        act();
        milliseconds += wait;
        autoScroll.onScroll(10, isAtEnd);
        expect(autoScroll.isOn()).to.equal(isOn);
      }
    });
  }

  it('does not start if the page scrolls without an action of the user, not down, or after a press of the text', () => {
    autoScroll.onScroll(10, true);
    expect(autoScroll.isOn()).to.equal(false);
    fire('touchmove');
    autoScroll.onScroll(0, true);
    expect(autoScroll.isOn()).to.equal(false);
    fire('wheel', { deltaY: 1 });
    fire('pointerdown', { target: text });
    autoScroll.onScroll(10, true);
    expect(autoScroll.isOn()).to.equal(false);
  });

  it('starts when the user presses End, except in a field', () => {
    press('End', field);
    expect(autoScroll.isOn()).to.equal(false);
    press('End');
    expect(autoScroll.isOn()).to.equal(true);
  });

  const stops = {
    'turns the wheel up': () => fire('wheel', { deltaY: -1 }),
    'scrolls up': () => autoScroll.onScroll(-1, true),
    'presses text': () => fire('pointerdown', { target: text }),
    'selects text': () => select(false, text),
    'presses Tab in a field': () => press('Tab', field),
    ...Object.fromEntries(
      ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', ' ', 'Tab'].map((key) => [
        `presses “${key === ' ' ? 'Space' : key}”`,
        () => press(key),
      ]),
    ),
  };
  for (const [action, act] of Object.entries(stops)) {
    it(`stops when the user ${action}`, () => {
      autoScroll.start();
      act();
      expect(autoScroll.isOn()).to.equal(false);
    });
  }

  const others = {
    'turns the wheel down': () => fire('wheel', { deltaY: 1 }),
    'turns the wheel sideways': () => fire('wheel', { deltaY: 0 }),
    'touches the page': () => fire('touchmove'),
    'presses the scrollbar': () => fire('pointerdown', { target: root }),
    'presses a control outside the text': () => fire('pointerdown', { target: field }),
    'places the caret in the text': () => select(true, text),
    'selects text outside the conversation': () => select(false, field),
    types: () => press('a'),
    'moves the caret in a field': () => press('ArrowUp', field),
  };
  for (const [action, act] of Object.entries(others)) {
    it(`stays on when the user ${action}`, () => {
      autoScroll.start();
      act();
      expect(autoScroll.isOn()).to.equal(true);
    });
  }

  it('ignores all actions of the user after dispose()', () => {
    autoScroll.start();
    autoScroll.dispose();
    press('Home');
    select(false, text);
    fire('pointerdown', { target: text });
    fire('wheel', { deltaY: -1 });
    expect(autoScroll.isOn()).to.equal(true);
    autoScroll.stop();
    fire('touchmove');
    autoScroll.onScroll(10, true);
    expect(autoScroll.isOn()).to.equal(false);
  });
});
