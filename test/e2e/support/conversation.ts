import type { Page } from 'playwright-core';

export function conversationOn(page: Page) {
  const composer = page.getByRole('textbox', { name: 'Message' });
  const questions = page.getByRole('article', { name: 'You' });
  const replies = page.getByRole('article', { name: 'Assistant' });
  const untilAnnounced = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

  return {
    composer,
    questions,
    replies,
    send: page.getByRole('button', { name: 'Send', exact: true }),
    stop: page.getByRole('button', { name: 'Stop', exact: true }),
    tryAgain: page.getByRole('button', { name: 'Try again', exact: true }).last(),
    error: page.getByRole('alert'),

    async ask(question: string): Promise<void> {
      await composer.fill(question);
      await composer.press('Enter');
    },

    /** Resolves when the first words of the pending reply are shown. */
    started: () => untilAnnounced('Reply started'),

    /** Resolves when the reply has ended, with or without a mark of its end. */
    finished: () => untilAnnounced(/Reply finished|This reply may be incomplete/),

    /** Returns the text of the last reply once it is rendered: a finished reply can still wait for the Markdown chunk. */
    async renderedReply(): Promise<string> {
      await replies.last().locator('.markdown').waitFor();
      return (await replies.last().textContent()) ?? '';
    },
  };
}
