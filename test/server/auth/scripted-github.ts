import { createServer } from 'node:http';
import type { ProviderSettings } from '../../../server/auth/providers.ts';
import { listen } from '../../support/loopback.ts';

/** A body to answer with, a status to fail with, no answer at all (`silence`), or one that never ends (`stall`). */
type Answer = string | number;

const wellBehaved = {
  '/login/oauth/access_token': JSON.stringify({ access_token: 'a-token-of-these-tests' }),
  '/user': JSON.stringify({ id: 7, login: 'casey-example', name: null, email: null }),
  '/user/emails': '[]',
};

/** GitHub, by path: each request is answered the same way, at first as it should be; other paths are 404. */
export async function startScriptedGitHub() {
  const answers: Record<string, Answer> = { ...wellBehaved };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider.invalid');
    const answer = answers[pathname] ?? 404;
    if (answer === 'silence') return;
    if (answer === 'stall') response.write('{');
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(answer);
  });
  const { port, close } = await listen(server);
  const settings: ProviderSettings = { clientId: 'id', clientSecret: 'secret', baseUrl: `http://127.0.0.1:${port}` };
  return { settings, answers, close };
}
