import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createUserScroll } from '../../../client/reading/user-scroll.ts';
import { perTest } from '../../support/per-suite.ts';
import { createFakeFrames } from './fake-frames.ts';

const globals = ['window', 'document', 'Element', 'requestAnimationFrame', 'cancelAnimationFrame'];

describe('createUserScroll', () => {
  let page: EventTarget & { scrollY: number; scrollTo: (position: { top: number }) => void };
  const frames = perTest(() => createFakeFrames());
  let ends: number;
  let userScroll: ReturnType<typeof createUserScroll>;

  beforeEach(() => {
    ends = 0;
    page = Object.assign(new EventTarget(), {
      scrollY: 1000,
      scrollTo({ top }: { top: number }) {
        page.scrollY = top;
      },
    });
    Object.assign(globalThis, {
      window: page,
      document: { documentElement: page },
      Element: class {},
      requestAnimationFrame: frames.requestAnimationFrame,
      cancelAnimationFrame: frames.cancelAnimationFrame,
    });
    userScroll = createUserScroll(() => {
      ends += 1;
    });
  });
  afterEach(() => {
    userScroll.stop();
    for (const name of globals) Reflect.deleteProperty(globalThis, name);
  });

  function fire(type: string, properties: object = {}): void {
    page.dispatchEvent(Object.assign(new Event(type), properties));
  }

  function passFrames(count: number, pixels = 0): void {
    for (let frame = 0; frame < count; frame += 1) {
      page.scrollY += pixels;
      frames.next();
    }
  }

  for (const [means, type, properties] of [
    ['a turn of the wheel', 'wheel', {}],
    ['a swipe', 'touchmove', {}],
    ['a press on the scrollbar', 'pointerdown', {}],
    ['a reading key', 'keydown', { key: 'PageUp' }],
  ] as const) {
    it(`starts with ${means}, and runs until the page has not moved for eight frames`, () => {
      fire(type, properties);
      expect(userScroll.isRunning()).to.equal(true);
      passFrames(7);
      passFrames(3, -40);
      passFrames(7);
      expect([userScroll.isRunning(), ends]).to.deep.equal([true, 0]);
      passFrames(1);
      expect([userScroll.isRunning(), ends]).to.deep.equal([false, 1]);
    });
  }

  it('does not begin with a key that types, or that a control has handled', () => {
    fire('keydown', { key: 'a' });
    const handled = Object.assign(new Event('keydown', { cancelable: true }), { key: 'Home' });
    handled.preventDefault();
    page.dispatchEvent(handled);
    expect(userScroll.isRunning()).to.equal(false);
  });

  for (const [name, press] of [
    ['Home', { key: 'Home' }],
    ['Command and Arrow Up', { key: 'ArrowUp', metaKey: true }],
  ] as const) {
    it(`reaches the start after ${name}, even if something has ended the animation`, () => {
      fire('keydown', press);
      expect(userScroll.isToStart()).to.equal(true);
      passFrames(3, -100);
      passFrames(8);
      expect([page.scrollY, userScroll.isToStart()]).to.deep.equal([0, false]);
    });
  }

  it('does not move the page if Home scrolls something else', () => {
    fire('keydown', { key: 'Home' });
    passFrames(8);
    expect(page.scrollY).to.equal(1000);
  });

  const otherActions = {
    'turns the wheel': () => fire('wheel'),
    'presses the scrollbar': () => fire('pointerdown'),
    'presses the text': () => {
      Object.assign(document, { documentElement: new EventTarget() });
      fire('pointerdown');
    },
  };
  for (const [action, act] of Object.entries(otherActions)) {
    it(`stops on the way to the start once the user ${action}`, () => {
      fire('keydown', { key: 'Home' });
      passFrames(3, -100);
      act();
      passFrames(9);
      expect([page.scrollY, userScroll.isToStart()]).to.deep.equal([700, false]);
    });
  }
});
