import * as z from 'zod/mini';

const placeSchema = z.object({ turnId: z.string(), top: z.number() });

/** Where somebody was in a conversation: the turn at the top of the window, and its distance from there in pixels. */
export type ScrollPlace = z.infer<typeof placeSchema>;

const entrySchema = z.object({ scrollPlace: placeSchema });

/** After so many frames all that has come into view has been laid out. */
const settlingFrames = 4;

/** What says that the person goes on from here by themselves. */
const acts = ['wheel', 'keydown', 'pointerdown'] as const;

/** The place in the conversation that the page shows; undefined where nothing of one is in view. */
export function placeNow(): ScrollPlace | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  return first && turnId !== undefined ? { turnId, top: first.getBoundingClientRect().top } : undefined;
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

/** The place that a history entry's `state` keeps, if any. */
export function keptPlace(state: unknown): ScrollPlace | undefined {
  return entrySchema.safeParse(state).data?.scrollPlace;
}

/** Keeps the place of now in the history entry of the page. It outlives a reload, and holds no word that was said. */
export function keepPlace(): void {
  const scrollPlace = placeNow();
  if (scrollPlace) history.replaceState({ ...history.state, scrollPlace }, '');
}

function scrollTo({ turnId, top }: ScrollPlace): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
  if (turn) window.scrollBy({ top: turn.getBoundingClientRect().top - top, behavior: 'instant' });
}
