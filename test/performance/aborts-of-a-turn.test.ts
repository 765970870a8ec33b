import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { createTestApp, question } from '../support/test-app.ts';

/* Each call makes an error with its stack, also where the controller has aborted before: 0.1 ms of a turn. */
describe('a turn that ends well', () => {
  const app = ofSuite(() => createTestApp());

  it('aborts nothing, in demo chat and in live chat', async () => {
    const avery = await app.person();
    const { abort } = AbortController.prototype;
    let aborts = 0;
    AbortController.prototype.abort = function (reason) {
      aborts += 1;
      abort.call(this, reason);
    };
    try {
      for (const ask of [() => app.demo(question()), () => app.live(avery, question())]) {
        expect(await (await ask()).text()).not.to.equal('');
        await eventually(() => (app.streams.underWay === 0 ? true : undefined));
      }
      expect(aborts).to.equal(0);
    } finally {
      AbortController.prototype.abort = abort;
    }
  });
});
