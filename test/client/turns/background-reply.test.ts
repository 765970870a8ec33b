import { expect } from 'chai';
import { describe, it } from 'mocha';
import { backgroundMark, unseenResultOf } from '../../../client/turns/background-reply.ts';

describe('The mark of a tab', () => {
  it('shows that a reply has ended, or else that one is running, but only while the tab is hidden', () => {
    for (const [isHidden, isRunning, unseenResult, mark] of [
      [false, true, 'finished', null],
      [true, true, null, 'running'],
      [true, false, null, null],
      [true, true, 'failed', 'failed'],
    ] as const) {
      expect(backgroundMark({ isHidden, isRunning, unseenResult })).to.equal(mark);
    }
  });
});

describe('The end of a turn in a hidden tab', () => {
  it('is finished after a complete reply, failed after an incomplete reply, and not reported without a reply', () => {
    for (const [outcome, result] of [
      [{ type: 'done' }, 'finished'],
      [{ type: 'done', mayBeTruncated: true }, 'failed'],
      [{ type: 'failed' }, 'failed'],
      [{ type: 'interrupted' }, 'failed'],
      [{ type: 'left' }, 'failed'],
      [{ type: 'stopped' }, null],
      [null, null],
      [undefined, null],
    ] as const) {
      expect(unseenResultOf(outcome), JSON.stringify(outcome)).to.equal(result);
    }
  });
});
