import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

describe('the requests under way', () => {
  const app = ofSuite(() => createTestApp());
  const avery = ofSuite(() => app.person());

  it('are not over before what came of a reply is stored whose client has left', async () => {
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
    const reply = await app.live(avery, question());
    const over = app.requests.over();
    await reply.body?.cancel();
    await over;
    const answers = await app.storage.rows(`select content from chat_messages where role = 'ASSISTANT'`);
    expect(answers).to.deep.equal([{ content: 'Half, ' }]);
  });
});
