import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';
import type { Line } from './line-tracker.ts';

const words = [
  'plant',
  'lead time',
  '**waiting**',
  '*cost*',
  '`queue`',
  'hypothesis',
  'a [report](https://example.com/r)',
];
const otherScripts = [
  'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen und mehr davon',
  '現状では、鋳造工程の待ち時間がリードタイムの大半を占めています。来週までに確認します。',
  'يعتمد زمن الانتظار على عدد القوالب المتاحة في المصنع كل أسبوع.',
];

const sentence = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 3, maxLength: 18 }), fc.nat({ max: 9999 }))
  .map(([parts, number]) => `Step ${number}: ${parts.join(' ')}.`);

const paragraph = fc
  .array(fc.oneof(sentence, fc.constantFrom(...otherScripts)), { minLength: 1, maxLength: 5 })
  .map(joined(' '));

const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), sentence)
  .map(([level, text]) => `${'#'.repeat(level)} ${text}`);

const bullet = fc.constantFrom('- ', '- [x] ', '- [ ] ', '  - ', '    - ');

const list = fc
  .array(fc.tuple(bullet, sentence), { minLength: 2, maxLength: 14 })
  .map((items) => `- First\n${items.map(([mark, text]) => mark + text).join('\n')}`);

const numbered = fc
  .tuple(fc.constantFrom(1, 8, 97, 996), fc.array(sentence, { minLength: 3, maxLength: 8 }))
  .map(([first, items]) => items.map((text, index) => `${first + index}. ${text}`).join('\n'));

const row = fc.tuple(sentence, fc.constantFrom('x', 'Zeitüberschreitungswahrscheinlichkeit'), fc.nat({ max: 99999 }));

const table = fc
  .array(row, { minLength: 2, maxLength: 16 })
  .map(
    (rows) =>
      `| Step | Why | Cost |\n| :--- | --- | ---: |\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`,
  );

const code = fc
  .array(fc.nat({ max: 999 }), { minLength: 2, maxLength: 20 })
  .map(
    (numbers) =>
      `\`\`\`ts\n${numbers.map((number) => `const week${number} = ${number}; // waiting`).join('\n')}\n\`\`\``,
  );

const quote = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((lines) => `> ${lines.join('\n> ')}`);

const formula = fc
  .tuple(fc.nat({ max: 99 }), fc.boolean())
  .map(([number, isBlock]) => (isBlock ? `$$\n\\frac{${number}}{x^2}\n$$` : `Waiting is \\(x^{${number}}\\) hours.`));

const alert = fc.tuple(fc.constantFrom('NOTE', 'warning'), quote).map(([name, text]) => `> [!${name}]\n${text}`);

const block = fc.oneof(
  { arbitrary: paragraph, weight: 3 },
  heading,
  list,
  numbered,
  table,
  code,
  quote,
  formula,
  alert,
  fc.constant('---'),
);

/** Streamed chunks, and the scroll position of the reader after each chunk, if they scroll. */
export type PlayedReply = { pieces: string[]; scrollPositions: (number | null)[] };

const reply = fc
  .tuple(
    fc.array(block, { minLength: 8, maxLength: 24 }).map(joined('\n\n')),
    fc.array(fc.double({ min: 0.02, max: 1, noNaN: true }), { minLength: 5, maxLength: 10 }),
    fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 1 }), { minLength: 10, maxLength: 10 }),
  )
  .map(([text, shares, scrollPositions]): PlayedReply => ({ pieces: split(text, shares), scrollPositions }));

export const randomReplies = (count: number, seed: number): PlayedReply[] => fc.sample(reply, { numRuns: count, seed });

function split(text: string, shares: readonly number[]): string[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  let used = 0;
  return shares.map((share) => {
    const start = Math.round((used / total) * text.length);
    used += share;
    return text.slice(start, Math.round((used / total) * text.length));
  });
}

function joined(separator: string) {
  return (parts: readonly string[]) => parts.join(separator);
}

/** A line that moved, by how many pixels, and in which phase. */
export type Shift = { reply: number; phase: string; words: string; pixels: number };

export type Measurement = { shifts: Shift[]; frames: number };

/**
 * Streams `replies` on `page` in place of the service, while a simulated reader scrolls now and then. Measures the first
 * visible line in every frame in which the reader does not scroll: while the reply is streamed and ends, when a long
 * message is typed, and when the page becomes narrower and wide again.
 */
export function playReplies(page: Page, replies: readonly PlayedReply[]): Promise<Measurement> {
  return page.evaluate(
    async ({ replies, route }) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      const fetchFromService = window.fetch;
      window.fetch = (input, init) => {
        if (!String(input).endsWith(route)) return fetchFromService(input, init);
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            stream = controller;
          },
        });
        return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } }));
      };

      const measurement: Measurement = { shifts: [], frames: 0 };
      const encoder = new TextEncoder();
      let line: Line | undefined;
      let reply = 0;
      let phase = '';

      /** Resolves after the next frame has been painted. */
      const frame = () =>
        new Promise<void>((done) => {
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => done();
            port2.postMessage(undefined);
          });
        });

      async function frames(count: number): Promise<void> {
        for (let remaining = count; remaining > 0; remaining -= 1) {
          await frame();
          if (line === undefined) continue;
          const top = window.topOfLine(line);
          measurement.frames += 1;
          const pixels = (top ?? Number.POSITIVE_INFINITY) - line.top;
          if (Math.abs(pixels) < 1) continue;
          measurement.shifts.push({ reply, phase, words: line.words, pixels });
          [line] = window.findLines();
        }
      }

      async function scrollTo(position: number | null): Promise<void> {
        if (position === null) return;
        const { scrollHeight } = document.documentElement;
        line = undefined;
        window.scrollTo({ top: position * (scrollHeight - window.innerHeight), behavior: 'instant' });
        await frames(2);
        [line] = window.findLines();
      }

      function type(text: string): HTMLFormElement | null {
        const field = document.querySelector('textarea');
        const setValue = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
        setValue?.call(field, text);
        field?.dispatchEvent(new Event('input', { bubbles: true }));
        return field?.form ?? null;
      }

      for (const { pieces, scrollPositions } of replies) {
        line = undefined;
        const form = type(`Question ${reply}, which is put to the top?`);
        await frames(1);
        form?.requestSubmit();
        while (stream === undefined) await frames(1);
        const controller: ReadableStreamDefaultController<Uint8Array> = stream;
        stream = undefined;
        await frames(1);
        [line] = window.findLines();
        for (const [index, piece] of pieces.entries()) {
          phase = `piece ${index}`;
          controller.enqueue(encoder.encode(piece));
          await frames(1);
          await scrollTo(scrollPositions[index] ?? null);
        }
        phase = 'typing';
        type('A line.\n'.repeat(6));
        await frames(1);
        type('');
        phase = 'the end';
        controller.close();
        await frames(3);
        phase = 'narrower';
        document.documentElement.style.width = '62%';
        await frames(1);
        phase = 'wider again';
        document.documentElement.style.width = '';
        await frames(2);
        reply += 1;
      }
      window.fetch = fetchFromService;
      return measurement;
    },
    { replies, route: routes.demoChat },
  );
}
