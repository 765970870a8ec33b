import type { Page } from 'playwright-core';
import type { Turn } from '../../../client/chat/turn.ts';
import { deviceKeys } from '../../../client/device-storage.ts';
import { pages } from '../../../shared/interface.ts';
import { visit } from './visit.ts';

export const replied = (question: string, reply: string): Turn => ({
  requestId: question,
  question,
  reply,
  ending: { type: 'done' },
});

/** Opens the demo on a device that has kept `turns` of it. */
export async function visitWith(turns: Turn[]): Promise<Page> {
  const page = await visit(pages.signIn);
  const kept = { key: deviceKeys.demoTranscript, record: JSON.stringify({ turns }) };
  await page.evaluate(({ key, record }) => localStorage.setItem(key, record), kept);
  await page.goto(pages.demo);
  return page;
}
