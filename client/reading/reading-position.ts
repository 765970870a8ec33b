import * as z from 'zod/mini';
import { writeItem } from '../chat/transcript.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const positionSchema = z.object({ id: z.string(), turnId: z.string(), top: z.number() });

/** The reading position in the conversation `id`: the turn at the top of the window, and its distance from there in pixels. */
export type ReadingPosition = z.infer<typeof positionSchema>;

/** After this many frames everything in view is laid out. */
const settlingFrames = 4;

/** Events by which the user takes over the scrolling. */
const userEvents = ['wheel', 'keydown', 'pointerdown'] as const;

/** A browser scrolls by whole pixels, so a restored position is off by up to a pixel, and by another one once the rest is rendered. */
const restoredWithinPixels = 2;

/**
 * Returns the position in the conversation `id`, which is on the page; undefined if it has no turns. Returns `restored` if the user
 * has not scrolled since, because otherwise the deviation would grow each time.
 */
export function currentPosition(id: string, restored: ReadingPosition | undefined): ReadingPosition | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  if (!first || turnId === undefined) return undefined;
  const { top } = first.getBoundingClientRect();
  const isRestored = turnId === restored?.turnId && Math.abs(top - restored.top) <= restoredWithinPixels;
  return isRestored ? restored : { id, turnId, top };
}

/** Scrolls again while content in view is laid out, and once `rendered` resolves. Any action of the user cancels it. */
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

/** Stores no text of the conversation. If storage is full, the position is not saved. */
export function savePosition(storage: DeviceStorage, key: string, position: ReadingPosition | undefined): void {
  writeItem(storage, key, position ? JSON.stringify(position) : null);
}

function scrollTo({ turnId, top }: ReadingPosition): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
  if (turn) window.scrollBy({ top: turn.getBoundingClientRect().top - top, behavior: 'instant' });
}
