import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';

const valid = { model: 'some-model', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const block = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };

const refusals: [string, unknown, RegExp][] = [
  ['no max_tokens', { ...valid, max_tokens: undefined }, /^max_tokens: /],
  ['empty content', { ...valid, messages: [{ role: 'user', content: '' }] }, /^messages\.0\.content: /],
  [
    'an assistant message last',
    { ...valid, messages: [...valid.messages, { role: 'assistant', content: 'Hi' }] },
    /must end with a user message/,
  ],
  [
    'five breakpoints over system and messages',
    { ...valid, system: [block, block, block], messages: [{ role: 'user', content: [block, block] }] },
    /maximum of 4 .* Found 5/,
  ],
];

describe('the provider server', () => {
  const provider = ofSuite(() => createScriptedProvider());

  function post(body: unknown, path = '/v1/messages') {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(`${provider.url}${path}`, { method: 'POST', body: text });
  }

  it('streams the events of a reply in the order of the real one', async () => {
    provider.reset();
    const response = await post(valid);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).to.match(/^req_/);
    const stream = await response.text();
    expect([...stream.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).to.deep.equal([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  for (const [what, body, message] of refusals) {
    it(`refuses ${what}`, async () => {
      const response = await post(body);
      const refusal = await response.json();
      expect(response.status).to.equal(400);
      expect(refusal.error.message).to.match(message);
      expect(refusal).to.deep.equal({
        type: 'error',
        error: { type: 'invalid_request_error', message: refusal.error.message },
        request_id: response.headers.get('request-id'),
      });
    });
  }
});
