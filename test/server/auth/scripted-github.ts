import { createServer } from 'node:http';
import type { ProviderSettings } from '../../../server/auth/providers.ts';
import { listen } from '../../support/loopback.ts';

/** A body to answer with, a status to fail with, no answer at all (`silence`), or one that never ends (`stall`). */
type Answer = string | number;

/** GitHub as far as a script says: by path, each request is answered the same way; other paths are 404. */
export async function startScriptedGitHub(answers: Record<string, Answer>) {
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
