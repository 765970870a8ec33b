import { expect } from 'chai';
import { describe, it } from 'mocha';
import { applyEvent, startProgress } from '../../../server/model/provider-events.ts';

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
  const progress = startProgress('configured-model', maxBytes);
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

    it('preserves a count that a later event omits', () => {
      const usage = { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 };
      const { usage: counted } = read([
        start({ id: 'msg_1', usage }),
        { type: 'message_delta', usage: { output_tokens: 7 } },
        stop,
      ]);
      expect(counted).to.deep.equal({ inputTokens: 5, outputTokens: 7, cacheReadTokens: 2, cacheCreateTokens: 3 });
    });

    it('accepts a repeated message_start and message_stop', () => {
      const started = start({ id: 'msg_1' });
      const { deltas, finished } = read([started, started, textDelta('One'), stop, { type: 'ping' }, stop]);
      expect({ deltas, finished }).to.deep.equal({ deltas: ['One'], finished: true });
    });
  });

  describe('with half a surrogate pair at the end of a delta', () => {
    for (const [title, events, deltas] of [
      [
        'joins it with the start of the next delta',
        [textDelta('Good \ud83d'), textDelta('\ude00 day')],
        ['Good ', '😀 day'],
      ],
      ['holds it while deltas have no other text', [textDelta('\ud83d'), textDelta(''), textDelta('\ude00')], ['😀']],
      [
        'joins it with the next content block',
        [textDelta('\ud83d'), delta('thinking_delta', { thinking: 'Hm.' }), block({ type: 'text', text: '\ude00' })],
        ['😀'],
      ],
      ['leaves it unpaired if the next delta does not complete it', [textDelta('\ud83d'), textDelta('x')], ['\ud83dx']],
      ['replaces it with U+FFFD at the end of the reply', [textDelta('One\ud83d')], ['One', '\ufffd']],
    ] as const) {
      it(title, () => {
        expect(read([...events, stop]).deltas).to.deep.equal(deltas);
      });
    }
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

  for (const [title, one] of [
    ['text', textDelta('1234')],
    ['thinking', delta('thinking_delta', { thinking: '1234' })],
  ] as const) {
    it(`throws once ${title} exceeds maxBytes`, () => {
      expect(read([one, one, stop], 8).finished).to.equal(true);
      expect(() => read([one, one, one, stop], 8)).to.throw('more than 8 bytes');
    });
  }
});
