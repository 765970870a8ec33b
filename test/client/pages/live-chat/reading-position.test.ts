import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  currentPosition,
  loadPosition,
  type ReadingPosition,
  restorePosition,
  savePosition,
} from '../../../../client/pages/live-chat/reading-position.ts';
import { createFakeStorage } from '../../../../client-package/testing/fake-storage.ts';
import { perTest } from '../../../support/per-suite.ts';
import { createFakeFrames } from '../../reading/fake-frames.ts';

const globals = ['window', 'document', 'CSS', 'requestAnimationFrame', 'cancelAnimationFrame'];

describe('The reading position', () => {
  /** The height of each turn on the page, from the top. */
  let turns: { id: string; height: number }[];
  let scrollTop: number;
  const frames = perTest(() => createFakeFrames());
  let diagramHeight: number;

  beforeEach(() => {
    turns = [];
    scrollTop = 0;
    diagramHeight = 0;
    const boxes = () => {
      let end = -scrollTop;
      return turns.map(({ id, height }) => {
        const top = end;
        end += height;
        const box = { top, bottom: end };
        return { dataset: { turn: id }, getBoundingClientRect: () => box };
      });
    };
    const window = Object.assign(new EventTarget(), {
      scrollBy({ top }: { top: number }) {
        scrollTop += top;
      },
    });
    const document = {
      querySelectorAll: boxes,
      querySelector: (selector: string) => boxes().find(({ dataset }) => selector === `[data-turn="${dataset.turn}"]`),
    };
    Object.assign(globalThis, {
      window,
      document,
      CSS: { escape: (text: string) => text },
      requestAnimationFrame: frames.requestAnimationFrame,
      cancelAnimationFrame: frames.cancelAnimationFrame,
    });
  });
  afterEach(() => {
    for (const name of globals) Reflect.deleteProperty(globalThis, name);
  });

  const position: ReadingPosition = { id: 'one', turnId: 'second', place: null, top: -30 };
  /** The first line of a turn is 10 pixels below its top, and a diagram is above it. */
  const place = { start: 40, offset: 5 };
  const topOfLine = (turn: Element) => turn.getBoundingClientRect().top + 10 + diagramHeight;
  const lines = {
    first: (turn: Element) => ({ place, top: topOfLine(turn) }),
    topOf: (_: unknown, turn: Element) => topOfLine(turn),
  };
  const noLines = { first: () => undefined, topOf: () => undefined };
  const threeTurns = () => ['first', 'second', 'third'].map((id) => ({ id, height: 100 }));
  const never = new Promise<void>(() => {});

  it('is the turn at the top of the window and the distance between the two', () => {
    expect(currentPosition('one', undefined, noLines)).to.equal(undefined);
    turns = threeTurns();
    scrollTop = 130;
    expect(currentPosition('one', undefined, noLines)).to.deep.equal(position);
    scrollTop = 100;
    expect(currentPosition('one', undefined, noLines)).to.deep.equal({ ...position, top: 0 });
  });

  it('remains the restored position until the user scrolls, even if the browser rounds the scroll position to whole pixels', () => {
    turns = threeTurns();
    scrollTop = 132;
    expect(currentPosition('one', position, noLines)).to.equal(position);
    scrollTop = 133;
    expect(currentPosition('one', position, noLines)).to.deep.equal({ ...position, top: -33 });
    expect(currentPosition('one', { ...position, turnId: 'third', top: -33 }, noLines)).to.deep.equal({
      ...position,
      top: -33,
    });
  });

  it('is stored until it is cleared, and is unknown if the stored value is invalid', () => {
    const storage = createFakeStorage();
    savePosition(storage, 'key', position);
    expect(loadPosition(storage, 'key')).to.deep.equal(position);
    savePosition(storage, 'key', undefined);
    expect(storage.items.size).to.equal(0);
    storage.setItem('key', JSON.stringify({ ...position, top: 'far' }));
    expect(loadPosition(storage, 'key')).to.equal(undefined);
  });

  it('is restored at once and in each of the next four frames, while the content in view is laid out', () => {
    turns = threeTurns();
    restorePosition(position, never, noLines);
    expect(scrollTop).to.equal(130);
    for (let frame = 1; frame <= 5; frame += 1) {
      turns = [{ id: 'first', height: 100 + 10 * frame }, ...turns.slice(1)];
      frames.next();
      expect(scrollTop, `frame ${frame}`).to.equal(130 + 10 * Math.min(frame, 4));
    }
  });

  it('is restored again once the replies are rendered', async () => {
    turns = threeTurns();
    const rendered = Promise.withResolvers<void>();
    restorePosition(position, rendered.promise, noLines);
    for (let frame = 0; frame < 5; frame += 1) frames.next();
    turns = [{ id: 'first', height: 500 }, ...turns.slice(1)];
    rendered.resolve();
    await rendered.promise;
    expect(scrollTop).to.equal(530);
    turns = [{ id: 'first', height: 600 }, ...turns.slice(1)];
    frames.next();
    expect(scrollTop).to.equal(630);
  });

  it('is the first line if there is one, which is restored even if a diagram above it has another height', () => {
    turns = threeTurns();
    scrollTop = 130;
    const current = currentPosition('one', undefined, lines);
    expect(current).to.deep.equal({ id: 'one', turnId: 'second', place, top: -20 });
    if (current === undefined) throw new Error('There is no position.');
    diagramHeight = 136;
    turns = turns.map((turn) => (turn.id === 'second' ? { ...turn, height: 236 } : turn));
    restorePosition(current, never, lines);
    expect(scrollTop).to.equal(266);
    expect(currentPosition('one', current, lines)).to.equal(current);
  });

  it('is not restored if its turn no longer exists', () => {
    turns = threeTurns();
    restorePosition({ ...position, turnId: 'deleted' }, never, noLines);
    expect(scrollTop).to.equal(0);
  });

  for (const event of ['wheel', 'keydown', 'pointerdown', undefined]) {
    it(`is not restored after ${event === undefined ? 'its cancellation' : `a ${event} event`}, even once the replies are rendered`, async () => {
      turns = threeTurns();
      const rendered = Promise.withResolvers<void>();
      const cancel = restorePosition(position, rendered.promise, noLines);
      scrollTop = 0;
      if (event === undefined) cancel();
      else window.dispatchEvent(new Event(event));
      frames.next();
      rendered.resolve();
      await rendered.promise;
      frames.next();
      expect(scrollTop).to.equal(0);
    });
  }
});
