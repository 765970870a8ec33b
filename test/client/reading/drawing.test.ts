import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDrawQueue } from '../../../client/reading/drawing.ts';

/** A queue of the turns 1, 2 and 3 with `characters` each, the turns it has drawn, and a fake idle callback. */
function createQueueOfThree(characters = 4000) {
  const drawn: number[] = [];
  const idle: (() => void)[] = [];
  const queue = createDrawQueue<number>((work) => {
    idle.push(work);
    return () => idle.splice(idle.indexOf(work), 1);
  });
  for (const turn of [1, 2, 3]) queue.add(turn, characters, () => drawn.push(turn));
  return { queue, drawn, idle, beIdle: () => idle.shift()?.() };
}

describe('createDrawQueue', () => {
  it('draws short content in one batch, up to the limit', () => {
    const { drawn, beIdle } = createQueueOfThree(3000);
    beIdle();
    expect(drawn).to.deep.equal([3, 2]);
    const { queue, drawn: drawnOfMany, beIdle: beIdleAgain } = createQueueOfThree(1);
    for (let turn = 4; turn <= 20; turn += 1) queue.add(turn, 1, () => drawnOfMany.push(turn));
    beIdleAgain();
    expect(drawnOfMany).to.have.length(16);
  });

  it('draws long content one at a time while idle, latest first', () => {
    const { drawn, idle, beIdle } = createQueueOfThree();
    expect(drawn).to.deep.equal([]);
    beIdle();
    expect(drawn).to.deep.equal([3]);
    beIdle();
    beIdle();
    expect(drawn).to.deep.equal([3, 2, 1]);
    expect(idle).to.deep.equal([]);
  });

  it('draws content near the window at once, and only once', () => {
    const { queue, drawn, beIdle } = createQueueOfThree();
    queue.draw(1);
    queue.draw(1);
    expect(drawn).to.deep.equal([1]);
    for (let moments = 0; moments < 3; moments += 1) beIdle();
    expect(drawn).to.deep.equal([1, 3, 2]);
  });
});
