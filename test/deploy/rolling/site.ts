import { Agent, buildConnector, Dispatcher1Wrapper } from 'undici';
import { proxyHost, type ShippedProxy } from '../shipped-proxy.ts';

/** The service as browsers reach it through the proxy; every answer's status is counted. */
export function createSite({ port, ca }: Pick<ShippedProxy, 'port' | 'ca'>) {
  const statuses: Record<number, number> = {};
  const connect = buildConnector({ ca });
  const agent = new Agent({
    connect: (options, connected) => connect({ ...options, hostname: '127.0.0.1' }, connected),
  });
  const dispatcher = new Dispatcher1Wrapper(agent);

  return {
    url: `https://${proxyHost}:${port}`,
    statuses,
    /** `fetch` with these headers added. */
    fetchWith(added: Record<string, string>): typeof fetch {
      return async (input, init = {}) => {
        const headers = new Headers(init.headers);
        for (const [name, value] of Object.entries(added)) headers.set(name, value);
        const response = await fetch(input, { ...init, headers, dispatcher } as RequestInit);
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        return response;
      };
    },
    close: () => agent.destroy(),
  };
}

export type Site = ReturnType<typeof createSite>;
