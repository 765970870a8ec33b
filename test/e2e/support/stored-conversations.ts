import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Turn } from '../../../client/chat/turn.ts';
import type { TurnRow } from '../../../client/device/conversation-records.ts';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { conversationPath, pages, routes } from '../../../shared/interface.ts';
import { inARow, record, turn } from '../../client/chat/turns.ts';
import { conversationOn } from './conversation.ts';
import { people } from './people.ts';
import type { Product } from './product.ts';
import { prepareUser } from './sign-in.ts';
import { openEmptyPage } from './visit.ts';

/** Returns the key prefix of the signed-in user's data on the device, which is also the name of their database. */
export async function keyPrefixOn(page: Page): Promise<string> {
  const session = await page.request.get(routes.session);
  return deviceKeys.conversations((await session.json()).user.id);
}

export function rowsOf(conversation: string, turns: readonly Turn[]): TurnRow[] {
  return turns.map((turn, order) => ({ conversation, id: turn.id, order, turn }));
}

type StoredConversation = { title: string; turns: readonly Turn[]; lastActiveAt?: number };

/** Stores conversations, the latest first, for the signed-in user. */
export async function storeConversations(page: Page, conversations: readonly StoredConversation[]): Promise<void> {
  const { rows, turnRows } = recordsOf(conversations);
  await insertRows(page, await keyPrefixOn(page), rows, turnRows);
}

function recordsOf(conversations: readonly StoredConversation[]) {
  const rows = conversations.map(({ title, turns, lastActiveAt }, index) => ({
    id: idOf(title),
    title,
    lastActiveAt: lastActiveAt ?? conversations.length - index,
    shownId: turns.at(-1)?.id ?? null,
  }));
  return { rows, turnRows: conversations.flatMap(({ title, turns }) => rowsOf(idOf(title), turns)) };
}

const idOf = (title: string) => title.replaceAll(/\W/g, '-');

/** Opens live chat with a conversation per name, the latest first. The latest is open. */
export const visitNamed = (names: readonly string[], options?: BrowserContextOptions) =>
  visitWithConversations(
    names.map((title) => ({ title, turns: [turn(`${title}?`, 'Yes.')] })),
    options,
  );

/** Opens live chat with `conversations` on the device, the latest first. The latest is open. */
export async function visitWithConversations(
  conversations: readonly StoredConversation[],
  options?: BrowserContextOptions,
) {
  const page = await openEmptyPage(undefined, options);
  await prepareUser(page, people.onboarded);
  const { rows, turnRows } = recordsOf(conversations);
  // The database processes requests in their order, so the application finds the rows.
  const storing = await page.addInitScript(insert, {
    name: await keyPrefixOn(page),
    conversations: rows,
    turns: turnRows,
  });
  await page.goto(conversationPath(idOf(conversations[0]?.title ?? '')));
  await storing.dispose();
  const conversation = conversationOn(page);
  await conversation.questions.first().waitFor();
  return { page, ...conversation };
}

/** Stores `conversations` on the device of a signed-in user, and returns a page that has not loaded the application. */
export async function openWithConversations(
  conversations: readonly StoredConversation[],
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await openEmptyPage(undefined, options);
  await prepareUser(page, people.onboarded);
  await openOrigin(page);
  await storeConversations(page, conversations);
  return page;
}

/** Opens the demo with `turns` stored on the device. Each turn follows the previous one. `prepare` changes the page before it is opened. */
export async function visitDemoWithTurns(
  turns: readonly Turn[],
  options?: BrowserContextOptions,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Page> {
  const page = await openEmptyPage(undefined, options);
  await prepare?.(page);
  const storing = await page.addInitScript(store, demoEntry(turns));
  await page.goto(pages.demo);
  await storing.dispose();
  return page;
}

/** Stores `turns` for the demo on a new device, and returns a page that has not loaded the application. */
export async function openWithTurns(
  turns: readonly Turn[],
  options?: BrowserContextOptions,
  product?: Product,
): Promise<Page> {
  const page = await openEmptyPage(product, options);
  await openOrigin(page);
  await storeDemo(page, ...turns);
  return page;
}

/** Opens a page of the origin that gives access to its storage without loading the application. */
async function openOrigin(page: Page): Promise<void> {
  const path = '/without-the-application';
  // With an icon of its own, the page does not request /favicon.ico.
  const body = '<link rel="icon" href="data:," />';
  await page.route(path, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(path);
  await page.unroute(path);
}

/** Stores `turns` for the demo, which `page` does not show. */
export const storeDemo = (page: Page, ...turns: readonly Turn[]) => page.evaluate(store, demoEntry(turns));

const demoEntry = (turns: readonly Turn[]) => ({
  key: deviceKeys.demo,
  text: JSON.stringify(record(...inARow(...turns))),
});

function store({ key, text }: { key: string; text: string }): void {
  // The frame of a diagram and the empty page before the first one have no storage.
  if (window.origin !== 'null') localStorage.setItem(key, text);
}

export const insertRows = (page: Page, name: string, conversations: unknown[], turns: unknown[]) =>
  page.evaluate(insert, { name, conversations, turns });

type Rows = { name: string; conversations: unknown[]; turns: unknown[] };

function insert({ name, conversations, turns }: Rows): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    if (window.origin === 'null') return resolve();
    const opening = indexedDB.open(name, 1);
    opening.onerror = () => reject(opening.error);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('conversations', { keyPath: 'id' });
      opening.result.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
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
  });
}

export function readTurns(page: Page, name: string): Promise<unknown[]> {
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
