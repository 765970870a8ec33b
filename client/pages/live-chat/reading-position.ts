import { useLayoutEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { type DeviceStorage, deviceStorage } from '../../device/device-storage.ts';
import { loadMarkdown } from '../../markdown/load-markdown.ts';
import { parseJson } from '../../parse-json.ts';
import { firstPlaceIn, topOfPlace } from '../../reading/anchor-finder.ts';
import { writeItem } from '../../write-item.ts';

export type ReadingPositions = ReturnType<typeof useReadingPositions>;

/** Returns the reading positions in this tab's conversations, and in the one stored under `key` before a reload. */
export function useReadingPositions(key: string) {
  const [positions] = useState(() => {
    const stored = loadPosition(deviceStorage('sessionStorage'), key);
    return new Map<string, ReadingPosition>(stored && [[stored.id, stored]]);
  });
  return { key, positions };
}

/** Restores the reading position when the user returns to a conversation, unless they opened a passage of it. */
export function useReadingPosition({ key, positions }: ReadingPositions, id: string, hasPassage: boolean): void {
  const shouldRestore = useRef(!hasPassage);
  useLayoutEffect(() => {
    const position = shouldRestore.current ? positions.get(id) : undefined;
    const cancel = position && restorePosition(position, loadMarkdown());
    const save = () => savePosition(deviceStorage('sessionStorage'), key, currentPosition(id, position));
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      cancel?.();
      const last = currentPosition(id, position);
      if (last) positions.set(id, last);
    };
  }, [key, positions, id]);
}

const placeSchema = z.object({ start: z.number(), offset: z.number() });

const positionSchema = z.object({
  id: z.string(),
  turnId: z.string(),
  place: z.nullable(placeSchema),
  top: z.number(),
});

/**
 * The reading position in the conversation `id`: the first line in the window, or its first turn if it shows no text,
 * and the distance from the top of the window in pixels.
 */
export type ReadingPosition = z.infer<typeof positionSchema>;

/** Finds lines of a turn on the page. */
type Lines = { first: typeof firstPlaceIn; topOf: typeof topOfPlace };

const pageLines: Lines = { first: firstPlaceIn, topOf: topOfPlace };

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
export function currentPosition(
  id: string,
  restored: ReadingPosition | undefined,
  lines: Lines = pageLines,
): ReadingPosition | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  if (!first || turnId === undefined) return undefined;
  const line = lines.first(first);
  const top = line?.top ?? first.getBoundingClientRect().top;
  if (
    turnId === restored?.turnId &&
    Math.abs(topOfPosition(restored, first, lines) - restored.top) <= restoredWithinPixels
  ) {
    return restored;
  }
  return { id, turnId, place: line?.place ?? null, top };
}

/** Scrolls again while content in view is laid out, and once `rendered` resolves. Any action of the user cancels it. */
export function restorePosition(
  position: ReadingPosition,
  rendered: Promise<void>,
  lines: Lines = pageLines,
): () => void {
  const canceled = new AbortController();
  let frame = 0;

  function scrollUntilStable(frames: number): void {
    cancelAnimationFrame(frame);
    if (canceled.signal.aborted) return;
    scrollTo(position, lines);
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

function scrollTo(position: ReadingPosition, lines: Lines): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(position.turnId)}"]`);
  if (turn) window.scrollBy({ top: topOfPosition(position, turn, lines) - position.top, behavior: 'instant' });
}

function topOfPosition({ place }: ReadingPosition, turn: Element, lines: Lines): number {
  const top = place === null ? undefined : lines.topOf(place, turn);
  return top ?? turn.getBoundingClientRect().top;
}
