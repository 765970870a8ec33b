import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Notifier, notify, turnOnNotifications } from '../../../client/settings/notifications.ts';

/** The user answers the prompt with `answer`; `shown` lists the titles of the open notifications. */
function fakeNotifier(answer: NotificationPermission, { isThrowing = false } = {}) {
  const shown: string[] = [];
  const opened: { title: string; options: NotificationOptions | undefined; onclick: (() => void) | null }[] = [];
  class FakeNotification {
    static permission: NotificationPermission = 'default';
    static async requestPermission() {
      FakeNotification.permission = answer;
      return answer;
    }
    onclick: (() => void) | null = null;
    readonly title: string;
    readonly options: NotificationOptions | undefined;
    constructor(title: string, options?: NotificationOptions) {
      if (isThrowing) throw new TypeError('Illegal constructor.');
      this.title = title;
      this.options = options;
      opened.push(this);
      shown.push(title);
    }
    close() {
      shown.pop();
    }
  }
  const notifier = FakeNotification as Notifier;
  return { notifier, shown, last: () => opened.at(-1) };
}

describe('Notifications', () => {
  it('are reported as missing if the browser has none or does not allow pages to create them', async () => {
    expect(await turnOnNotifications(undefined)).to.equal('missing');
    expect(await turnOnNotifications(fakeNotifier('granted', { isThrowing: true }).notifier)).to.equal('missing');
  });

  it('are shown only once they are turned on, and never throw', async () => {
    const { notifier, shown } = fakeNotifier('granted');
    notify(notifier, 'Too early', '');
    expect(shown).to.deep.equal([]);
    expect(await turnOnNotifications(notifier)).to.equal('on');
    expect(shown).to.deep.equal([]);
    notify(notifier, 'Your reply is ready', '');
    expect(shown).to.deep.equal(['Your reply is ready']);

    notify(undefined, 'Nowhere', '');
    const denying = fakeNotifier('granted', { isThrowing: true }).notifier;
    await turnOnNotifications(denying);
    notify(denying, 'Nowhere', '');
  });

  it('have a text, replace each other, and open the tab on a click', async () => {
    const { notifier, shown, last } = fakeNotifier('granted');
    await turnOnNotifications(notifier);
    expect(last()?.options).to.deep.equal({ silent: true });
    notify(notifier, 'Your reply is ready', 'Open the tab to read it.');
    expect(last()?.options).to.deep.equal({ body: 'Open the tab to read it.', tag: 'reply' });
    let isFocused = false;
    Object.assign(globalThis, { window: { focus: () => (isFocused = true) } });
    last()?.onclick?.();
    Reflect.deleteProperty(globalThis, 'window');
    expect({ isFocused, shown }).to.deep.equal({ isFocused: true, shown: [] });
  });
});
