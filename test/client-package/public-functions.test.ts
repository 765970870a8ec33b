import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as client from '../../client-package/main.ts';
import * as testing from '../../client-package/testing.ts';
import * as testingNode from '../../client-package/testing-node.ts';
import * as truncation from '../../client-package/truncation.ts';

describe('The functions of the client package', () => {
  it('are those that clients and their tests import', () => {
    expect(Object.keys(client).toSorted()).to.deep.equal([
      'attempt',
      'canQueue',
      'canSend',
      'createConversation',
      'createStoredCooldown',
      'createTranscript',
      'createWebLock',
      'isRefusal',
      'nextDelaySeconds',
      'noLock',
      'secondsLeft',
      'sendTurn',
      'systemClock',
    ]);
    expect(Object.keys(testing).toSorted()).to.deep.equal([
      'createFakeClock',
      'createFakeLock',
      'createFakeStorage',
      'isIdle',
      'isRetrying',
      'retryCases',
      'until',
    ]);
    expect(Object.keys(testingNode).toSorted()).to.deep.equal([
      'answersWith',
      'cutsReply',
      'fails',
      'failsMidway',
      'hangsUp',
      'replies',
      'startFakeBackend',
      'staysSilent',
      'toAnswer',
    ]);
    expect(Object.keys(truncation)).to.deep.equal(['mayBeTruncated']);
  });
});
