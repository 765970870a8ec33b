import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRenderQueue } from '../../../client/rendering/deferred-rendering.ts';

function createQueueOfThree(characters = 4000) {
  const rendered: number[] = [];
  const idle: (() => void)[] = [];
  const queue = createRenderQueue<number>((work) => {
    idle.push(work);
    return () => idle.splice(idle.indexOf(work), 1);
  });
  for (const turn of [1, 2, 3]) queue.add(turn, characters, () => rendered.push(turn));
  return { queue, rendered, idle, beIdle: () => idle.shift()?.() };
}

describe('createRenderQueue', () => {
  it('renders short content in one batch, up to the limit', () => {
    const { rendered, beIdle } = createQueueOfThree(3000);
    beIdle();
    expect(rendered).to.deep.equal([3, 2]);
    const { queue, rendered: renderedOfMany, beIdle: beIdleAgain } = createQueueOfThree(1);
    for (let turn = 4; turn <= 20; turn += 1) queue.add(turn, 1, () => renderedOfMany.push(turn));
    beIdleAgain();
    expect(renderedOfMany).to.have.length(16);
  });

  it('renders long content one at a time while idle, latest first', () => {
    const { rendered, idle, beIdle } = createQueueOfThree();
    expect(rendered).to.deep.equal([]);
    beIdle();
    expect(rendered).to.deep.equal([3]);
    beIdle();
    beIdle();
    expect(rendered).to.deep.equal([3, 2, 1]);
    expect(idle).to.deep.equal([]);
  });

  it('renders content near the viewport immediately, and only once', () => {
    const { queue, rendered, beIdle } = createQueueOfThree();
    queue.render(1);
    queue.render(1);
    expect(rendered).to.deep.equal([1]);
    for (let moments = 0; moments < 3; moments += 1) beIdle();
    expect(rendered).to.deep.equal([1, 3, 2]);
  });
});
