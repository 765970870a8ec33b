import { expect } from 'chai';
import { describe, it } from 'mocha';
import { backgroundMark, unseenResultOf } from '../../../client/turns/background-reply.ts';

describe('The mark of a tab', () => {
  it('shows nothing while the tab is visible', () => {
    expect(backgroundMark({ isHidden: false, isRunning: true, unseenResult: 'finished' })).to.equal(null);
  });

  it('shows a running reply while the tab is hidden', () => {
    expect(backgroundMark({ isHidden: true, isRunning: true, unseenResult: null })).to.equal('running');
    expect(backgroundMark({ isHidden: true, isRunning: false, unseenResult: null })).to.equal(null);
  });

  it('shows the end of a reply even while another one is running', () => {
    expect(backgroundMark({ isHidden: true, isRunning: true, unseenResult: 'failed' })).to.equal('failed');
  });
});

describe('The end of a turn in a hidden tab', () => {
  it('counts as finished for a complete reply, and as failed for an error, a lost connection and a page that was left', () => {
    expect(unseenResultOf({ type: 'done' })).to.equal('finished');
    expect(unseenResultOf({ type: 'done', mayBeTruncated: true })).to.equal('failed');
    for (const type of ['failed', 'interrupted', 'left']) expect(unseenResultOf({ type }), type).to.equal('failed');
  });

  it('is not reported for a turn that was stopped or not sent', () => {
    for (const outcome of [{ type: 'stopped' }, null, undefined]) expect(unseenResultOf(outcome)).to.equal(null);
  });
});
