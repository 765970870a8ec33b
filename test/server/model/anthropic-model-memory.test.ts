import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { describe, it } from 'mocha';
import type { Model } from '../../../server/model/anthropic-model.ts';
import type { Traces } from '../../../server/tracing/traces.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';
import { createTestModel, request } from './ask.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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
    await model.start(request, new AbortController().signal).stream(sink);
    return new WeakRef(sink);
  }

  it('is released once the reply has ended', async () => {
    const replies: WeakRef<object>[] = [];
    for (let count = 0; count < 5; count += 1) replies.push(await finishedReply());
    // The idle connection can still hold the last reply, so one more follows.
    await finishedReply();
    await collected(replies);
  });
});

describe('the memory of an open stream', () => {
  /** The parsed bodies of the requests, and the prompts that were made of them. */
  const held: WeakRef<object>[] = [];

  const recordBody: RequestHandler = (request, _response, next) => {
    let body: unknown;
    Object.defineProperty(request, 'body', {
      get: () => body,
      set(value: unknown) {
        if (typeof value === 'object' && value !== null) held.push(new WeakRef(value));
        body = value;
      },
    });
    next();
  };
  const recordPrompts = (model: Model): Model => ({
    ...model,
    start(modelRequest, signal) {
      held.push(new WeakRef(modelRequest.prompt), new WeakRef(modelRequest.prompt.messages));
      return model.start(modelRequest, signal);
    },
  });
  const traces: Traces = {
    traceRequest: recordBody,
    traceModel: recordPrompts,
    observe() {},
    traceCall: (_name, call) => call(),
    close: async () => undefined,
  };
  const app = perSuite(() => createTestApp({ traces }));
  const avery = perSuite(() => app.person());

  for (const [route, ask] of [
    ['live', () => app.live(avery, question())],
    ['demo', () => app.demo(question())],
  ] as const) {
    it(`of ${route} chat includes neither the request's messages nor the prompt`, async () => {
      const remainder = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'We' }, { wait: remainder.promise }, { text: ' begin.' }] });
      held.length = 0;
      const response = await ask();
      expect(held).to.have.length(3);
      await collected(held);
      remainder.resolve();
      expect(await response.text()).to.equal('We begin.');
    });
  }
});
