import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type BackgroundReply, createBackgroundReply } from '../../../client/turns/background-reply.ts';

describe('createBackgroundReply', () => {
  let finished: number;
  let background: BackgroundReply;
  const mark = () => background.getState().mark;

  beforeEach(() => {
    finished = 0;
    background = createBackgroundReply(() => {
      finished += 1;
    });
  });

  it('marks a reply that fails in a hidden tab, without calling onFinished', () => {
    background.setHidden(true);
    background.start();
    background.end('failed');
    expect(mark()).to.equal('failed');
    expect(finished).to.equal(0);
  });

  it('sets no mark for a turn that is stopped or not sent in a hidden tab', () => {
    background.setHidden(true);
    for (const result of ['stopped', 'notSent'] as const) {
      background.start();
      background.end(result);
      expect(mark()).to.equal(null);
    }
  });

  it('is marked as running in a hidden tab until the last of several replies has ended', () => {
    background.setHidden(true);
    background.start();
    background.start();
    expect(mark()).to.equal('running');
    background.end('stopped');
    expect(mark()).to.equal('running');
    background.end('stopped');
    expect(mark()).to.equal(null);
  });
});
