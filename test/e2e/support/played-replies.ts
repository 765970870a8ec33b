import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';
import type { PlayedReply } from './random-replies.ts';

/** A line that did not stay where it was: by how many pixels it moved, and when. */
export type Shift = { reply: number; moment: string; words: string; pixels: number };

export type Watched = { shifts: Shift[]; frames: number };

/**
 * Plays `replies` on `page`, one after the other, in place of the service's, with a reader who scrolls now and then.
 * Watches the first line of what they read in every frame in which they do not scroll: while the reply grows and when it
 * ends, when the person types a long message, and when the page becomes narrower and wide again.
 */
export function playReplies(page: Page, replies: readonly PlayedReply[]): Promise<Watched> {
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

      const watched: Watched = { shifts: [], frames: 0 };
      const encoder = new TextEncoder();
      let line: ReturnType<typeof window.findFirstLine>;
      let reply = 0;
      let moment = '';

      /** The next frame, after it was painted. */
      const frame = () =>
        new Promise<void>((done) => {
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => done();
            port2.postMessage(undefined);
          });
        });

      async function frames(count: number): Promise<void> {
        for (let left = count; left > 0; left -= 1) {
          await frame();
          if (line === undefined) continue;
          const top = window.topOfLine(line);
          watched.frames += 1;
          const pixels = (top ?? Number.POSITIVE_INFINITY) - line.top;
          if (Math.abs(pixels) < 1) continue;
          watched.shifts.push({ reply, moment, words: line.words, pixels });
          line = window.findFirstLine();
        }
      }

      async function read(place: number | null): Promise<void> {
        if (place === null) return;
        const { scrollHeight } = document.documentElement;
        line = undefined;
        window.scrollTo({ top: place * (scrollHeight - window.innerHeight), behavior: 'instant' });
        await frames(2);
        line = window.findFirstLine();
      }

      function type(text: string): HTMLFormElement | null {
        const field = document.querySelector('textarea');
        const setValue = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
        setValue?.call(field, text);
        field?.dispatchEvent(new Event('input', { bubbles: true }));
        return field?.form ?? null;
      }

      for (const { pieces, places } of replies) {
        line = undefined;
        const form = type(`Question ${reply}, which is put to the top?`);
        await frames(1);
        form?.requestSubmit();
        while (stream === undefined) await frames(1);
        const running: ReadableStreamDefaultController<Uint8Array> = stream;
        stream = undefined;
        await frames(1);
        line = window.findFirstLine();
        for (const [index, piece] of pieces.entries()) {
          moment = `piece ${index}`;
          running.enqueue(encoder.encode(piece));
          await frames(1);
          await read(places[index] ?? null);
        }
        moment = 'typing';
        type('A line.\n'.repeat(6));
        await frames(1);
        type('');
        moment = 'the end';
        running.close();
        await frames(3);
        moment = 'narrower';
        document.documentElement.style.width = '62%';
        await frames(1);
        moment = 'wide again';
        document.documentElement.style.width = '';
        await frames(2);
        reply += 1;
      }
      window.fetch = fetchFromService;
      return watched;
    },
    { replies, route: routes.demoChat },
  );
}
