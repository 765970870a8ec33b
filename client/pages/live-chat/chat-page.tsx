import '../../language/messages/en.ts';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState, useSyncExternalStore } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { Redirect } from 'wouter';
import { pages } from '../../../shared/interface.ts';
import type { User } from '../../../shared/session.ts';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import { systemClock } from '../../chat/clock.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { useRegisterCommands, useRegisterConversations } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { Card, LoadingPage } from '../../controls/card.tsx';
import { Notice } from '../../controls/notice.tsx';
import { deviceKeys } from '../../device/device-storage.ts';
import { DownloadDialog } from '../../documents/download-dialog.tsx';
import { createDebouncedSearch } from '../../library/debounced-search.ts';
import type { Library } from '../../library/library.ts';
import type { Passage, SearchResult } from '../../library/search-conversations.ts';
import { createRemoveConversation, createUndoOffer, type UndoOffer } from '../../library/undo.ts';
import { loadStatements, suggestQuestions } from '../../onboarding/first-questions.ts';
import { firstName } from '../../session/first-name.ts';
import { lastSession } from '../../session/last-session.ts';
import { signInUrl } from '../../session/sign-in.ts';
import { BackgroundTitle } from '../../turns/background-title.tsx';
import { useDraft, useSelection, useTurnActions } from '../../turns/use-turn.ts';
import { ConversationView } from '../../ui/conversation-view.tsx';
import { ConversationListColumn, ConversationListDrawer } from '../../ui/list/conversation-list-panel.tsx';
import { AccountMenu } from '../../ui/page/account.tsx';
import { messageFieldId } from '../../ui/page/composer.tsx';
import { ConversationHeading } from '../../ui/page/conversation-heading.tsx';
import { ErrorBoundary } from '../../ui/page/error-boundary.tsx';
import { Header } from '../../ui/page/header.tsx';
import { PersistenceNotice } from '../../ui/page/persistence-notice.tsx';
import { UndoToast } from '../../ui/page/undo-toast.tsx';
import { IsPersistedContext, usePersistenceHint } from '../../ui/page/use-persistence-hint.ts';
import { Welcome } from '../../ui/page/welcome.tsx';
import { WithSession } from '../with-session.tsx';
import { conversationInPath, useAddressSync } from './address-sync.ts';
import { openLiveConversations, useLiveConversations } from './live-conversations.ts';
import { type ReadingPositions, useReadingPosition, useReadingPositions } from './reading-position.ts';
import { usePassage } from './use-passage.ts';

export function ChatPage() {
  const [offlineSession] = useState(() => lastSession());
  return (
    <WithSession offlineSession={offlineSession}>
      {({ user }) => {
        if (user === null) return <Redirect to={signInUrl(window.location.pathname)} replace />;
        if (!user.onboarded) return <Redirect to={pages.onboarding} replace />;
        return <LiveChat key={user.id} user={user} />;
      }}
    </WithSession>
  );
}

function LiveChat({ user }: { user: User }) {
  const t = useTranslations('conversations');
  const tCommand = useTranslations('commands');
  const { openConversations, library, state } = useLiveConversations(() =>
    openLiveConversations(user.id, conversationInPath(window.location.pathname) ?? undefined),
  );
  const { entries, persistence } = useSyncExternalStore(library.subscribe, library.getState);
  const arrive = useArrivalFocus(state.conversation !== undefined);
  const [{ search, undoOffer, onRemove }] = useState(() => {
    const undoOffer = createUndoOffer();
    /** Opens a restored conversation. Moves the focus there unless it is elsewhere on the page, for example in the list. */
    const open = (id: string) => {
      const { activeElement, body } = document;
      if (activeElement === body || activeElement?.closest('#main')) arrive();
      openConversations.open(id);
    };
    return {
      undoOffer,
      search: createDebouncedSearch(library.search, systemClock),
      onRemove: createRemoveConversation({ library, openConversations: { ...openConversations, open }, undoOffer }),
    };
  });
  const [openedResult, setOpenedResult] = useState<SearchResult>();
  const [isDownloading, setIsDownloading] = useState(false);

  useWindowEvent('storage', ({ key }) => {
    if (key === library.pinned.key || key === null) library.pinned.reload();
  });
  const readingPositions = useReadingPositions(deviceKeys.readingPosition(user.id));
  const leaveAddress = useAddressSync(openConversations, library, arrive);

  const onOpen = useCallback(
    (id: string, result?: SearchResult) => {
      setOpenedResult(result);
      if (!result?.passage) arrive();
      openConversations.open(id, result?.passage?.versionId);
    },
    [openConversations, arrive],
  );
  const onNew = useCallback(() => {
    setOpenedResult(undefined);
    arrive();
    openConversations.startNew();
  }, [openConversations, arrive]);

  const entry = entries.find(({ id }) => id === state.id);
  const title = entry?.name || entry?.title || tCommand('newConversation');
  const onDeleted = () => {
    leaveAddress();
    openConversations.clear();
  };
  const { ids: pinnedIds } = useSyncExternalStore(library.pinned.subscribe, library.pinned.getState);
  const togglePinned = () => library.pinned.toggle(state.id);
  useRegisterConversations({ library, open: onOpen });
  useRegisterCommands(
    entry
      ? {
          downloadConversation: () => setIsDownloading(true),
          ...(pinnedIds.includes(entry.id) ? { unpinConversation: togglePinned } : { pinConversation: togglePinned }),
          deleteConversation() {
            arrive();
            onRemove(entry);
          },
        }
      : {},
  );

  const listProps = {
    library,
    search,
    undoOffer,
    openId: state.id,
    runningIds: state.runningIds,
    onOpen,
    onNew,
    onRemove,
  };
  return (
    <IsPersistedContext value={persistence === 'working'}>
      <title>{`${state.isKnown ? title : t('unknown')} · Advisory Chat`}</title>
      <BackgroundTitle isRunning={state.runningIds.length > 0} />
      <Header
        listButton={<ConversationListDrawer {...listProps} />}
        title={
          entry && (
            <ConversationHeading key={entry.id} title={title} onRename={(name) => library.rename(entry.id, name)} />
          )
        }
        onNewConversation={onNew}
      >
        <AccountMenu user={user} openLibrary={() => library} onDeleted={onDeleted} />
      </Header>
      <div className="with-list">
        <ConversationListColumn {...listProps} />
        {/* The key resets the boundary for each conversation. */}
        <ErrorBoundary key={state.id}>
          {state.conversation && (
            <LiveConversation
              user={user}
              id={state.id}
              title={entry && title}
              conversation={state.conversation}
              library={library}
              runningId={state.runningIds.find((id) => id !== state.id)}
              passage={openedResult?.entry.id === state.id ? openedResult.passage : null}
              readingPositions={readingPositions}
              undoOffer={undoOffer}
              onOpen={onOpen}
            />
          )}
          {state.conversation === undefined && state.isKnown && <LoadingPage />}
          {!state.isKnown && <UnknownConversation onNew={onNew} />}
        </ErrorBoundary>
      </div>
      {/* The dialog is at the end, because the style sheet aligns the header with the list that follows it. */}
      {isDownloading && entry && (
        <DownloadDialog
          title={title}
          load={() => library.exportOne(entry.id)}
          onClose={() => setIsDownloading(false)}
        />
      )}
    </IsPersistedContext>
  );
}

type LiveConversationProps = {
  user: User;
  id: string;
  title: string | undefined;
  conversation: Conversation;
  library: Library;
  runningId: string | undefined;
  passage: Passage | null;
  readingPositions: ReadingPositions;
  undoOffer: UndoOffer;
  onOpen: (id: string) => void;
};

function LiveConversation(props: LiveConversationProps) {
  const { user, id, title, conversation, library, runningId, passage, readingPositions, undoOffer, onOpen } = props;
  const isBlocked = useSelection(conversation, ({ cooldownUntil }) => cooldownUntil !== null);
  const wasRefused = useDraft(conversation, (draft) => draft.wasRefused);
  const t = useTranslations('live');
  const tComposer = useTranslations('composer');
  const persistenceHint = usePersistenceHint();
  const actions = useTurnActions(conversation);
  const tFirst = useTranslations('firstQuestions');
  const locale = useLocale();
  const name = firstName(user.name);
  const [statements] = useState(() => loadStatements({ userId: user.id, organizationId: user.organization.id }));
  const firstQuestions = statements ? suggestQuestions(tFirst, locale, user.organization.name, statements) : [];
  const suggestions = [
    ...firstQuestions,
    t('status'),
    // Only the device on which the form was filled in knows that there are hypotheses.
    ...(statements?.hypothesis ? [t('hypotheses')] : []),
    t('unknowns'),
    t('agenda'),
  ];
  const [restoredTurnId] = useState(() => readingPositions.positions.get(id)?.turnId);
  useReadingPosition(readingPositions, id, passage !== null);
  usePassage(passage);
  const running = library.getState().entries.find((entry) => entry.id === runningId);
  const runningTitle = running?.name || running?.title;
  const waitReason = useMemo(
    () =>
      runningId &&
      runningTitle &&
      t.rich('waitsFor', {
        title: runningTitle,
        open: (words) => (
          <button type="button" className="composer-queued-link" onClick={() => onOpen(runningId)}>
            {words}
          </button>
        ),
      }),
    [t, runningId, runningTitle, onOpen],
  );
  const footnote = useMemo(
    () => (
      <>
        <bdi>{user.organization.name}</bdi> · {t('footnote')}
      </>
    ),
    [t, user.organization.name],
  );

  useEffect(() => {
    if (runningId === undefined) conversation.watchOtherTabs();
  }, [runningId, conversation]);

  return (
    <ConversationView
      conversation={conversation}
      title={title}
      actions={actions}
      targetTurnId={passage?.turnId ?? restoredTurnId}
      footnote={footnote}
      waitReason={waitReason}
      busyNotice={
        runningId && (
          <Notice tone="warning" title={t('busyElsewhere')}>
            <Button onClick={() => onOpen(runningId)}>{t('goToConversation')}</Button>
          </Notice>
        )
      }
      notice={
        <>
          <PersistenceNotice library={library} />
          {wasRefused && (
            <Notice tone="calm" title={t('notSent')} advice={t('notSentAdvice')}>
              <Button onClick={() => actions.send(conversation.getState().draft.text)}>
                {tComposer('sendQueued')}
              </Button>
            </Notice>
          )}
          <UndoToast undoOffer={undoOffer} isListNear />
        </>
      }
    >
      <Welcome
        heading={name === null ? t('welcome') : t('welcomeByName', { name })}
        suggestions={suggestions.slice(0, 4)}
        onChoose={actions.send}
        disabled={isBlocked}
      >
        <p>
          {t.rich('introduction', {
            organization: user.organization.name,
            strong: (organization) => <strong>{organization}</strong>,
          })}
          {persistenceHint('replies') || ` ${t('savedByService')}`}
        </p>
      </Welcome>
    </ConversationView>
  );
}

/**
 * Focuses the message field at the start and after each call of the returned function, which reports that the user opens a
 * conversation. Does not scroll, and does nothing on touch devices, where a keyboard would cover the page. Leaves the focus if the
 * user has moved it meanwhile, or if it is on the heading after a navigation.
 */
function useArrivalFocus(isReady: boolean): () => void {
  const [arrivals, arrive] = useReducer((count: number) => count + 1, 1);
  const handledArrivals = useRef(0);
  const from = useRef<Element>(null);

  useEffect(() => {
    if (handledArrivals.current === arrivals || !isReady) return;
    handledArrivals.current = arrivals;
    const { activeElement, body } = document;
    if (activeElement !== body && activeElement !== from.current) return;
    if (!window.matchMedia('(pointer: fine)').matches) return;
    document.getElementById(messageFieldId)?.focus({ preventScroll: true });
  }, [arrivals, isReady]);

  return useCallback(() => {
    from.current = document.activeElement;
    arrive();
  }, []);
}

function UnknownConversation({ onNew }: { onNew: () => void }) {
  const t = useTranslations('unknownConversation');
  const tCommand = useTranslations('commands');
  return (
    <Card heading={t('heading')} lead={t('why')}>
      <p className="lead">{t('next')}</p>
      <Button kind="primary" onClick={onNew}>
        {tCommand('newConversation')}
      </Button>
    </Card>
  );
}
