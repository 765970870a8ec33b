import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent, buildConnector, Dispatcher1Wrapper } from 'undici';
import { systemClock } from '../../../client/chat/clock.ts';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import type { ProviderRequest } from '../../../server/embedded/provider-server.ts';
import { routes } from '../../../shared/interface.ts';
import { proxyHost, type ShippedProxy } from '../shipped-proxy.ts';

/** Creates a client of the service behind the proxy. `statuses` counts the responses by status. */
export function createSite({ port, ca }: Pick<ShippedProxy, 'port' | 'ca'>) {
  const statuses: Record<number, number> = {};
  // HTTP/1.1, because undici loses requests if nginx ends an HTTP/2 connection after a thousand of them. Browsers retry them.
  const connect = buildConnector({ ca, allowH2: false });
  const agent = new Agent({
    connect: (options, connected) => connect({ ...options, hostname: '127.0.0.1' }, connected),
  });
  const dispatcher = new Dispatcher1Wrapper(agent);

  return {
    url: `https://${proxyHost}:${port}`,
    statuses,
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

type Site = ReturnType<typeof createSite>;

/** The result of loading a page. `missing` lists the assets that failed or have the wrong content. */
export type PageLoad = { status: number; build: string | undefined; missing: string[] };

/** Loads a page repeatedly in several browsers, each with a delay between the page and its assets. */
export async function loadPages(site: Site, browsers: number, stop: AbortSignal): Promise<PageLoad[]> {
  const loads: PageLoad[] = [];
  const fetch = site.fetchWith({ Accept: 'text/html', 'Sec-Fetch-Dest': 'document' });

  async function load(): Promise<PageLoad> {
    const page = await fetch(`${site.url}/chat`);
    const text = await page.text();
    const assets = [...text.matchAll(/"(\/assets\/main-(\w+)\.\w+)"/g)];
    const missing: string[] = [];
    await delay(100);
    for (const [, path = '', build = ''] of assets) {
      const asset = await fetch(site.url + path);
      if (asset.status !== 200 || !(await asset.text()).includes(build)) missing.push(path);
    }
    return { status: page.status, build: assets[0]?.[2], missing };
  }

  async function browse(): Promise<void> {
    while (!stop.aborted) {
      loads.push(await load());
      await delay(200);
    }
  }
  await Promise.all(Array.from({ length: browsers }, browse));
  return loads;
}

export type EndedTurn = { number: number; ending: string | undefined; reply: string };

const pieces = 10;
const pieceMilliseconds = 250;

/** Returns the reply to a question, which streams for longer than an instance that stops waits for new connections. */
export const replyTo = (turn: number) =>
  [`[reply ${turn}]`, ...Array.from({ length: pieces }, (_, piece) => ` and ${turn}.${piece}`)].join('');

export function answerOf({ body }: ProviderRequest) {
  const turn = /\[question (\d+)\]/.exec(JSON.stringify(body.messages.at(-1)))?.[1];
  const [first = '', ...others] = replyTo(Number(turn)).split(/(?= and )/);
  return { steps: [{ text: first }, ...others.flatMap((text) => [{ wait: pieceMilliseconds }, { text }])] };
}

/** Creates users of the client, each with one tab, who ask questions one after the other. */
export function createPeople(site: Site, cookies: readonly string[]) {
  const turns: EndedTurn[] = [];
  let started = 0;

  async function live(cookie: string, index: number, stop: AbortSignal): Promise<void> {
    const conversation = createConversation({
      url: site.url + routes.liveChat,
      transcript: createTranscript(createFakeStorage(), 'rolling'),
      fetch: site.fetchWith({ Cookie: cookie }),
      clock: systemClock,
      createRequestId: ulid,
    });
    // Spread over the length of a reply, so that replies are in flight whenever an instance stops.
    await delay(index * pieceMilliseconds);
    while (!stop.aborted) {
      started += 1;
      const number = started;
      await conversation.send(`[question ${number}] And then?`);
      const last = conversation.getState().turns.at(-1);
      turns.push({ number, ending: last?.ending?.type, reply: last?.reply ?? '' });
      await delay(500 + ((number * 37) % 1000));
    }
  }

  return {
    turns,
    /** Resolves when `stop` has been aborted and every turn has ended. */
    ask: (stop: AbortSignal) => Promise.all(cookies.map((cookie, index) => live(cookie, index, stop))),
  };
}
