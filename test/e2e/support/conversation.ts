import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';
import type { Message } from '../../../shared/messages.ts';

export function conversationOn(page: Page) {
  const composer = page.getByRole('textbox', { name: 'Message' });
  const questions = page.getByRole('article', { name: 'You' });
  const replies = page.getByRole('article', { name: 'Assistant' });
  const untilAnnounced = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const ask = async (question: string) => {
    await composer.fill(question);
    await composer.press('Enter');
  };
  const started = () => untilAnnounced('Reply started');
  const finished = () => untilAnnounced(/Reply finished|This reply may be incomplete/);

  return {
    composer,
    questions,
    replies,
    send: page.getByRole('button', { name: 'Send', exact: true }),
    stop: page.getByRole('button', { name: 'Stop', exact: true }),
    tryAgain: page.getByRole('button', { name: 'Try again', exact: true }).last(),
    error: page.getByRole('alert'),

    /** The message field with what is above it, at the bottom of the window. */
    dock: page.locator('.dock'),

    ask,

    /** Resolves when the first words of the pending reply are shown. */
    started,

    /** Resolves when the reply has ended, with or without a mark of its end. */
    finished,

    /** Asks, and resolves when the first words of the reply are shown. */
    askUntilStarted: (question: string) => ask(question).then(started),

    /** Asks, and resolves when the reply has ended. */
    exchange: (question: string) => ask(question).then(finished),

    /** Returns the text of the last reply once it is rendered: a finished reply can still wait for the Markdown chunk. */
    async renderedReply(): Promise<string> {
      await replies.last().locator('.markdown').waitFor();
      return (await replies.last().textContent()) ?? '';
    },
  };
}

/** Answers the questions on `page` with `replies`, and all later ones with the last reply. Returns the messages of each request. */
export async function answerWith(page: Page, ...replies: (string | Promise<string>)[]): Promise<Message[][]> {
  const requests: Message[][] = [];
  for (const path of [routes.demoChat, routes.liveChat])
    await page.route(path, async (route) => {
      // Firefox has no bodies of requests.
      requests.push(route.request().postDataJSON()?.messages);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      await route.fulfill({ contentType: 'text/plain; charset=utf-8', body: (await reply) ?? '' });
    });
  return requests;
}
