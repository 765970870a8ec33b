/** What a browser has for telling of something while the page is not seen; TypeScript believes that every browser has it. */
export type Notifier = {
  readonly permission: NotificationPermission;
  requestPermission(): Promise<NotificationPermission>;
  new (title: string, options?: NotificationOptions): Pick<Notification, 'onclick' | 'close'>;
};

/** What came of it to turn notifications on; `missing` where this browser has none for a page. */
export type TurnedOn = 'on' | 'denied' | 'missing';

/** The notifications of this browser, if it has any. */
export function browserNotifier(): Notifier | undefined {
  return 'Notification' in window ? Notification : undefined;
}

/** Asks the person to allow notifications. Only ever called because they turned the setting on. */
export async function turnOnNotifications(notifier: Notifier | undefined): Promise<TurnedOn> {
  if (notifier === undefined) return 'missing';
  // Who has answered before is not asked again: the browser gives the same answer at once.
  if ((await notifier.requestPermission()) !== 'granted') return 'denied';
  try {
    // Some browsers allow them, and then have none for a page without a service worker.
    new notifier('', { silent: true }).close();
    return 'on';
  } catch {
    return 'missing';
  }
}

/** Shows a notification, where that is allowed; a click on it brings the page back. */
export function notify(notifier: Notifier | undefined, title: string, body: string): void {
  if (notifier?.permission !== 'granted') return;
  try {
    // One is enough, however many replies finish.
    const notification = new notifier(title, { body, tag: 'reply' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // The title of the tab says it as well.
  }
}
