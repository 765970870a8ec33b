import { useEffect, useState } from 'react';
import { whenIdle } from './when-idle.ts';

/**
 * Which of `count` turns are on the page: at first the latest, and those around the place `ledTo`, to which somebody is led.
 * The others come while the browser is idle, or at once by `takeAll`.
 */
export function useTurnsOnPage(count: number, ledTo: number | undefined) {
  const [shown, setOnPage] = useState(() => firstTurnsOnPage(count, ledTo));
  const onPage = turnsOnPageOf(shown, count);
  const isWhole = areAllOnPage(onPage);

  // Somebody is led on while the rest of a long conversation is still to come.
  if (ledTo !== undefined && !isOnPage(onPage, ledTo)) setOnPage(allTurnsOnPage);

  useEffect(() => {
    if (isWhole) return;
    return whenIdle(() => setOnPage(moreTurnsOnPage(shown)));
  }, [isWhole, shown]);

  return { isOn: (place: number) => isOnPage(onPage, place), takeAll: () => setOnPage(allTurnsOnPage) };
}

/** Which turns of a conversation are on the page, by their places in it: those at `from` and up to `to`, and all at `tail` and later. */
type TurnsOnPage = { from: number; to: number; tail: number };

/** So many fill any window, and the page is there at once. */
const turnsAtFirst = 20;

/** So many more turns take no longer than a frame or two. */
const turnsAtOnce = 40;

/** What is on the page when a conversation of `count` turns is opened: the latest, and those around the place `ledTo`. */
function firstTurnsOnPage(count: number, ledTo: number | undefined): TurnsOnPage {
  const tail = tailOf(count);
  const from = ledTo === undefined ? tail : Math.max(0, ledTo - turnsAtFirst / 2);
  return from >= tail ? { from: tail, to: tail, tail } : { from, to: Math.min(tail, from + turnsAtFirst), tail };
}

/** Some turns more: those between the others first, because nothing that is read stands below them; then those above. */
function moreTurnsOnPage({ from, to, tail }: TurnsOnPage): TurnsOnPage {
  if (to < tail) return { from, to: Math.min(tail, to + turnsAtOnce), tail };
  return { from: Math.max(0, from - turnsAtOnce), to, tail };
}

/** The same in a conversation that has `count` turns now: with an earlier question asked anew, it has become shorter. */
function turnsOnPageOf({ from, to, tail }: TurnsOnPage, count: number): TurnsOnPage {
  const most = tailOf(count);
  return { from: Math.min(from, most), to, tail: Math.min(tail, most) };
}

function isOnPage({ from, to, tail }: TurnsOnPage, place: number): boolean {
  return (place >= from && place < to) || place >= tail;
}

function areAllOnPage({ from, to, tail }: TurnsOnPage): boolean {
  return from === 0 && to >= tail;
}

const allTurnsOnPage: TurnsOnPage = { from: 0, to: 0, tail: 0 };

function tailOf(count: number): number {
  return Math.max(0, count - turnsAtFirst);
}
