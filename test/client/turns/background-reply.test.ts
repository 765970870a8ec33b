import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type BackgroundReply, createBackgroundReply, markOf } from '../../../client/turns/background-reply.ts';

describe('createBackgroundReply', () => {
  let finished: number;
  let background: BackgroundReply;
  const mark = (isRunning = false) => markOf(background.getState(), isRunning);

  beforeEach(() => {
    finished = 0;
    background = createBackgroundReply(() => {
      finished += 1;
    });
  });

  it('marks a running reply only while the tab is hidden', () => {
    expect(mark(true)).to.equal(null);
    background.setHidden(true);
    expect(mark(true)).to.equal('running');
    expect(mark(false)).to.equal(null);
  });

  it('marks a reply that finishes in a hidden tab until the tab is shown, and calls onFinished', () => {
    background.end({ type: 'done' });
    background.setHidden(true);
    expect(mark()).to.equal(null);
    expect(finished).to.equal(0);
    background.end({ type: 'done' });
    expect(mark(true)).to.equal('finished');
    expect(finished).to.equal(1);
    background.setHidden(false);
    background.setHidden(true);
    expect(mark()).to.equal(null);
  });

  it('marks a reply that fails in a hidden tab, without calling onFinished', () => {
    background.setHidden(true);
    background.end({ type: 'failed' });
    expect(mark()).to.equal('failed');
    expect(finished).to.equal(0);
  });

  it('sets no mark for a turn that is stopped or not sent in a hidden tab', () => {
    background.setHidden(true);
    for (const outcome of [{ type: 'stopped' }, null]) {
      background.end(outcome);
      expect(mark()).to.equal(null);
    }
  });
});
