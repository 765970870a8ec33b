import * as z from 'zod/mini';
import { writeItem } from '../chat/transcript.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const positionSchema = z.object({ id: z.string(), turnId: z.string(), top: z.number() });

/** The reading position in the conversation `id`: the turn at the top of the window, and its distance from there in pixels. */
export type ReadingPosition = z.infer<typeof positionSchema>;

/** After this many frames everything in view is laid out. */
const settlingFrames = 4;

/** Events that show that the user takes over. */
const userEvents = ['wheel', 'keydown', 'pointerdown'] as const;

/** Returns the position in the conversation `id`, which is on the page; undefined if it has no turns. */
export function currentPosition(id: string): ReadingPosition | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  return first && turnId !== undefined ? { id, turnId, top: first.getBoundingClientRect().top } : undefined;
}

/** Repeats while content in view is laid out, and once `rendered` resolves. Any action of the user cancels it. */
export function restorePosition(position: ReadingPosition, rendered: Promise<void>): () => void {
  const canceled = new AbortController();
  let frame = 0;

  function scrollUntilStable(frames: number): void {
    cancelAnimationFrame(frame);
    if (canceled.signal.aborted) return;
    scrollTo(position);
    if (frames > 0) frame = requestAnimationFrame(() => scrollUntilStable(frames - 1));
  }

  const cancel = () => canceled.abort();
  for (const event of userEvents) window.addEventListener(event, cancel, { passive: true, signal: canceled.signal });
  scrollUntilStable(settlingFrames);
  rendered.then(() => scrollUntilStable(settlingFrames));
  return cancel;
}

export function loadPosition(storage: DeviceStorage, key: string): ReadingPosition | undefined {
  return positionSchema.safeParse(parseJson(storage.getItem(key))).data;
}

/** Contains no text of the conversation. If storage is full, the conversation opens at its end. */
export function savePosition(storage: DeviceStorage, key: string, position: ReadingPosition | undefined): void {
  writeItem(storage, key, position ? JSON.stringify(position) : null);
}

function scrollTo({ turnId, top }: ReadingPosition): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
  if (turn) window.scrollBy({ top: turn.getBoundingClientRect().top - top, behavior: 'instant' });
}
