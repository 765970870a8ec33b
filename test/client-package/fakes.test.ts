import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hangsUp, startFakeBackend, staysSilent } from '../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../client-package/testing/fake-clock.ts';

describe('The fake clock', () => {
  it('runs what falls due in order, at its own time, and nothing that falls due later', async () => {
    const clock = createFakeClock();
    const start = clock.now();
    const ran: [string, number][] = [];
    const note = (what: string) => () => ran.push([what, clock.now() - start]);
    clock.after(3000, note('three'));
    clock.after(1000, note('one'));
    clock.after(1000, note('one too'));
    clock.after(3001, note('later'));
    await clock.advance(3000);
    expect(ran).to.deep.equal([
      ['one', 1000],
      ['one too', 1000],
      ['three', 3000],
    ]);
    await clock.advance(1);
    expect(ran.at(-1)).to.deep.equal(['later', 3001]);
  });

  it('stands still where nobody advances it, and forgets what was called off', async () => {
    const clock = createFakeClock();
    const start = clock.now();
    let ran = false;
    const callOff = clock.after(1000, () => {
      ran = true;
    });
    callOff();
    await clock.advance(1000);
    expect([ran, clock.now() - start]).to.deep.equal([false, 1000]);
  });

  it('waits for what a timer leads to, which may set the next one', async () => {
    const clock = createFakeClock();
    const times: number[] = [];
    const start = clock.now();
    async function tick(): Promise<void> {
      await Promise.resolve();
      times.push(clock.now() - start);
      clock.after(1000, tick);
    }
    clock.after(1000, tick);
    await clock.advance(3500);
    expect(times).to.deep.equal([1000, 2000, 3000]);
  });
});

describe('The fake backend', () => {
  const post = (url: string, init: RequestInit) => fetch(url, { method: 'POST', body: '{}', ...init });

  it('says that it expected no request where nothing is queued, and remembers it', async () => {
    await using backend = await startFakeBackend();
    const response = await post(backend.url, { headers: { 'X-Request-Id': 'turn-1' } });
    expect([response.status, response.headers.get('X-Request-Id')]).to.deep.equal([418, 'turn-1']);
    expect(backend.requests).to.deep.equal([{ requestId: 'turn-1', body: {} }]);
  });

  it('breaks a connection, and keeps one waiting', async () => {
    await using backend = await startFakeBackend();
    backend.answer(hangsUp, staysSilent);
    const broken = await post(backend.url, {}).catch((reason: unknown) => reason);
    expect(broken).to.be.instanceOf(TypeError);
    const signal = AbortSignal.timeout(50);
    const silent = await post(backend.url, { signal }).catch((reason: unknown) => reason);
    expect(silent).to.include({ name: 'TimeoutError' });
  });
});
