import { useCallback, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { useOfferedCommands, useOfferedConversations } from '../commands/in-commands.tsx';
import { Loading } from '../controls/loading.tsx';
import { saveFile } from '../controls/save-file.ts';
import { ConversationList } from '../conversation-list/conversation-list.tsx';
import { ConversationListDrawer } from '../conversation-list/conversation-list-drawer.tsx';
import type { Found } from '../conversations/conversations.ts';
import { createFinding } from '../conversations/finding.ts';
import { createRemoving } from '../conversations/removing.ts';
import { createUndoOffer } from '../conversations/undo-offer.ts';
import { deviceKeys } from '../device/device-storage.ts';
import { fileName } from '../documents/file-name.ts';
import type { User } from '../session/session.ts';
import { Account } from '../ui/account.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Header } from '../ui/header.tsx';
import { UnknownConversation } from '../ui/unknown-conversation.tsx';
import { LiveConversation } from './live-conversation.tsx';
import { openLiveDesk } from './open-desk.ts';
import { pageClock } from './page-clock.ts';
import { useArrivalFocus } from './use-arrival-focus.ts';
import { useDesk } from './use-desk.ts';
import { namedBy, useDeskAddress } from './use-desk-address.ts';
import { useScrollPlaces } from './use-scroll-place.ts';

/** Live chat: the person's conversations, and the open one. */
export function LiveChat({ user }: { user: User }) {
  const say = useTranslations('conversations');
  const { desk, list, state } = useDesk(() => openLiveDesk(user.id, namedBy(window.location.pathname) ?? undefined));
  const { entries } = useSyncExternalStore(list.subscribe, list.getState);
  const [{ finding, offer, onRemove }] = useState(() => {
    const offer = createUndoOffer(pageClock);
    const removing = createRemoving({ list, desk, offer });
    removing.offerAgain();
    return { offer, finding: createFinding(list.search, pageClock), onRemove: removing.remove };
  });
  const [found, setFound] = useState<Found>();
  const arrive = useArrivalFocus(state.conversation !== undefined);
  const scrollPlaces = useScrollPlaces(deviceKeys.scrollPlace(user.id), state.id);
  const leaveAddress = useDeskAddress(desk, list, arrive);

  const onOpen = useCallback(
    (id: string, found?: Found) => {
      setFound(found);
      if (!found?.passage) arrive();
      desk.open(id, found?.passage?.turnId);
    },
    [desk, arrive],
  );
  const onNew = useCallback(() => {
    setFound(undefined);
    arrive();
    desk.startNew();
  }, [desk, arrive]);

  const entry = entries.find(({ id }) => id === state.id);
  const title = entry?.name || entry?.title || say('create');
  const onSignedOut = () => {
    leaveAddress();
    desk.clear();
  };
  const exportConversation = async () => {
    const text = JSON.stringify(await list.exportOne(state.id), null, 2);
    saveFile({ name: fileName(title, 'json'), type: 'application/json', text });
  };
  useOfferedConversations({ list, open: onOpen });
  useOfferedCommands(entry ? { exportConversation } : {});

  const shownList = { list, finding, offer, openId: state.id, onOpen, onNew, onRemove };
  return (
    <>
      <title>{`${state.isKnown ? title : say('unknown')} · Advisory Chat`}</title>
      <Header start={<ConversationListDrawer {...shownList} />} onNewConversation={onNew}>
        <Account user={user} list={list} onSignedOut={onSignedOut} />
      </Header>
      <div className="with-list">
        <div className="list-column">
          <ConversationList {...shownList} />
        </div>
        {/* Another conversation is another chance. */}
        <ErrorBoundary key={state.id}>
          {state.conversation && (
            <LiveConversation
              user={user}
              id={state.id}
              conversation={state.conversation}
              passage={found?.entry.id === state.id ? found.passage : null}
              scrollPlaces={scrollPlaces}
              offer={offer}
              onOpen={onOpen}
            />
          )}
          {state.conversation === undefined && state.isKnown && <Loading />}
          {!state.isKnown && <UnknownConversation onNew={onNew} />}
        </ErrorBoundary>
      </div>
    </>
  );
}
