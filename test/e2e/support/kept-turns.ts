import type { Page } from 'playwright-core';
import type { Turn } from '../../../client/chat/turn.ts';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { pages } from '../../../shared/interface.ts';
import type { Product } from './product.ts';
import { visit } from './visit.ts';

/** As the release before kept a turn: it follows the one before it. */
type KeptTurn = Pick<Turn, 'requestId' | 'question' | 'reply' | 'ending'>;

export const replied = (question: string, reply: string): KeptTurn => ({
  requestId: question,
  question,
  reply,
  ending: { type: 'done' },
});

/** Opens the demo on a device that has kept `turns` of it. */
export async function visitWith(turns: KeptTurn[], product?: Product): Promise<Page> {
  const page = await visit(pages.signIn, product);
  const kept = { key: deviceKeys.demo, record: JSON.stringify({ turns }) };
  await page.evaluate(({ key, record }) => localStorage.setItem(key, record), kept);
  await page.goto(pages.demo);
  return page;
}
