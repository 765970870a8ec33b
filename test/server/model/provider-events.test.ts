import { expect } from 'chai';
import { describe, it } from 'mocha';
import { applyEvent, createProgress } from '../../../server/model/provider-events.ts';

const start = (message: unknown) => ({ type: 'message_start', message });
const delta = (type: string, content: object) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type, ...content },
});
const textDelta = (text: unknown) => delta('text_delta', { text });
const block = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block });
const stop = { type: 'message_stop' };

function read(events: readonly object[], maxBytes = 1000) {
  const progress = createProgress('configured-model', maxBytes);
  const deltas = events.map((event) => applyEvent(progress, event)).filter((text) => text !== '');
  return { ...progress, deltas };
}

describe('applyEvent', () => {
  describe('with events of a compatible server', () => {
    it('accepts content_block_start with and without text', () => {
      const { deltas } = read([
        block({ type: 'text', text: 'One' }),
        textDelta(' two'),
        block({ type: 'text' }),
        textDelta(' three'),
        stop,
      ]);
      expect(deltas).to.deep.equal(['One', ' two', ' three']);
    });

    for (const [title, message] of [
      ['no message', undefined],
      ['no model and no usage', { id: 'msg_1' }],
      ['null for model and usage', { id: null, model: null, usage: null }],
      ['an empty model', { model: '', usage: {} }],
      [
        'invalid counts',
        {
          model: 7,
          usage: {
            input_tokens: -1,
            output_tokens: 1.5,
            cache_read_input_tokens: '9',
            cache_creation_input_tokens: 1e300,
          },
        },
      ],
    ] as const) {
      it(`falls back to the configured model and to counts of 0 for ${title} in message_start`, () => {
        const { model, usage } = read([start(message), stop]);
        expect(model).to.equal('configured-model');
        expect(usage).to.deep.equal({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 });
      });
    }

    it('throws for a message_start after content, because the content can belong to another reply', () => {
      expect(() => read([textDelta('One'), start({ id: 'msg_1' })])).to.throw('Another message started');
    });

    it('truncates the model and the stop reason to 128 characters', () => {
      const { model, stopReason } = read([
        start({ model: 'm'.repeat(129) }),
        { type: 'message_delta', delta: { stop_reason: 's'.repeat(1000) } },
        stop,
      ]);
      expect({ model, stopReason }).to.deep.equal({ model: 'm'.repeat(128), stopReason: 's'.repeat(128) });
    });

    it('accepts message_delta without delta or usage', () => {
      const { stopReason, usage } = read([
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null },
        { type: 'message_delta', usage: { output_tokens: 7 } },
        { type: 'message_delta', delta: null },
        stop,
      ]);
      expect([stopReason, usage.outputTokens]).to.deep.equal(['end_turn', 7]);
    });

    it('accepts a repeated message_start and message_stop', () => {
      const started = start({ id: 'msg_1' });
      const { deltas, finished } = read([started, started, textDelta('One'), stop, { type: 'ping' }, stop]);
      expect({ deltas, finished }).to.deep.equal({ deltas: ['One'], finished: true });
    });
  });

  it('joins half a surrogate pair at the end of a content block with the next block', () => {
    const thinking = delta('thinking_delta', { thinking: 'Hm.' });
    const { deltas } = read([textDelta('\ud83d'), thinking, block({ type: 'text', text: '\ude00' }), stop]);
    expect(deltas).to.deep.equal(['😀']);
  });

  it('counts the bytes of all content, including content other than text', () => {
    const { streamedBytes } = read([
      start({ id: 'msg_1' }),
      block({ type: 'text', text: '12' }),
      textDelta('é'),
      block({ type: 'redacted_thinking', data: '12345678' }),
      delta('thinking_delta', { thinking: '1234' }),
      delta('signature_delta', { signature: '12345678' }),
      delta('input_json_delta', { partial_json: '1234567890' }),
      delta('unheard_of_delta', { list: ['1'] }),
      { type: 'ping' },
    ]);
    expect(streamedBytes).to.equal(2 + 2 + 8 + 4 + 8 + 10 + '["1"]'.length);
  });

  it('throws once its content exceeds maxBytes', () => {
    expect(read([textDelta('12345678'), stop], 8).finished).to.equal(true);
    expect(() => read([textDelta('12345678'), textDelta('9')], 8)).to.throw('more than 8 bytes');
  });
});
