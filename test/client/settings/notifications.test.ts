import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Notifier, notify, turnOnNotifications } from '../../../client/settings/notifications.ts';

/** The notifications of a browser whose person answers with `answer`; `shown` is what it has shown. */
function fakeNotifier(answer: NotificationPermission, { isThrowing = false } = {}) {
  const shown: string[] = [];
  class FakeNotification {
    static permission: NotificationPermission = 'default';
    static async requestPermission() {
      FakeNotification.permission = answer;
      return answer;
    }
    onclick = null;
    constructor(title: string) {
      if (isThrowing) throw new TypeError('Illegal constructor.');
      shown.push(title);
    }
    close() {
      shown.pop();
    }
  }
  const notifier: Notifier = FakeNotification;
  return { notifier, shown };
}

describe('notifications', () => {
  it('are missing where the browser has none, or none for a page', async () => {
    expect(await turnOnNotifications(undefined)).to.equal('missing');
    expect(await turnOnNotifications(fakeNotifier('granted', { isThrowing: true }).notifier)).to.equal('missing');
  });

  it('are shown only where they are allowed, and never fail', async () => {
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
});
