import { useEffect, useLayoutEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { pages } from '../../../shared/interface.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Icon } from '../../controls/icon.tsx';
import { Notice } from '../../controls/notice.tsx';
import { titleOf } from '../../device/conversation-title.ts';
import { useConversationDocument } from '../../documents/use-conversation-document.ts';
import type { UndoOffer } from '../../library/undo.ts';
import { useSession } from '../../session/session.ts';
import { signInUrl } from '../../session/sign-in.ts';
import { type SignOut, signOutInState } from '../../session/sign-out.ts';
import { BackgroundTitle } from '../../turns/background-title.tsx';
import { useTurnActions, useTurnsState } from '../../turns/use-turn.ts';
import { ConversationView } from '../../ui/conversation-view.tsx';
import { Header } from '../../ui/page/header.tsx';
import { UndoToast } from '../../ui/page/undo-toast.tsx';
import { Welcome } from '../../ui/page/welcome.tsx';
import { useDemoConversation } from './demo-conversation.ts';

export function DemoPage() {
  const t = useTranslations('demo');
  const demo = useDemoConversation();
  return (
    <>
      <title>{t('title')}</title>
      {demo.isReady ? <DemoConversation {...demo} /> : <DemoHeader />}
    </>
  );
}

type DemoHeaderProps = {
  question?: string | undefined;
  onNewConversation?: (() => void) | undefined;
};

/** The band says on every screen that users must not enter real client data, so that the demo cannot be mistaken for live chat. */
function DemoHeader({ question, onNewConversation }: DemoHeaderProps) {
  const t = useTranslations('demo');
  const { address, isSignedIn } = useOwnEngagement();
  return (
    <Header
      title={question !== undefined && <DemoTitle title={titleOf(question)} />}
      hasSettings
      onNewConversation={onNewConversation}
      banner={
        <div className="demo-band">
          <p>{t.rich('band', { strong: (words) => <strong>{words}</strong> })}</p>
        </div>
      }
    >
      <Link className="button button-primary" href={address}>
        {t(isSignedIn ? 'yourEngagement' : 'signIn')}
      </Link>
    </Header>
  );
}

function DemoTitle({ title }: { title: string }) {
  return (
    <span className="header-title" title={title}>
      <span dir="auto">{title}</span>
    </span>
  );
}

type DemoConversationProps = { conversation: Conversation; undoOffer: UndoOffer; startNew: () => void };

function DemoConversation({ conversation, undoOffer, startNew }: DemoConversationProps) {
  const state = useTurnsState(conversation);
  const t = useTranslations('demo');
  const actions = useTurnActions(conversation);
  const suggestions = [t('status'), t('hypotheses'), t('unknowns'), t('questions')];
  const { address, isSignedIn } = useOwnEngagement();
  const signOut = signOutInState(useHistoryState());
  const [initialCount] = useState(state.turns.length);
  // The confirmation disappears with the next question.
  const isSignedOut = signOut !== undefined && !isSignedIn && state.turns.length === initialCount;
  const hasStarted = state.turns.length > 0;
  const { download } = useConversationDocument(state.turns);
  // Downloads Markdown without asking for a format, because a demo conversation cannot be imported.
  useRegisterCommands(hasStarted ? { downloadConversation: download } : {});

  // The previous page may have been scrolled.
  useLayoutEffect(() => {
    if (isSignedOut && !hasStarted) window.scrollTo({ top: 0, behavior: 'instant' });
  }, [isSignedOut, hasStarted]);
  useEffect(() => {
    // Undo would replace the questions that were asked after the deletion.
    if (hasStarted) undoOffer.dismiss();
  }, [hasStarted, undoOffer]);

  const confirmation = isSignedOut && (
    <Notice tone="calm">
      <p role="status" className="notice-confirmation">
        <Icon name="tick" />
        {t(signOutMessages[signOut.conversations])}
      </p>
    </Notice>
  );

  return (
    <>
      <BackgroundTitle isRunning={state.phase.name !== 'idle'} />
      <DemoHeader question={state.turns[0]?.question} onNewConversation={hasStarted ? startNew : undefined} />
      <ConversationView
        conversation={conversation}
        actions={actions}
        notice={
          <>
            {hasStarted && confirmation}
            <UndoToast undoOffer={undoOffer} />
          </>
        }
        footnote={t('footnote')}
      >
        {confirmation}
        <Welcome
          heading={t('heading')}
          suggestions={suggestions}
          onChoose={actions.send}
          disabled={state.cooldownUntil !== null}
        >
          <p>{t.rich('fictional', { strong: (words) => <strong>{words}</strong> })}</p>
          <p>
            <Link href={address}>{t('ownEngagement')}</Link>
          </p>
        </Welcome>
      </ConversationView>
    </>
  );
}

function useOwnEngagement() {
  const { data: session } = useSession();
  const isSignedIn = Boolean(session?.user);
  return { isSignedIn, address: isSignedIn ? pages.chat : signInUrl(pages.chat) };
}

const signOutMessages = {
  kept: 'signedOutKept',
  deleted: 'signedOutDeleted',
  none: 'signedOut',
} as const satisfies Record<SignOut['conversations'], string>;
