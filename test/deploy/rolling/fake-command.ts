import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Creates an executable in `directory` that calls `act` with its arguments, prints the result, and fails if `act` rejects. */
export async function createFakeCommand(directory: string, name: string, act: (parameters: string) => Promise<string>) {
  const server = createServer(async (request, response) => {
    try {
      response.end(await act(await text(request)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lines = ['#!/bin/sh', `exec curl --silent --fail-with-body --data-binary "$*" http://127.0.0.1:${port}`];
  await writeFile(join(directory, name), `${lines.join('\n')}\n`, { mode: 0o755 });
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
}
