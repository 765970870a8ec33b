import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../session/session.ts';
import type { OpenDesk } from './open-desk.ts';
import { usePageLife } from './use-page-life.ts';

/**
 * A desk and what it shows, for as long as the component lives: give that a `key` where the person can change. A
 * sign-out in another tab signs the person out here too, and leaves nothing on the page.
 */
export function useDesk(open: () => OpenDesk) {
  const queryClient = useQueryClient();
  const [{ desk, list }] = useState(open);
  const state = useSyncExternalStore(desk.subscribe, desk.getState);

  usePageLife({ onLeave: desk.leave, onHide: desk.keep, onShow: desk.settle, onReturn: list.takeIn });
  useEffect(() => list.connect(), [list]);
  useEffect(
    () =>
      list.onForgotten(() => {
        desk.clear();
        queryClient.invalidateQueries(sessionQuery);
      }),
    [desk, list, queryClient],
  );

  return { desk, list, state };
}
