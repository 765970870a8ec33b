import { useId, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useSettings } from './in-settings.tsx';
import { browserNotifier, type TurnedOn, turnOnNotifications } from './notifications.ts';

/** Whether the browser tells of finished replies. Turning it on asks the browser, and says where it does not allow that. */
export function NotificationChoice() {
  const say = useTranslations('settings');
  const { settings, change } = useSettings();
  const [result, setResult] = useState<TurnedOn>('on');
  const id = useId();

  const turn = async (isWanted: boolean) => {
    const turned = isWanted ? await turnOnNotifications(browserNotifier()) : 'on';
    setResult(turned);
    change({ notifications: isWanted && turned === 'on' });
  };
  return (
    <div className="choice">
      <label className="choice-switch">
        <input
          type="checkbox"
          aria-describedby={`${id}hint`}
          checked={settings.notifications}
          onChange={({ target }) => turn(target.checked)}
        />
        <span>{say('notifications')}</span>
      </label>
      <p id={`${id}hint`} className={result === 'on' ? 'hint' : 'field-error'} role="status">
        {say(hints[result])}
      </p>
    </div>
  );
}

const hints = {
  on: 'notificationsHint',
  denied: 'notificationsDenied',
  missing: 'notificationsMissing',
} as const satisfies Record<TurnedOn, string>;
