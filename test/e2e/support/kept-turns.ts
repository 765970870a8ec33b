import type { Page } from 'playwright-core';
import type { Turn } from '../../../client/chat/turn.ts';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { pages } from '../../../shared/interface.ts';
import { inARow, turn } from '../../client/chat/turns.ts';
import { putInto, rowsOf } from './kept-conversations.ts';
import { visit } from './visit.ts';

export const replied = (question: string, reply: string): Turn => turn(question, reply);

/** Opens the demo on a device that has kept `turns` of it, each after the one before. */
export async function visitWith(turns: Turn[]): Promise<Page> {
  const page = await visit(pages.signIn);
  const conversation = 'demo';
  const [first, last] = [turns[0], turns.at(-1)];
  const row = { id: conversation, title: first?.question, lastActiveAt: 1000, shownId: last?.id };
  await putInto(page, deviceKeys.demo, [row], rowsOf(conversation, inARow(...turns)));
  await page.goto(pages.demo);
  return page;
}
