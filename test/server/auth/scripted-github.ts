import { createServer } from 'node:http';
import type { ProviderSettings } from '../../../server/auth/providers.ts';
import { listen } from '../../support/loopback.ts';

/** A body to answer with, a status to fail with, no answer at all (`silence`), one that never ends (`stall`), or 64 MiB (`flood`). */
type Answer = string | number;

const floodBytes = 64 * 1024 * 1024;

/** GitHub as far as a script says: by path, each request is answered the same way; other paths are 404. */
export async function startScriptedGitHub(answers: Record<string, Answer>) {
  /** Bytes of the flood that were taken, or are on the way. */
  let flooded = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider.invalid');
    const answer = answers[pathname] ?? 404;
    if (answer === 'silence') return;
    if (answer === 'stall') response.write('{');
    else if (answer === 'flood') {
      const piece = Buffer.alloc(64 * 1024, ' ');
      const pour = () => {
        do {
          if (flooded === floodBytes) return void response.end();
          flooded += piece.length;
        } while (response.write(piece));
      };
      response.on('drain', pour);
      pour();
    } else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(answer);
  });
  const { port, close } = await listen(server);
  const settings: ProviderSettings = { clientId: 'id', clientSecret: 'secret', baseUrl: `http://127.0.0.1:${port}` };
  return { settings, answers, flooded: () => flooded, close };
}
