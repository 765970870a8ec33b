import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { after, before, describe, it } from 'mocha';
import type { Model } from '../../../server/model/model.ts';
import { eventually } from '../../support/eventually.ts';
import { createScriptedProvider, type ScriptedProvider } from '../../support/scripted-provider.ts';
import { createTestModel, request } from './ask.ts';

describe('a reply that is over', () => {
  let provider: ScriptedProvider;
  let model: Model;

  before(async () => {
    provider = await createScriptedProvider();
    model = createTestModel(provider.url);
  });
  after(async () => {
    await model.close();
    await provider.close();
  });

  /** One reply, and what a process must not keep of it. */
  async function askAndForget(): Promise<WeakRef<object>> {
    const sink = () => {};
    await model.reply(request, sink, new AbortController().signal);
    return new WeakRef(sink);
  }

  it('is kept by nobody, however many there were', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const replies: WeakRef<object>[] = [];
    for (let count = 0; count < 5; count += 1) replies.push(await askAndForget());
    // The last one may still be on the connection that waits for the next.
    await askAndForget();
    await eventually(() => {
      collectGarbage();
      return replies.every((reply) => reply.deref() === undefined) || undefined;
    });
  });
});
