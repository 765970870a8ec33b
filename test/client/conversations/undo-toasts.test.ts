import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { undoSeconds } from '../../../client/conversations/conversation-list.ts';
import { createUndoToasts } from '../../../client/conversations/undo-toasts.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

describe('An toasts to undo', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let undone: string[];
  let toasts: ReturnType<typeof createUndoToasts>;

  beforeEach(() => {
    clock = createFakeClock();
    undone = [];
    toasts = createUndoToasts(clock);
  });

  const undoable = (title: string) => ({ what: 'deleted' as const, title, undo: () => void undone.push(title) });

  it('makes sure, while somebody is at it, that it can be taken back', async () => {
    const stays: number[] = [];
    const start = clock.now();
    toasts.push({ ...undoable('One'), stay: () => void stays.push(clock.now() - start) });
    await clock.advance(25_000);
    toasts.pause();
    await clock.advance(15_000);
    toasts.resume();
    await clock.advance(60_000);
    expect(stays).to.deep.equal([25_000, 35_000, 40_000]);
  });

  const shown = () => toasts.getState().shown?.title;

  it('stands for its time, and takes back once', async () => {
    toasts.push(undoable('One'));
    await clock.advance(undoSeconds * 1000 - 1);
    expect(shown()).to.equal('One');
    toasts.undo();
    toasts.undo();
    expect(undone).to.deep.equal(['One']);
    expect(shown()).to.equal(undefined);
  });

  it('is over after its time', async () => {
    toasts.push(undoable('One'));
    await clock.advance(undoSeconds * 1000);
    toasts.undo();
    expect(undone).to.deep.equal([]);
  });

  it('is of what was done last, with the whole time again', async () => {
    toasts.push(undoable('One'));
    await clock.advance(20_000);
    toasts.push(undoable('Two'));
    await clock.advance(29_999);
    expect(shown()).to.equal('Two');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('stays while somebody is at it, and then for the rest of its time', async () => {
    toasts.push(undoable('One'));
    await clock.advance(20_000);
    toasts.pause();
    toasts.pause();
    await clock.advance(600_000);
    expect(shown()).to.equal('One');
    toasts.resume();
    toasts.resume();
    await clock.advance(9_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('goes back step by step, each step for the rest of its own time', async () => {
    toasts.push(undoable('One'));
    await clock.advance(10_000);
    toasts.push(undoable('Two'));
    await clock.advance(5_000);
    toasts.undo();
    expect(undone).to.deep.equal(['Two']);
    expect(shown()).to.equal('One');
    await clock.advance(14_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('leads to the one before when the latest is closed', () => {
    toasts.push(undoable('One'));
    toasts.push(undoable('Two'));
    toasts.dismiss();
    expect(shown()).to.equal('One');
    toasts.undo();
    expect(undone).to.deep.equal(['One']);
  });

  it('stays with all that can be taken back while somebody is at it, from one to the next', async () => {
    const stays: string[] = [];
    const staying = (title: string) => ({ ...undoable(title), stay: () => void stays.push(title) });
    toasts.push(staying('One'));
    await clock.advance(20_000);
    toasts.push(staying('Two'));
    toasts.pause();
    await clock.advance(60_000);
    toasts.undo();
    expect(shown()).to.equal('One');
    stays.length = 0;
    await clock.advance(60_000);
    expect(shown()).to.equal('One');
    expect(stays).to.deep.equal(Array.from({ length: 6 }, () => 'One'));
    toasts.resume();
    await clock.advance(9_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
    toasts.push(undoable('Three'));
    await clock.advance(undoSeconds * 1000);
    expect(shown()).to.equal(undefined);
  });
});
