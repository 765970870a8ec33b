import { useEffect } from 'react';
import type { User } from '../session/session.ts';
import { Account } from '../ui/account.tsx';
import { messageFieldId } from '../ui/composer.tsx';
import { ConversationList } from '../ui/conversation-list.tsx';
import { ConversationListDrawer } from '../ui/conversation-list-drawer.tsx';
import { Header } from '../ui/header.tsx';
import { LiveConversation } from './live-conversation.tsx';
import { openLiveDesk } from './open-desk.ts';
import { useDesk } from './use-desk.ts';

/** Live chat: the person's conversations, and the open one. */
export function LiveChat({ user }: { user: User }) {
  const { desk, list, state } = useDesk(() => openLiveDesk(user.id));

  useEffect(() => {
    if (state.isNew) document.getElementById(messageFieldId)?.focus();
  }, [state]);

  return (
    <>
      <Header start={<ConversationListDrawer desk={desk} list={list} />}>
        <Account user={user} onSignedOut={desk.clear} />
      </Header>
      <div className="with-list">
        <div className="list-column">
          <ConversationList desk={desk} list={list} />
        </div>
        {state.conversation && (
          <LiveConversation key={state.id} user={user} id={state.id} desk={desk} conversation={state.conversation} />
        )}
      </div>
    </>
  );
}
