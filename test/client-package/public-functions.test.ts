import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as client from '../../client-package/main.ts';
import * as testing from '../../client-package/testing.ts';
import * as testingNode from '../../client-package/testing-node.ts';
import * as truncation from '../../client-package/truncation.ts';

describe('The functions of the client package', () => {
  const names = (module: object) => Object.keys(module).toSorted();

  it('are those that clients and their tests import', () => {
    expect(names(client)).to.deep.equal([
      ...['attempt', 'canQueue', 'canSend', 'createConversation', 'createStoredCooldown', 'createTranscript'],
      ...['createWebLock', 'isRefusal', 'nextDelaySeconds', 'noLock', 'secondsLeft', 'sendTurn', 'systemClock'],
    ]);
    expect(names(testing)).to.deep.equal([
      ...['createFakeClock', 'createFakeLock', 'createFakeStorage', 'isIdle', 'isRetrying', 'retryCases', 'until'],
    ]);
    expect(names(testingNode)).to.deep.equal([
      ...['answersWith', 'cutsReply', 'fails', 'failsMidway', 'hangsUp', 'replies', 'startFakeBackend'],
      ...['staysSilent', 'toAnswer'],
    ]);
    expect(names(truncation)).to.deep.equal(['mayBeTruncated']);
  });
});

describe('secondsLeft', () => {
  it('rounds up, and returns 0 for null and once the time has passed', async () => {
    const clock = testing.createFakeClock();
    const time = clock.steadyNow() + 1500;
    const counted = [client.secondsLeft(time, clock)];
    for (let step = 0; step < 3; step += 1) {
      await clock.advance(500);
      counted.push(client.secondsLeft(time, clock));
    }
    await clock.advance(5000);
    expect([...counted, client.secondsLeft(time, clock), client.secondsLeft(null, clock)]).to.deep.equal([
      2, 1, 1, 0, 0, 0,
    ]);
  });
});
