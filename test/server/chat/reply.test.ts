import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { streamReply } from '../../../server/chat/reply.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import { request } from '../model/ask.ts';

describe('streamReply', () => {
  it('aborts the request to the provider if the session has already ended', async () => {
    const reply: TextReply = {
      interrupted: new AbortController().signal,
      isOpen: true,
      hasStarted: false,
      write() {},
      end() {},
    };
    const ended = AbortSignal.abort(new AppError('UNAUTHENTICATED'));
    let isAborted: boolean | undefined;
    const model: Parameters<typeof streamReply>[0] = {
      async reply(_request, _onText, signal) {
        isAborted = signal.aborted;
        const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 };
        const known = { usage, streamedBytes: 0, stopReason: null, model: 'test', providerRequestId: null };
        return { ...known, ending: 'aborted', error: null };
      },
      close: async () => undefined,
    };
    const { error } = await streamReply(model, request, reply, [ended]);
    expect(isAborted).to.equal(true);
    expect(error).to.include({ code: 'UNAUTHENTICATED' });
  });
});
