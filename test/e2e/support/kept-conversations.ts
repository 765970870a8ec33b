import type { Page } from 'playwright-core';
import type { Turn } from '../../../client/chat/turn.ts';
import type { ConversationRow, TurnRow } from '../../../client/device/conversation-records.ts';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { routes } from '../../../shared/interface.ts';

/** The beginning of what the device keeps of the person who is signed in on `page`; the name of their database as well. */
export async function prefixOn(page: Page): Promise<string> {
  const session = await page.request.get(routes.session);
  return deviceKeys.conversations((await session.json()).user.id);
}

/** Lets nobody read or write the turns that the person on `page` keeps, until what it returns is called. */
export async function holdTurns(page: Page): Promise<() => Promise<void>> {
  const name = await prefixOn(page);
  await page.evaluate(
    (name) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          const store = database.transaction('turns', 'readwrite').objectStore('turns');
          // A transaction lasts for as long as it has something to do.
          const goOn = () => {
            if (document.documentElement.dataset.held === 'false') database.close();
            else store.count().onsuccess = goOn;
            resolve();
          };
          store.count().onsuccess = goOn;
        };
      }),
    name,
  );
  return () =>
    page.evaluate(() => {
      document.documentElement.dataset.held = 'false';
    });
}

/** The turns of the kept `conversation`, in their order. */
export function rowsOf(conversation: string, turns: readonly Turn[]): TurnRow[] {
  return turns.map((turn, order) => ({ conversation, id: turn.id, order, turn }));
}

/** Puts conversations into the database of the person who is signed in on `page`, which has opened live chat before. */
export async function keepOn(page: Page, conversations: ConversationRow[], turns: TurnRow[]): Promise<void> {
  await putInto(page, await prefixOn(page), conversations, turns);
}

/** Puts conversations into the database `name` of the browser, which is made if there is none. */
export function putInto(page: Page, name: string, conversations: unknown[], turns: unknown[]): Promise<void> {
  return page.evaluate(
    ({ name, conversations, turns }) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, 1);
        opening.onerror = () => reject(opening.error);
        opening.onupgradeneeded = () => {
          opening.result.createObjectStore('conversations', { keyPath: 'id' });
          opening.result.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
          opening.result.createObjectStore('damaged', { autoIncrement: true });
        };
        opening.onsuccess = () => {
          const database = opening.result;
          const transaction = database.transaction(['conversations', 'turns'], 'readwrite');
          for (const row of conversations) transaction.objectStore('conversations').put(row);
          for (const row of turns) transaction.objectStore('turns').put(row);
          transaction.onerror = () => reject(transaction.error);
          transaction.oncomplete = () => {
            database.close();
            resolve();
          };
        };
      }),
    { name, conversations, turns },
  );
}

/** All turns in the database `name` of the browser, whatever they are. */
export function turnsIn(page: Page, name: string): Promise<unknown[]> {
  return page.evaluate(
    (name) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const reading = opening.result.transaction('turns').objectStore('turns').getAll();
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result);
          };
        };
      }),
    name,
  );
}
