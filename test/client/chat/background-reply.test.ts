import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type BackgroundReply, createBackgroundReply } from '../../../client/chat/background-reply.ts';

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

  it('marks a failed reply without calling onFinished', () => {
    background.setHidden(true);
    background.start();
    background.end('failed');
    expect(mark()).to.equal('failed');
    expect(finished).to.equal(0);
  });

  it('sets no mark for a stopped or unsent turn', () => {
    background.setHidden(true);
    for (const result of ['stopped', 'notSent'] as const) {
      background.start();
      background.end(result);
      expect(mark()).to.equal(null);
    }
  });
});
