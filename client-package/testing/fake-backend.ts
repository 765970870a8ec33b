import type { FakeBackend, FakeBackendOptions } from './fake-server.ts';

export { type Answer, answersWith, cutsReply, fails, failsMidway, hangsUp, replies, staysSilent } from './answers.ts';
export type { FakeBackend } from './fake-server.ts';

/**
 * Starts a fake service on a loopback port. It sends the queued answers in order, one per request to a chat route, and records all
 * requests. Requests that the real service refuses before it calls the model (wrong path or method, an invalid body) get
 * the same refusal and consume no answer. Declare it with `await using`, or close it. Requires Node, unlike the rest of this
 * module, which a browser can load.
 */
export async function startFakeBackend(options: FakeBackendOptions = {}): Promise<FakeBackend> {
  const { startFakeServer } = await import('./fake-server.ts');
  return startFakeServer(options);
}
