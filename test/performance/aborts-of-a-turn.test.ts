import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';

/* Each call makes an error with its stack, also where the controller has aborted before: 0.1 ms of a turn. */
describe('a turn that ends well', () => {
  const { abort } = AbortController.prototype;
  let app: TestApp;
  let aborts = 0;

  before(async () => {
    AbortController.prototype.abort = function (reason) {
      aborts += 1;
      abort.call(this, reason);
    };
    app = await createTestApp();
  });
  after(async () => {
    AbortController.prototype.abort = abort;
    await app.close();
  });

  async function abortsOf(ask: () => Promise<Response>): Promise<number> {
    aborts = 0;
    expect(await (await ask()).text()).not.to.equal('');
    await eventually(() => (app.streams.underWay === 0 ? true : undefined));
    return aborts;
  }

  it('aborts nothing, in demo chat and in live chat', async () => {
    const avery = await app.person();
    expect(await abortsOf(() => app.demo(question()))).to.equal(0);
    expect(await abortsOf(() => app.live(avery, question()))).to.equal(0);
  });
});
