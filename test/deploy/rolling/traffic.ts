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

type Site = ReturnType<typeof createSite>;

/** One page, and what it needs: the names of the assets that did not come as they are. */
export type PageLoad = { status: number; build: string | undefined; missing: string[] };

/** Browsers that open a page again and again; what they need, they ask for a moment after the page. */
export async function loadPages(site: Site, browsers: number, over: AbortSignal): Promise<PageLoad[]> {
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
    while (!over.aborted) {
      loads.push(await load());
      await delay(200);
    }
  }
  await Promise.all(Array.from({ length: browsers }, browse));
  return loads;
}

/** A turn that has ended, as its person sees it. */
export type Turn = { number: number; ending: string | undefined; reply: string };

const pieces = 10;
const pieceMilliseconds = 200;

/** What the model says to a question: two seconds of it. */
export const replyTo = (turn: number) =>
  [`[reply ${turn}]`, ...Array.from({ length: pieces }, (_, piece) => ` and ${turn}.${piece}`)].join('');

export function answerOf({ body }: ProviderRequest) {
  const turn = /\[question (\d+)\]/.exec(JSON.stringify(body.messages.at(-1)))?.[1];
  const [first = '', ...others] = replyTo(Number(turn)).split(/(?= and )/);
  return { steps: [{ text: first }, ...others.flatMap((text) => [{ wait: pieceMilliseconds }, { text }])] };
}

/** People with the client's own core, each with one tab, who ask one question after the other. */
export function createPeople(site: Site, cookies: readonly string[]) {
  const turns: Turn[] = [];
  let begun = 0;

  async function live(cookie: string, place: number, over: AbortSignal): Promise<void> {
    const conversation = createConversation({
      url: site.url + routes.liveChat,
      transcript: createTranscript(createFakeStorage(), 'rolling'),
      fetch: site.fetchWith({ Cookie: cookie }),
      clock: systemClock,
      createRequestId: ulid,
    });
    // Not all in the same millisecond.
    await delay(place * 20);
    while (!over.aborted) {
      begun += 1;
      const number = begun;
      await conversation.send(`[question ${number}] And then?`);
      const last = conversation.getState().turns.at(-1);
      turns.push({ number, ending: last?.ending?.type, reply: last?.reply ?? '' });
      await delay(2000 + ((number * 37) % 3000));
    }
  }

  return {
    turns,
    /** Resolves when `over` is aborted and every turn has ended. */
    ask: (over: AbortSignal) => Promise.all(cookies.map((cookie, place) => live(cookie, place, over))),
  };
}
