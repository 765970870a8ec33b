import { useEffect } from 'react';
import { useOfferedConversations } from '../commands/in-commands.tsx';
import type { User } from '../session/session.ts';
import { Account } from '../ui/account.tsx';
import { messageFieldId } from '../ui/composer.tsx';
import { ConversationList } from '../ui/conversation-list.tsx';
import { ConversationListDrawer } from '../ui/conversation-list-drawer.tsx';
import { Header } from '../ui/header.tsx';
import { isPointerCoarse } from '../ui/use-coarse-pointer.ts';
import { LiveConversation } from './live-conversation.tsx';
import { openLiveDesk } from './open-desk.ts';
import { useDesk } from './use-desk.ts';

/** Live chat: the person's conversations, and the open one. */
export function LiveChat({ user }: { user: User }) {
  const { desk, list, state } = useDesk(() => openLiveDesk(user.id));

  useEffect(() => {
    // With a finger, it would open a keyboard over the questions to begin with.
    if (state.isNew && !isPointerCoarse()) document.getElementById(messageFieldId)?.focus();
  }, [state]);

  useOfferedConversations({ list, open: desk.open });

  return (
    <>
      <Header start={<ConversationListDrawer desk={desk} list={list} />} onNewConversation={desk.startNew}>
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
