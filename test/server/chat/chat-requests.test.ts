import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { formatError } from '../../../shared/errors.ts';
import { routes } from '../../../shared/interface.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { rawExchange } from '../../support/raw-http.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';

/** Longer than both windows. */
const nextWindowMilliseconds = 3_600_001;

describe('A request to the chat routes', () => {
  let now = 0;

  const app = ofSuite(() => createTestApp({ limits: { live: 1, demo: 1 }, clock: () => now }));
  const avery = ofSuite(() => app.person());
  beforeEach(() => {
    now += nextWindowMilliseconds;
    app.provider.reset();
  });

  const demo = (body: unknown = question(), headers?: Record<string, string>, at = app) => at.demo(body, headers);
  const live = (body: unknown = question(), headers?: Record<string, string>) => app.live(avery, body, headers);
  const drained = async (response: Response) => ({ status: response.status, body: await response.text() });

  describe('that is refused', () => {
    /** Whether the one place of the limit is used up after `refusal`. */
    async function counts(refused: Promise<Response>, status: number, ask: () => Promise<Response>): Promise<boolean> {
      expect((await drained(await refused)).status).to.equal(status);
      app.provider.reset();
      const next = await drained(await ask());
      now += nextWindowMilliseconds;
      return next.status === 429;
    }
    const refuse = (status: number, type: string) =>
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted.' } });

    const refusals: Record<string, () => Promise<boolean[]>> = {
      async 'counts against no limit: 429 of the limit itself'() {
        await drained(await demo());
        now += nextWindowMilliseconds - 1_001;
        expect((await drained(await demo())).status).to.equal(429);
        now += 1_001;
        return [(await drained(await demo())).status === 429];
      },
      async 'counts against no limit: 401, 403'() {
        const newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
        const onboarded = async () => {
          await app.person({ provider: 'github', who: 'casey-example' });
          return app.live(newcomer, question());
        };
        return [
          await counts(live(question(), { Cookie: '' }), 401, live),
          await counts(app.live(newcomer, question()), 403, onboarded),
          await counts(demo(question(), { Origin: 'https://elsewhere.example.com' }), 403, demo),
        ];
      },
      async 'counts against no limit: 503 without room for one more turn, or of a service that shuts down'() {
        await using small = await createTestApp({
          shared: { storage: app.storage },
          limits: { demo: 1, live: 2 },
          maxStreamsDemo: 1,
          maxStreamsPerUser: 1,
        });
        const otherAddress = { 'X-Forwarded-For': '203.0.113.1' };
        const next: Response[] = [];
        for (const [first, ask] of [
          [() => demo(question(), otherAddress, small), () => demo(question(), {}, small)],
          [() => small.live(avery, question()), () => small.live(avery, question())],
        ] as const) {
          const held = Promise.withResolvers<void>();
          small.provider.answerWith({ steps: [{ text: 'Half' }, { wait: held.promise }] });
          const underWay = await first();
          expect((await drained(await ask())).status).to.equal(503);
          held.resolve();
          await drained(underWay);
          next.push(await ask());
        }
        return next.map(({ status }) => status === 429);
      },
      async 'counts against no limit: 404, 405, 417, 431, 400 for what is not HTTP, 408 for headers'() {
        const line = `POST ${routes.demoChat} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
        for (const [status, request] of [
          [404, line.replace('demo', 'demo/')],
          [405, line.replace('POST', 'PUT')],
          [417, `${line}Expect: miracles\r\n`],
          [431, `${line}X-Long: ${'x'.repeat(17_000)}\r\n`],
          [400, `${line}Content-Length: many\r\n`],
        ] as const) {
          expect(await rawExchange(app.url, `${request}\r\n`), String(status)).to.match(
            new RegExp(`^HTTP/1.1 ${status} `),
          );
        }
        await using hasty = await hastyApp();
        expect(await rawExchange(hasty.url, line)).to.match(/^HTTP\/1.1 408 /);
        const next = [await demo(), await demo(question(), {}, hasty)];
        return next.map(({ status }) => status === 429);
      },
      async 'counts: 400 with a code, 413'() {
        return [
          await counts(demo('{'), 400, demo),
          await counts(live({ messages: [] }), 400, live),
          await counts(live({ messages: Array(2001).fill(null) }), 413, live),
          await counts(demo(' '.repeat(1_048_577)), 413, demo),
        ];
      },
      async 'counts: 408 for a body'() {
        await using hasty = await hastyApp();
        const head = `POST ${routes.demoChat} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
        expect(await rawExchange(hasty.url, `${head}Content-Length: 9\r\n\r\n{`)).to.match(/^HTTP\/1.1 408 /);
        return [(await demo(question(), {}, hasty)).status === 429];
      },
      async 'counts: 429 of a budget'() {
        await using thrifty = await createTestApp({
          shared: { storage: app.storage },
          limits: { demo: 2 },
          tokensPerDay: { demo: 1 },
        });
        await drained(await demo(question(), {}, thrifty));
        expect((await drained(await demo(question(), {}, thrifty))).body).to.include('budget');
        const { body } = await drained(await demo(question(), {}, thrifty));
        return [body.startsWith('RATE_LIMITED: Too many requests.')];
      },
      async 'counts: 500 `UPSTREAM_AUTH`, 502, 503 of the model'() {
        const failing: boolean[] = [];
        for (const [asked, status, type] of [
          [500, 401, 'authentication_error'],
          [502, 500, 'api_error'],
          [503, 529, 'overloaded_error'],
        ] as const) {
          refuse(status, type);
          failing.push(await counts(live(), asked, live));
        }
        return failing;
      },
    };

    const hastyApp = () =>
      createTestApp({
        shared: { storage: app.storage },
        limits: { demo: 1 },
        arrival: { headersTimeout: 1_000, requestTimeout: 1_000 },
      });

    for (const [rule, refuse] of Object.entries(refusals)) {
      it(rule, async () => {
        expect(new Set(await refuse())).to.deep.equal(new Set([rule.startsWith('counts:')]));
      });
    }
  });

  describe('may be compressed', () => {
    const json = JSON.stringify(question());
    const encoded: Record<string, Buffer> = {
      gzip: gzipSync(json),
      deflate: deflateSync(json),
      br: brotliCompressSync(json),
      zstd: zstdCompressSync(json),
    };

    const send = (encoding: string, body: Buffer) =>
      fetch(app.url + routes.demoChat, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
        body: new Uint8Array(body),
      }).then(drained);

    for (const [encoding, body] of Object.entries(encoded)) {
      it(`by ${encoding}`, async () => {
        expect(await send(encoding, body)).to.deep.equal({ status: 200, body: defaultReply.text });
      });
    }
    for (const encoding of ['compress', 'gzip, br']) {
      it(`not by ${encoding}`, async () => {
        const body = encoding === 'compress' ? Buffer.from(json) : brotliCompressSync(gzipSync(json));
        expect(await send(encoding, body)).to.deep.equal({ status: 400, body: formatError('INVALID_JSON') });
      });
    }
  });

  it('is refused on live chat in the documented order: session, onboarding, limit, JSON, messages', async () => {
    await using limited = await createTestApp({ shared: { storage: app.storage }, limits: { live: 1 } });
    const newcomer = await limited.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
    const refusals = [
      [await limited.live({ cookie: '' }, '{'), 401, 'UNAUTHENTICATED: Sign in to continue.'],
      [await limited.live(newcomer, '{'), 403, 'NOT_ONBOARDED: Complete onboarding to continue.'],
      [await limited.live(avery, '{'), 400, 'INVALID_JSON: The request body is not valid JSON.'],
      [await limited.live(avery, '{'), 429, 'RATE_LIMITED: Too many requests. Try again in 60 seconds.'],
    ] as const;
    for (const [response, status, body] of refusals) {
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('retry-after')).to.equal(status === 429 ? '60' : null);
      expect(response.headers.get('set-cookie')).to.equal(null);
      expect(await response.text()).to.equal(body);
    }
    expect(limited.provider.requests).to.have.length(0);
  });

  it('is answered alike by a reply that has used up max_tokens and by one that the model has ended', async () => {
    const answers: { status: number; headers: string[]; body: string }[] = [];
    for (const stopReason of ['end_turn', 'max_tokens']) {
      now += nextWindowMilliseconds;
      app.provider.answerWith({ ...defaultReply.answer, stopReason });
      const response = await live();
      answers.push({ status: response.status, headers: [...response.headers.keys()], body: await response.text() });
    }
    expect(answers[1]).to.deep.equal(answers[0]);
  });
});
