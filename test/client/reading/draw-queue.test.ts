import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDrawQueue } from '../../../client/reading/draw-queue.ts';

/** A queue of the turns 1, 2 and 3, what it has drawn, and an idle moment whenever the test says so. */
function createQueueOfThree() {
  const drawn: number[] = [];
  const idle: (() => void)[] = [];
  const queue = createDrawQueue<number>((work) => {
    idle.push(work);
    return () => idle.splice(idle.indexOf(work), 1);
  });
  for (const turn of [1, 2, 3]) queue.add(turn, () => drawn.push(turn));
  return { queue, drawn, idle, beIdle: () => idle.shift()?.() };
}

describe('What is still to be drawn', () => {
  it('is drawn one at a time while there is nothing else to do, the latest first', () => {
    const { drawn, idle, beIdle } = createQueueOfThree();
    expect(drawn).to.deep.equal([]);
    beIdle();
    expect(drawn).to.deep.equal([3]);
    beIdle();
    beIdle();
    expect(drawn).to.deep.equal([3, 2, 1]);
    expect(idle).to.deep.equal([]);
  });

  it('is drawn at once where the reader comes near, and only once', () => {
    const { queue, drawn, beIdle } = createQueueOfThree();
    queue.draw(1);
    queue.draw(1);
    expect(drawn).to.deep.equal([1]);
    for (let moments = 0; moments < 3; moments += 1) beIdle();
    expect(drawn).to.deep.equal([1, 3, 2]);
  });

  it('is drawn all at once to be printed', () => {
    const { queue, drawn } = createQueueOfThree();
    queue.drawAll();
    expect(drawn).to.deep.equal([1, 2, 3]);
  });

  it('is left alone once it is gone, and once the page has been left', () => {
    const { queue, drawn, idle, beIdle } = createQueueOfThree();
    queue.remove(3);
    beIdle();
    expect(drawn).to.deep.equal([2]);
    queue.stop();
    expect(idle).to.deep.equal([]);
  });
});
