import * as z from 'zod/mini';
import { keepItem } from '../chat/transcript.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const placeSchema = z.object({ id: z.string(), turnId: z.string(), top: z.number() });

/** Where somebody was in the conversation `id`: the turn at the top of the window, and its distance from there in pixels. */
export type ScrollPlace = z.infer<typeof placeSchema>;

/** After so many frames all that has come into view has been laid out. */
const settlingFrames = 4;

/** What says that the person goes on from here by themselves. */
const acts = ['wheel', 'keydown', 'pointerdown'] as const;

/** The place in the conversation `id`, which the page shows; undefined where nothing was said in it. */
export function placeIn(id: string): ScrollPlace | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  return first && turnId !== undefined ? { id, turnId, top: first.getBoundingClientRect().top } : undefined;
}

/**
 * Brings the window to `place`, again while what comes into view there turns out higher or lower than expected, and once more
 * when the replies are `drawn`. The returned function calls that off, as does whatever the person does.
 */
export function goToPlace(place: ScrollPlace, drawn: Promise<void>): () => void {
  const calledOff = new AbortController();
  let frame = 0;

  function settle(frames: number): void {
    cancelAnimationFrame(frame);
    if (calledOff.signal.aborted) return;
    scrollTo(place);
    if (frames > 0) frame = requestAnimationFrame(() => settle(frames - 1));
  }

  const callOff = () => calledOff.abort();
  for (const act of acts) window.addEventListener(act, callOff, { passive: true, signal: calledOff.signal });
  settle(settlingFrames);
  drawn.then(() => settle(settlingFrames));
  return callOff;
}

/** The place that `storage` keeps under `key`, if any. */
export function keptPlace(storage: DeviceStorage, key: string): ScrollPlace | undefined {
  return placeSchema.safeParse(parseJson(storage.getItem(key))).data;
}

/** Keeps the place for who reloads the page. It holds no word that was said. On a full device the conversation opens at its end. */
export function keepPlace(storage: DeviceStorage, key: string, place: ScrollPlace | undefined): void {
  keepItem(storage, key, place ? JSON.stringify(place) : null);
}

function scrollTo({ turnId, top }: ScrollPlace): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
  if (turn) window.scrollBy({ top: turn.getBoundingClientRect().top - top, behavior: 'instant' });
}
