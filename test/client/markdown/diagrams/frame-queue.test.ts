import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createFrameQueue, type FrameOwner } from '../../../../client/markdown/diagrams/frame-queue.ts';

const frameClosed = () => new Promise((resolve) => setImmediate(resolve));

describe('The queue of diagrams', () => {
  let idle: (() => void)[];
  let frames: string[];
  let pictures: string[];
  let drawsAll: boolean;
  let distances: Record<string, number>;
  let owners: Record<string, FrameOwner>;
  let queue: ReturnType<typeof createFrameQueue>;

  beforeEach(() => {
    [idle, frames, pictures, distances, owners] = [[], [], [], {}, {}];
    drawsAll = false;
    queue = createFrameQueue({
      maxFrames: 2,
      reach: () => 100,
      drawsAll: () => drawsAll,
      whenIdle: (work) => void idle.push(work),
    });
  });

  function add(name: string, distance: number): void {
    distances[name] = distance;
    const owner: FrameOwner = {
      distance: () => distances[name] ?? 0,
      open: () => void frames.push(name),
      close: async () => {
        frames = frames.filter((frame) => frame !== name);
        pictures.push(name);
      },
    };
    owners[name] = owner;
    queue.add(owner);
  }

  /** Lets the frames that are open finish their drawings, one after the other. */
  async function draw(...names: string[]): Promise<void> {
    for (const name of names) {
      await frameClosed();
      const owner = owners[name];
      if (owner !== undefined) queue.markDrawn(owner);
    }
    await frameClosed();
  }

  it('draws one diagram at a time, the nearest first', async () => {
    add('first', 50);
    add('far', 40);
    add('near', 0);
    expect(frames).to.deep.equal(['first']);
    await draw('first');
    expect(frames).to.deep.equal(['first', 'near']);
  });

  it('continues after a diagram that fails or is removed', () => {
    add('failing', 0);
    add('next', 0);
    if (owners.failing !== undefined) queue.remove(owners.failing);
    expect(frames).to.deep.equal(['failing', 'next']);
  });

  it('draws diagrams out of reach only when idle, and only in the remaining frames', async () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) add(name, 1000 + index);
    expect(frames).to.deep.equal([]);
    idle.shift()?.();
    await draw('a');
    idle.shift()?.();
    await draw('b');
    idle.shift()?.();
    expect({ frames, pictures }).to.deep.equal({ frames: ['a', 'b'], pictures: [] });
  });

  it('closes the farthest frame when a diagram in reach needs one, and draws the closed diagram again once it is in reach', async () => {
    for (const name of ['a', 'b']) {
      add(name, 0);
      await draw(name);
    }
    Object.assign(distances, { a: 300, b: 200 });
    add('c', 0);
    await draw('c');
    expect({ frames, pictures }).to.deep.equal({ frames: ['b', 'c'], pictures: ['a'] });
    Object.assign(distances, { a: 0, c: 500 });
    queue.update();
    await draw('a');
    expect(frames).to.deep.equal(['b', 'a']);
  });

  it('draws every diagram once, even out of reach, while the conversation is printed', async () => {
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) add(name, 1000 * index);
    drawsAll = true;
    queue.update();
    await draw('a', 'b', 'c', 'd');
    expect(frames.length).to.equal(2);
    expect([...frames, ...pictures].sort()).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('draws all diagrams in view even if they outnumber the frames, and shows the rest as pictures', async () => {
    for (const name of ['a', 'b', 'c']) add(name, 0);
    await draw('a', 'b', 'c');
    expect(frames.length).to.equal(2);
    expect([...frames, ...pictures].sort()).to.deep.equal(['a', 'b', 'c']);
  });
});
