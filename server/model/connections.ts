import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** As long as undici keeps a connection that nobody uses. */
const spareMilliseconds = 4_000;

/**
 * Opens the connections to the provider at `baseUrl`, of which one can be opened ahead of its request: the handshakes, over
 * TLS two round trips, then pass while the request is still checked and stored.
 */
export function createConnections({ baseUrl, timeoutMilliseconds }: { baseUrl: string; timeoutMilliseconds: number }) {
  const connect = buildConnector({ timeout: timeoutMilliseconds, allowH2: false });
  const { hostname, host, protocol, port } = new URL(baseUrl);
  // A name in brackets is an IPv6 address, which sockets take without them.
  const provider = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, protocol, port };
  let inUse = 0;
  let spare: Promise<Socket> | undefined;
  let expiry: NodeJS.Timeout | undefined;

  function open(options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolve, reject) => {
      connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
    });
  }

  function takeSpare(): Promise<Socket> | undefined {
    const taken = spare;
    spare = undefined;
    clearTimeout(expiry);
    return taken;
  }

  return {
    /** How many are open and were asked for, whether or not a request is on them. */
    get inUse(): number {
      return inUse;
    },

    /** Opens one for whoever asks next, unless there is one already. If nobody does for four seconds it is closed again. */
    openAhead(): void {
      if (spare !== undefined) return;
      const opening = open(provider);
      spare = opening;
      // Whoever asks next opens one of their own then, and is told what is wrong.
      const forget = () => {
        if (spare === opening) takeSpare();
      };
      opening.then((socket) => {
        socket.once('error', forget).once('close', forget);
        if (spare !== opening) return;
        expiry = setTimeout(() => socket.destroy(), spareMilliseconds);
        expiry.unref();
      }, forget);
    },

    /** Gives the one that was opened ahead, or else a new one, in the shape that undici asks for. */
    connector(options: buildConnector.Options, callback: buildConnector.Callback): void {
      const opening = takeSpare() ?? open(options);
      opening.then(
        (socket) => {
          inUse += 1;
          socket.once('close', () => {
            inUse -= 1;
          });
          callback(null, socket);
        },
        (error) => callback(error, null),
      );
    },

    /** Closes the one that nobody has asked for. */
    async close(): Promise<void> {
      await takeSpare()?.then(
        (socket) => socket.destroy(),
        () => undefined,
      );
    },
  };
}
