import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { streamReply } from '../../../server/chat/reply.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import type { ModelRequest } from '../../../server/model/anthropic-model.ts';
import { takeOnce } from '../../../server/take-once.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { createTestModel, request } from './ask.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Resolves once none of `references` is reachable. */
async function collected(references: readonly WeakRef<object>[]): Promise<void> {
  await eventually(() => {
    collectGarbage();
    return references.every((reference) => reference.deref() === undefined) || undefined;
  });
}

describe('the memory of a model reply', () => {
  const provider = perSuite(() => createScriptedProvider());
  const model = perSuite(() => createTestModel(provider.url));

  /** Returns a reference to an object that only the reply held. */
  async function finishedReply(): Promise<WeakRef<object>> {
    const sink = () => {};
    await model.reply(request, sink, new AbortController().signal);
    return new WeakRef(sink);
  }

  it('is released once the reply has ended', async () => {
    const replies: WeakRef<object>[] = [];
    for (let count = 0; count < 5; count += 1) replies.push(await finishedReply());
    // The idle connection can still hold the last reply, so one more follows.
    await finishedReply();
    await collected(replies);
  });

  it('does not include the prompt and the conversation once they have been sent', async () => {
    const [started, remainder] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.answerWith({ steps: [{ text: 'We' }, { wait: remainder.promise }, { text: ' begin.' }] });
    const reader: TextReply = {
      interrupted: new AbortController().signal,
      isOpen: true,
      hasStarted: true,
      write: () => started.resolve(),
      end() {},
    };
    const start = () => {
      const { system, messages } = request.prompt();
      const prompt = { system: [...system], messages: [...messages] };
      const question: ModelRequest = { ...request, prompt: takeOnce(prompt) };
      const replying = streamReply(model, question, reader, [new AbortController().signal]);
      return { replying, held: [prompt, prompt.system, prompt.messages].map((part) => new WeakRef<object>(part)) };
    };
    const { replying, held } = start();
    await started.promise;
    await collected(held);
    remainder.resolve();
    expect((await replying).text).to.equal('We begin.');
  });
});
