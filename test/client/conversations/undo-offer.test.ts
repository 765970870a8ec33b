import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createUndoOffer, offerSeconds } from '../../../client/conversations/undo-offer.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

describe('An offer to undo', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let undone: string[];
  let offer: ReturnType<typeof createUndoOffer>;

  beforeEach(() => {
    clock = createFakeClock();
    undone = [];
    offer = createUndoOffer(clock);
  });

  const undoable = (title: string) => ({ what: 'deleted' as const, title, undo: () => void undone.push(title) });

  it('makes sure, while somebody is at it, that it can be taken back', async () => {
    const stays: number[] = [];
    const start = clock.now();
    offer.offer({ ...undoable('One'), stay: () => void stays.push(clock.now() - start) });
    await clock.advance(25_000);
    offer.hold();
    await clock.advance(15_000);
    offer.release();
    await clock.advance(60_000);
    expect(stays).to.deep.equal([25_000, 35_000, 40_000]);
  });

  const offered = () => offer.getState().offered?.title;

  it('stands for its time, and takes back once', async () => {
    offer.offer(undoable('One'));
    await clock.advance(offerSeconds * 1000 - 1);
    expect(offered()).to.equal('One');
    offer.undo();
    offer.undo();
    expect(undone).to.deep.equal(['One']);
    expect(offered()).to.equal(undefined);
  });

  it('is over after its time', async () => {
    offer.offer(undoable('One'));
    await clock.advance(offerSeconds * 1000);
    offer.undo();
    expect(undone).to.deep.equal([]);
  });

  it('is of what was done last, with the whole time again', async () => {
    offer.offer(undoable('One'));
    await clock.advance(20_000);
    offer.offer(undoable('Two'));
    await clock.advance(29_999);
    expect(offered()).to.equal('Two');
    await clock.advance(1);
    expect(offered()).to.equal(undefined);
  });

  it('stays while somebody is at it, and then for the rest of its time', async () => {
    offer.offer(undoable('One'));
    await clock.advance(20_000);
    offer.hold();
    offer.hold();
    await clock.advance(600_000);
    expect(offered()).to.equal('One');
    offer.release();
    offer.release();
    await clock.advance(9_999);
    expect(offered()).to.equal('One');
    await clock.advance(1);
    expect(offered()).to.equal(undefined);
  });

  it('goes back step by step, each step for the rest of its own time', async () => {
    offer.offer(undoable('One'));
    await clock.advance(10_000);
    offer.offer(undoable('Two'));
    await clock.advance(5_000);
    offer.undo();
    expect(undone).to.deep.equal(['Two']);
    expect(offered()).to.equal('One');
    await clock.advance(14_999);
    expect(offered()).to.equal('One');
    await clock.advance(1);
    expect(offered()).to.equal(undefined);
  });

  it('leads to the one before when the latest is closed', () => {
    offer.offer(undoable('One'));
    offer.offer(undoable('Two'));
    offer.withdraw();
    expect(offered()).to.equal('One');
    offer.undo();
    expect(undone).to.deep.equal(['One']);
  });

  it('stays with all that can be taken back while somebody is at it, from one to the next', async () => {
    const stays: string[] = [];
    const staying = (title: string) => ({ ...undoable(title), stay: () => void stays.push(title) });
    offer.offer(staying('One'));
    await clock.advance(20_000);
    offer.offer(staying('Two'));
    offer.hold();
    await clock.advance(60_000);
    offer.undo();
    expect(offered()).to.equal('One');
    stays.length = 0;
    await clock.advance(60_000);
    expect(offered()).to.equal('One');
    expect(stays).to.deep.equal(Array.from({ length: 6 }, () => 'One'));
    offer.release();
    await clock.advance(9_999);
    expect(offered()).to.equal('One');
    await clock.advance(1);
    expect(offered()).to.equal(undefined);
    offer.offer(undoable('Three'));
    await clock.advance(offerSeconds * 1000);
    expect(offered()).to.equal(undefined);
  });

  it('stands without end where it is to', async () => {
    offer.offer(undoable('One'), Number.POSITIVE_INFINITY);
    await clock.advance(86_400_000);
    offer.hold();
    offer.release();
    await clock.advance(86_400_000);
    expect(offered()).to.equal('One');
    offer.withdraw();
    expect(offered()).to.equal(undefined);
  });
});
