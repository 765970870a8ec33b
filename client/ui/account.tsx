import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { routes } from '../../shared/interface.ts';
import type { User } from '../../shared/session.ts';
import { keyNames } from '../commands/command-key.ts';
import { useCommandRegistry, useOfferedCommands } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Modal } from '../controls/modal.tsx';
import type { ConversationList } from '../conversations/conversation-list.ts';
import { saveExported } from '../documents/download-all.tsx';
import { useSignOut } from '../session/sign-out.ts';

type AccountProps = {
  user: User;
  /** Returns the conversations on this device, about which a sign-out asks. */
  openList: () => ConversationList | Promise<ConversationList>;
  /** As `useSignOut` has it. */
  onDeleted?: (() => void) | undefined;
};

/** Who is signed in, and the ways out. */
export function Account({ user, openList, onDeleted }: AccountProps) {
  const t = useTranslations('account');
  const registry = useCommandRegistry();
  const signOut = useSignOut(routes.signOut, user.id, onDeleted);
  const signOutEverywhere = useSignOut(routes.signOutEverywhere, user.id, onDeleted);
  const [question, setQuestion] = useState<{ isEverywhere: boolean; list: ConversationList | undefined }>();
  const menu = useRef<HTMLDivElement>(null);
  const menuId = useId();

  // The focus goes back to the account: from there a dialog takes it, and there it leaves it again.
  const leaveMenu = () => menu.current?.hidePopover();
  const loadList = async () => {
    const list = await openList();
    await list.loaded;
    return list;
  };
  const askEverywhere = async () => {
    leaveMenu();
    setQuestion({ isEverywhere: true, list: await loadList().catch(() => undefined) });
  };
  const ask = async () => {
    const list = await loadList().catch(() => undefined);
    const hasConversations = list !== undefined && list.getState().entries.length > 0;
    // If the list cannot be loaded, there may be conversations, so nothing is deleted.
    if (!hasConversations) return signOut.mutate({ keepsConversations: list === undefined });
    leaveMenu();
    setQuestion({ isEverywhere: false, list });
  };
  const run = (name: 'settings' | 'palette') => {
    leaveMenu();
    registry.run(name);
  };
  useOfferedCommands({ signOut: ask, signOutEverywhere: askEverywhere });
  return (
    <>
      <button type="button" className="account" popoverTarget={menuId}>
        <span className="visually-hidden">{t('label')} </span>
        <span className="account-names">
          <span className="account-organization" dir="auto">
            {user.organization.name}
          </span>
          {user.name && (
            <span className="account-name" dir="auto">
              {user.name}
            </span>
          )}
        </span>
        <Icon name="person" />
        <Icon name="down" />
      </button>
      <div ref={menu} id={menuId} className="header-menu" popover="auto">
        {user.email && <p className="aside">{user.email}</p>}
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => run('settings')}>
          {t('settings')}
        </Button>
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => run('palette')}>
          {t('palette')} <kbd>{t('paletteKey', keyNames)}</kbd>
        </Button>
        <Button kind="quiet" disabled={signOut.isPending} onClick={ask}>
          {t('signOut')}
        </Button>
        <Button kind="quiet" onClick={askEverywhere}>
          {t('signOutEverywhere')}
        </Button>
        {signOut.isError && (
          <p className="field-error" role="alert">
            {t('signOutFailed')}
          </p>
        )}
      </div>
      {question && (
        <SignOutDialog
          {...question}
          signOut={question.isEverywhere ? signOutEverywhere : signOut}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </>
  );
}

type SignOutDialogProps = {
  /** Whether every session of the person ends, or the one in this browser. */
  isEverywhere: boolean;
  /** The conversations on this device; undefined if they could not be loaded. */
  list: ConversationList | undefined;
  signOut: ReturnType<typeof useSignOut>;
  onClose: () => void;
};

/** Asks what becomes of the conversations on this device, and before sessions end that may be in use. */
function SignOutDialog({ isEverywhere, list, signOut, onClose }: SignOutDialogProps) {
  const t = useTranslations('signOut');
  const { count, drafts } = useLeaving(list);
  const [isUnread, setIsUnread] = useState(false);
  const { isPending, isError } = signOut;
  const heading = t(isEverywhere ? 'everywhereHeading' : 'heading');
  const keep = () => signOut.mutate({ keepsConversations: true });
  const remove = () => signOut.mutate({ keepsConversations: false });

  const download = async () => {
    try {
      if (list) saveExported(await list.exportAll());
    } catch {
      setIsUnread(true);
      return;
    }
    remove();
  };
  return (
    <Modal label={heading} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>{heading}</h2>
          {isEverywhere && (
            <>
              <p>{t('everywhereLead')}</p>
              <p className="aside">{t('everywhereOthers')}</p>
            </>
          )}
          {count > 0 && <p>{t('leaving', { count, drafts })}</p>}
          {(isUnread || isError) && (
            <p className="field-error" role="alert">
              {t(isUnread ? 'notDownloaded' : 'failed')}
            </p>
          )}
          {count > 0 && (
            <ul className="modal-options">
              {[
                { label: t('keep'), meaning: t('keepMeans'), run: keep },
                { label: t('download'), meaning: t('downloadMeans'), run: download },
                { label: t('remove'), meaning: t('removeMeans'), run: remove, kind: 'danger' as const },
              ].map(({ label, meaning, run, ...kind }) => (
                <li key={label}>
                  <Button disabled={isPending} onClick={run} {...kind}>
                    {label}
                  </Button>
                  <p className="aside">{meaning}</p>
                </li>
              ))}
            </ul>
          )}
          <div className="modal-choices">
            <Button onClick={close}>{t('cancel')}</Button>
            {count === 0 && (
              <Button kind="primary" disabled={isPending} onClick={list === undefined ? keep : remove}>
                {t('everywhereConfirm')}
              </Button>
            )}
          </div>
        </>
      )}
    </Modal>
  );
}

/** How much leaves this device with the person. */
function useLeaving(list: ConversationList | undefined): { count: number; drafts: number } {
  const count = useSyncExternalStore(list?.subscribe ?? noChange, () => list?.getState().entries.length ?? 0);
  const [drafts, setDrafts] = useState(0);
  useEffect(() => {
    list?.exportAll().then(
      ({ conversations }) => setDrafts(conversations.filter(({ draft = '' }) => draft !== '').length),
      // Without their number the sentence is true as well.
      () => setDrafts(0),
    );
  }, [list]);
  return { count, drafts };
}

const noChange = () => () => {};
