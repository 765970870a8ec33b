import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { createProviderState, type ProviderState } from '../../../server/model/provider-state.ts';
import type { ErrorCode } from '../../../shared/errors.ts';

describe('the state of the model provider', () => {
  let clock: Clock;
  let provider: ProviderState;

  beforeEach(() => {
    clock = install({ toFake: ['performance'] });
    provider = createProviderState();
  });
  afterEach(() => clock.uninstall());

  const complete = { ending: 'complete', error: null } as const;
  const aborted = { ending: 'aborted', error: null } as const;
  const failed = (code: ErrorCode = 'UPSTREAM_ERROR') => ({ ending: 'failed', error: new AppError(code) }) as const;
  const state = () => provider.read().state;

  type Request = ReturnType<ProviderState['trackRequest']>;
  /** A request whose reply has ended with `result`, after its first text. */
  function reply(result: Parameters<Request['ended']>[0]): void {
    const request = provider.trackRequest();
    request.heard();
    request.textReceived();
    request.ended(result);
  }

  it('is unknown before the first reply', () => {
    const request = provider.trackRequest();
    expect(state()).to.equal('unknown');
    request.ended(aborted);
    expect(state()).to.equal('unknown');
  });

  it('is up after a complete reply, one that its client aborted after text, or a refusal', () => {
    for (const result of [complete, aborted, failed('UPSTREAM_BAD_REQUEST')]) {
      reply(failed());
      expect(state()).to.equal('unknown');
      reply(result);
      expect(state()).to.equal('up');
    }
  });

  it('is down after three consecutive failures, with the code of the last one, until the provider completes a reply', () => {
    reply(failed());
    reply(failed());
    expect(state()).to.equal('unknown');
    reply(failed('UPSTREAM_AUTH'));
    expect(provider.read()).to.deep.equal({
      state: 'down',
      seenSecondsAgo: 0,
      failuresInARow: 3,
      lastFailure: 'UPSTREAM_AUTH',
    });
    reply(complete);
    expect(provider.read()).to.deep.equal({ state: 'up', seenSecondsAgo: 0, failuresInARow: 0 });
  });

  it('is unknown five minutes after the last reply', () => {
    for (const result of [failed(), failed(), failed()]) reply(result);
    clock.tick(300_000);
    expect(state()).to.equal('down');
    clock.tick(1);
    expect(state()).to.equal('unknown');
  });

  describe('in a silence', () => {
    it('is down after 20 s in which a request waits and nothing arrives, until the provider sends something', () => {
      reply(complete);
      const request = provider.trackRequest();
      clock.tick(19_999);
      expect(state()).to.equal('up');
      clock.tick(1);
      expect(provider.read()).to.include({ state: 'down', silentSeconds: 20 });
      request.heard();
      expect(state()).to.equal('up');
    });

    it('is not down while another reply arrives, or while no request waits', () => {
      const waiting = provider.trackRequest();
      const other = provider.trackRequest();
      other.heard();
      other.textReceived();
      clock.tick(15_000);
      other.heard();
      clock.tick(15_000);
      expect(state()).to.equal('unknown');
      waiting.textReceived();
      clock.tick(60_000);
      expect(state()).to.equal('unknown');
    });

    for (const [how, result] of [
      ['has timed out', failed()],
      ['was aborted by its client', aborted],
    ] as const) {
      it(`stays down for five minutes after the request ${how}`, () => {
        const silent = provider.trackRequest();
        clock.tick(60_000);
        silent.ended(result);
        expect(provider.read()).to.include({ state: 'down', silentSeconds: 60 });
        const next = provider.trackRequest();
        expect(state()).to.equal('down');
        next.ended(aborted);
        clock.tick(300_000);
        expect(state()).to.equal('down');
        clock.tick(1);
        expect(state()).to.equal('unknown');
      });
    }
  });

  it('includes how long the oldest request has waited for its first text', () => {
    expect(provider.oldestWaitSeconds()).to.equal(0);
    const [first, second] = [provider.trackRequest(), provider.trackRequest()];
    clock.tick(7_500);
    const third = provider.trackRequest();
    clock.tick(1_000);
    first.textReceived();
    expect(provider.oldestWaitSeconds()).to.equal(8.5);
    second.ended(failed());
    expect(provider.oldestWaitSeconds()).to.equal(1);
    third.ended(aborted);
    expect(provider.oldestWaitSeconds()).to.equal(0);
  });
});
