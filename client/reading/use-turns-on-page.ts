import { useEffect, useState } from 'react';
import {
  allTurnsOnPage,
  areAllOnPage,
  firstTurnsOnPage,
  isOnPage,
  moreTurnsOnPage,
  turnsOnPageOf,
} from './turns-on-page.ts';
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
