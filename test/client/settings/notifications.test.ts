import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Notifier, notify, turnOnNotifications } from '../../../client/settings/notifications.ts';

/** The user answers the prompt with `answer`; `shown` lists the titles of the open notifications. */
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

describe('Notifications', () => {
  it('are reported as missing if the browser has none, or none for pages', async () => {
    expect(await turnOnNotifications(undefined)).to.equal('missing');
    expect(await turnOnNotifications(fakeNotifier('granted', { isThrowing: true }).notifier)).to.equal('missing');
  });

  it('are shown only with permission, and never throw', async () => {
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
