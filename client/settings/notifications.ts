/** The part of the `Notification` API that is used. Not every browser has it, although its type says so. */
export type Notifier = {
  readonly permission: NotificationPermission;
  requestPermission(): Promise<NotificationPermission>;
  new (title: string, options?: NotificationOptions): Pick<Notification, 'onclick' | 'close'>;
};

/** `missing` means that the browser does not let pages show notifications. */
export type NotificationResult = 'on' | 'denied' | 'missing';

export function browserNotifier(): Notifier | undefined {
  return 'Notification' in window ? Notification : undefined;
}

/** Requests permission. Call it only when the user turns the setting on: browsers penalize unprompted requests. */
export async function turnOnNotifications(notifier: Notifier | undefined): Promise<NotificationResult> {
  if (notifier === undefined) return 'missing';
  // The browser prompts until the user has answered; later calls resolve with that answer.
  if ((await notifier.requestPermission()) !== 'granted') return 'denied';
  try {
    // Chrome for Android grants permission, but throws here: it shows only notifications of service workers.
    new notifier('', { silent: true }).close();
    return 'on';
  } catch {
    return 'missing';
  }
}

export function notify(notifier: Notifier | undefined, title: string, body: string): void {
  if (notifier?.permission !== 'granted') return;
  try {
    // The tag replaces the previous notification, so that several finished replies show one.
    const notification = new notifier(title, { body, tag: 'reply' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // The title of the tab also shows that the reply has finished.
  }
}
