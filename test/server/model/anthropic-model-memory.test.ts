import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { streamReply } from '../../../server/chat/reply.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import type { ModelRequest } from '../../../server/model/anthropic-model.ts';
import { takeOnce } from '../../../server/take-once.ts';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { createTestModel, request } from './ask.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Resolves once nobody holds any of `references`. */
async function forgotten(references: readonly WeakRef<object>[]): Promise<void> {
  await eventually(() => {
    collectGarbage();
    return references.every((reference) => reference.deref() === undefined) || undefined;
  });
}

describe('what a reply holds in memory', () => {
  const provider = ofSuite(() => createScriptedProvider());
  const model = ofSuite(() => createTestModel(provider.url));

  /** One reply, and what a process must not keep of it. */
  async function askAndForget(): Promise<WeakRef<object>> {
    const sink = () => {};
    await model.reply(request, sink, new AbortController().signal);
    return new WeakRef(sink);
  }

  it('is kept by nobody once it is over, however many there were', async () => {
    const replies: WeakRef<object>[] = [];
    for (let count = 0; count < 5; count += 1) replies.push(await askAndForget());
    // The last one may still be on the connection that waits for the next.
    await askAndForget();
    await forgotten(replies);
  });

  it('is neither its prompt nor its conversation once they are sent, however long it comes', async () => {
    const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.answerWith({ steps: [{ text: 'We' }, { wait: rest.promise }, { text: ' begin.' }] });
    const reader: TextReply = {
      interrupted: new AbortController().signal,
      isOpen: true,
      hasStarted: true,
      write: () => begun.resolve(),
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
    await begun.promise;
    await forgotten(held);
    rest.resolve();
    expect((await replying).text).to.equal('We begin.');
  });
});
