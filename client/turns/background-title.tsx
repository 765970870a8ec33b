import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { browserNotifier, notify } from '../settings/notifications.ts';
import { useSettings } from '../settings/settings-provider.tsx';
import { backgroundMark, type UnseenResult, unseenResultOf } from './background-reply.ts';
import { turnsKey } from './use-turn.ts';

/** Reports the replies of a hidden page in the tab's title and, if enabled, by a notification. */
export function BackgroundTitle({ isRunning }: { isRunning: boolean }) {
  const t = useTranslations('background');
  const queryClient = useQueryClient();
  const { notifications } = useSettings().settings;
  const [isHidden, setIsHidden] = useState(false);
  const [unseenResult, setUnseenResult] = useState<UnseenResult | null>(null);

  useEffect(() => {
    const update = () => {
      setIsHidden(document.hidden);
      setUnseenResult(null);
    };
    update();
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);

  useEffect(
    () =>
      queryClient.getMutationCache().subscribe(({ type, mutation }) => {
        if (type !== 'updated' || mutation.options.mutationKey !== turnsKey || !document.hidden) return;
        const { status, data } = mutation.state;
        const result = status === 'error' ? 'failed' : unseenResultOf(data);
        if (result === null) return;
        setUnseenResult(result);
        if (result === 'finished' && notifications) {
          notify(browserNotifier(), t('notificationTitle'), t('notificationBody'));
        }
      }),
    [queryClient, notifications, t],
  );

  const mark = backgroundMark({ isHidden, isRunning, unseenResult });
  return mark && <MarkedTitle mark={t(mark)} />;
}

/** Prefixes the page title with `mark`. React inserts it before the other title element, and the browser shows the first. */
function MarkedTitle({ mark }: { mark: string }) {
  const [pageTitle] = useState(() => document.title);
  return <title>{`${mark} · ${pageTitle}`}</title>;
}
