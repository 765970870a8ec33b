import { createServer } from 'node:http';
import { promisify } from 'node:util';
import type { ProviderSettings } from '../../../server/auth/providers.ts';
import { emulatorOptions } from '../../../server/embedded/emulated-sign-in.ts';
import { listen } from '../../support/loopback.ts';

/** A body to respond with, an error status, `silence` for no response, or `stall` for one that never ends. */
type Answer = string | number;

const successfulAnswers = {
  '/login/oauth/access_token': JSON.stringify({ access_token: 'a-token-of-these-tests' }),
  '/user': JSON.stringify({ id: 7, login: 'casey-example', name: null, email: null }),
  '/user/emails': '[]',
};

/**
 * `answers` maps each path to its response, initially a successful one; other paths return 404. `connections` resolves to the
 * number of open connections.
 */
export async function startScriptedGitHub() {
  const answers: Record<string, Answer> = { ...successfulAnswers };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider.invalid');
    const answer = answers[pathname] ?? 404;
    if (answer === 'silence') return;
    if (answer === 'stall') response.write('{');
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(answer);
  });
  const { port, close } = await listen(server);
  const options = emulatorOptions('github', `http://127.0.0.1:${port}`);
  const settings: ProviderSettings = { clientId: 'id', clientSecret: 'secret', ...options };
  const connections = () => promisify(server.getConnections.bind(server))();
  const reset = () => void Object.assign(answers, successfulAnswers);
  return { settings, answers, reset, connections, close };
}
