import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Creates a TCP proxy between the application and a server, whose connections a test can cut or freeze. */
export async function createTcpProxy(target: string) {
  const { hostname, port, protocol } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;

  const server = createServer((near) => {
    const far = connect(Number(port || (protocol === 'redis:' ? 6379 : 5432)), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
      one.pipe(other);
      if (frozen) one.pause();
    }
  });

  async function listen(at: number): Promise<number> {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const own = await listen(0);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(own);

  async function cut(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const [near] of pairs) near.destroy();
    await closed;
  }

  return {
    url: url.href,
    get open(): number {
      return pairs.size;
    },
    /** Closes all connections and refuses new ones, like a stopped server. */
    cut,
    restore: () => listen(own),
    /** Keeps connections open but forwards nothing, like a suspended process. */
    freeze() {
      frozen = true;
      for (const sockets of pairs) for (const socket of sockets) socket.unpipe().pause();
    },
    thaw() {
      frozen = false;
      for (const [near, far] of pairs) {
        near.pipe(far);
        far.pipe(near);
      }
    },
    close: cut,
  };
}
