import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type BackgroundReply, createBackgroundReply } from '../../../client/chat/background-reply.ts';

describe('a reply in the background', () => {
  let finished: number;
  let background: BackgroundReply;
  const mark = () => background.getState().mark;

  beforeEach(() => {
    finished = 0;
    background = createBackgroundReply(() => {
      finished += 1;
    });
  });

  it('is told of as not finished where it failed, and nothing calls the person for that', () => {
    background.setHidden(true);
    background.start();
    background.end('failed');
    expect(mark()).to.equal('failed');
    expect(finished).to.equal(0);
  });

  it('is not told of where the person stopped it, or where nothing was sent', () => {
    background.setHidden(true);
    for (const result of ['stopped', 'notSent'] as const) {
      background.start();
      background.end(result);
      expect(mark()).to.equal(null);
    }
  });
});
