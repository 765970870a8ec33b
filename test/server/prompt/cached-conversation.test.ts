import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { closing } from '../../support/closing.ts';
import { createTestApp, question } from '../../support/test-app.ts';

describe('what the provider keeps in its cache', () => {
  it('is the same prompt in the next turn of a conversation, some minutes later', async () => {
    await using app = await createTestApp();
    const clock = install({ now: new Date().setUTCHours(12, 0, 0, 0), toFake: ['Date'] });
    await using _clock = closing({ close: async () => clock.uninstall() });
    const avery = await app.person();
    for (const _turn of [1, 2]) {
      await (await app.live(avery, question())).text();
      clock.tick(4 * 60_000);
    }
    const [first, second] = app.provider.requests.map(({ body }) => body.system);
    expect(second).to.deep.equal(first);
  });
});
