import { useEffect, useState } from 'react';
import { whenIdle } from './when-idle.ts';

/**
 * Returns which of `count` turns are on the page: first the latest and those around `targetIndex`, which the user is taken to. The
 * others follow while the browser is idle, or immediately after `showAll`.
 */
export function useTurnsOnPage(count: number, targetIndex: number | undefined) {
  const [ranges, setRanges] = useState(() => firstTurnsOnPage(count, targetIndex));
  const onPage = turnsOnPageOf(ranges, count);
  const hasAll = areAllOnPage(onPage);

  // Shows all turns if the user is taken to one that is not on the page yet.
  if (targetIndex !== undefined && !isOnPage(onPage, targetIndex)) setRanges(allTurnsOnPage);

  useEffect(() => {
    if (hasAll) return;
    return whenIdle(() => setRanges(moreTurnsOnPage(ranges)));
  }, [hasAll, ranges]);

  return { isOn: (index: number) => isOnPage(onPage, index), showAll: () => setRanges(allTurnsOnPage) };
}

/** The turns on the page, by index: from `from` up to `to`, and from `tail` on. */
type TurnsOnPage = { from: number; to: number; tail: number };

/** Enough turns to fill any window, and few enough to render in one pass. */
const turnsAtFirst = 20;

/** The number of turns that can be rendered within a frame or two. */
const turnsAtOnce = 40;

function firstTurnsOnPage(count: number, targetIndex: number | undefined): TurnsOnPage {
  const tail = tailOf(count);
  const from = targetIndex === undefined ? tail : Math.max(0, targetIndex - turnsAtFirst / 2);
  return from >= tail ? { from: tail, to: tail, tail } : { from, to: Math.min(tail, from + turnsAtFirst), tail };
}

/** Fills the gap between the ranges first, because nothing below it is being read, and then adds the turns above. */
function moreTurnsOnPage({ from, to, tail }: TurnsOnPage): TurnsOnPage {
  if (to < tail) return { from, to: Math.min(tail, to + turnsAtOnce), tail };
  return { from: Math.max(0, from - turnsAtOnce), to, tail };
}

/** Limits the ranges to `count` turns: a reworded earlier question shortens the conversation. */
function turnsOnPageOf({ from, to, tail }: TurnsOnPage, count: number): TurnsOnPage {
  const lastTail = tailOf(count);
  return { from: Math.min(from, lastTail), to, tail: Math.min(tail, lastTail) };
}

function isOnPage({ from, to, tail }: TurnsOnPage, index: number): boolean {
  return (index >= from && index < to) || index >= tail;
}

function areAllOnPage({ from, to, tail }: TurnsOnPage): boolean {
  return from === 0 && to >= tail;
}

const allTurnsOnPage: TurnsOnPage = { from: 0, to: 0, tail: 0 };

function tailOf(count: number): number {
  return Math.max(0, count - turnsAtFirst);
}
