import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Browser, createBrowser, locationOf } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider, defaultReply } from '../support/scripted-provider.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { exampleOnboarding, post, question } from '../support/test-app.ts';

const hourSeconds = 3600;

describe('When the system clock is set', function () {
  this.timeout(120_000);
  let served: ReturnType<typeof serveInProcess>;
  let url: string;
  let avery: Browser;

  after(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });
  const data = perSuite(() => createMigratedDataDirectory());
  const provider = perSuite(() => createScriptedProvider());
  before(async () => {
    served = serveInProcess({
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/faults/clock-preload.ts'))}`,
      DATA_DIR: data.path,
      ANTHROPIC_BASE_URL: provider.url,
    });
    url = await served.url;
    avery = createBrowser(url);
    await avery.signInWith('google', 'avery@example.com');
    await avery.post('/onboarding', exampleOnboarding);
  });

  async function setClock(offHours: number) {
    const line = `The clock is off by ${offHours} hours.`;
    const before = served.output.filter((each) => each === line).length;
    served.kill('SIGUSR2');
    await eventually(() => (served.output.filter((each) => each === line).length > before ? true : undefined));
  }

  const demo = (address: string) => post(`${url}/api/chat/demo`, question(), { 'X-Forwarded-For': address });
  const live = () => post(`${url}/api/chat`, question(), { Cookie: avery.cookies().join('; ') });

  for (const [direction, offHours] of [
    ['an hour forward', 1],
    ['two hours back', -1],
    ['to the correct time', 0],
  ] as const) {
    it(`${direction}, limits and sessions stay in effect, and Retry-After is within the window`, async () => {
      const limited = `limited before it is set ${direction}`;
      for (let count = 0; count < 15; count += 1) expect((await demo(limited)).status).to.equal(200);
      const signingIn = createBrowser(url);
      const state = new URL(await signingIn.addressAtProvider('github')).searchParams.get('state');
      await setClock(offHours);

      const refused = await demo(limited);
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, hourSeconds);
      expect((await demo(`new after it was set ${direction}`)).status).to.equal(200);
      expect((await (await avery.request('/auth/session')).json()).user).to.include({ name: 'Avery Example' });
      const reply = await live();
      expect([reply.status, await reply.text()]).to.deep.equal([200, defaultReply.text]);
      // "unavailable" means that the code was sent to the provider, which happens only if the attempt is still valid.
      const callback = await signingIn.request(`/auth/github/callback?code=invented&state=${state}`);
      expect(locationOf(callback)).to.equal('/sign-in?problem=unavailable');
      expect(locationOf(await createBrowser(url).signInWith('github', 'casey-example'))).to.equal('/onboarding');
    });
  }
});
