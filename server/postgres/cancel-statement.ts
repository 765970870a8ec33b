import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Connection } from 'pg';
import type { Connected } from './server-search.ts';

/** As much of `pg`'s own connection as a cancellation needs; its types leave it out. */
type Wire = EventEmitter & {
  readonly stream: Duplex;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/** What the server told the client at sign-in. */
type Named = { processID: number; secretKey: number };

const longestMilliseconds = 1_000;

/**
 * Asks the server, over a connection of its own as the protocol has it, to cancel what `connected` is carrying out; a pooler
 * in between passes it on. Resolves when the server has taken it, or when it takes too long; never rejects.
 */
export function cancelStatement({ client, host, tls }: Connected): Promise<void> {
  // The client's own `cancel` has no TLS: a listener on the network could read the key and cancel too.
  const wire = new Connection(tls === undefined ? {} : { ssl: tls }) as Connection & Wire;
  const { processID, secretKey } = client as unknown as Named;
  const cancel = () => wire.cancel(processID, secretKey);
  return new Promise((resolve) => {
    const timer = setTimeout(() => wire.stream.destroy(), longestMilliseconds);
    wire.on('connect', () => (tls ? wire.requestSsl() : cancel()));
    wire.on('sslconnect', cancel);
    wire.on('error', () => wire.stream.destroy());
    wire.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.name.startsWith('/')) wire.connect(`${host.name}/.s.PGSQL.${host.port}`);
    else wire.connect(host.port, host.name || 'localhost');
  });
}
