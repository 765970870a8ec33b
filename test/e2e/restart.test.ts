import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { sessionSchema } from '../../shared/session.ts';
import { conversationOn } from './support/conversation.ts';
import { nextReplyTo } from './support/next-reply.ts';
import { people } from './support/people.ts';
import { startProduct } from './support/product.ts';
import { openLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('a restart under an open page', () => {
  it('leaves the person signed in and the conversation going, and every turn is stored', async () => {
    const product = await startProduct();
    try {
      const page = await visit(pages.signIn, product);
      await openLiveChat(page, people.onboarded);
      const { ask, finished } = conversationOn(page);
      const signedIn = async () => sessionSchema.parse(await (await page.request.get(routes.session)).json()).user;

      const first = nextReplyTo(page);
      await ask('Where do we stand?');
      await finished();
      const user = await signedIn();

      await product.stop();
      await product.startAgain();

      const second = nextReplyTo(page);
      await ask('And what next?');
      expect(await second).to.contain('2 earlier messages came with it.');
      expect(await signedIn()).to.deep.equal(user);

      await product.stop();
      const stored = await product.rows(
        'select role, content, user_id, conversation_id from chat_messages order by position',
      );
      const [{ conversation_id } = {}] = stored;
      expect(stored).to.deep.equal(
        [
          { role: 'USER', content: 'Where do we stand?' },
          { role: 'ASSISTANT', content: await first },
          { role: 'USER', content: 'And what next?' },
          { role: 'ASSISTANT', content: await second },
        ].map((message) => ({ ...message, user_id: user?.id, conversation_id })),
      );
    } finally {
      await product.remove();
    }
  });
});
