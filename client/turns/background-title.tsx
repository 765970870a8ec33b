import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { browserNotifier, notify } from '../settings/notifications.ts';
import { useSettings } from '../settings/settings-provider.tsx';
import { createBackgroundReply, markOf } from './background-reply.ts';
import { turnsKey } from './use-turn.ts';

/**
 * Reports replies that are running or have finished while the page is hidden: in the tab's title, and by a notification if that
 * is set.
 */
export function BackgroundTitle({ isRunning }: { isRunning: boolean }) {
  const t = useTranslations('background');
  const queryClient = useQueryClient();
  const { settings } = useSettings();
  const notifyFinished = useRef(() => {});
  const [background] = useState(() => createBackgroundReply(() => notifyFinished.current()));
  const mark = markOf(useSyncExternalStore(background.subscribe, background.getState), isRunning);

  useEffect(() => {
    notifyFinished.current = () => {
      if (settings.notifications) notify(browserNotifier(), t('notificationTitle'), t('notificationBody'));
    };
  }, [settings.notifications, t]);

  useEffect(() => {
    const update = () => background.setHidden(document.hidden);
    update();
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, [background]);

  useEffect(
    () =>
      queryClient.getMutationCache().subscribe((event) => {
        if (event.type !== 'updated' || event.mutation.options.mutationKey?.[0] !== turnsKey[0]) return;
        if (event.action.type === 'success') background.end(event.action.data);
        else if (event.action.type === 'error') background.end({ type: 'failed' });
      }),
    [queryClient, background],
  );

  return mark && <MarkedTitle mark={t(mark)} />;
}

/** Prefixes the page title with `mark`. Of several title elements the browser shows the latest. */
function MarkedTitle({ mark }: { mark: string }) {
  const [pageTitle] = useState(() => document.title);
  return <title>{`${mark} · ${pageTitle}`}</title>;
}
