import '../../styles/account.css';
import { useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { routes } from '../../../shared/interface.ts';
import type { User } from '../../../shared/session.ts';
import { keyNames } from '../../commands/command-key.ts';
import { useCommandRegistry, useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { Menu, MenuItem } from '../../controls/menu.tsx';
import { Modal } from '../../controls/modal.tsx';
import { saveExported } from '../../documents/download-dialog.tsx';
import { firstCharacters } from '../../first-characters.ts';
import type { Library } from '../../library/library.ts';
import { useSignOut } from '../../session/use-sign-out.ts';

type AccountMenuProps = {
  user: User;
  /** Opens the conversations on this device, so that the sign-out dialog can count and download them. */
  openLibrary: () => Library | Promise<Library>;
  /** Called after a sign-out that keeps no conversations, before this device deletes its data. */
  onDeleted?: (() => void) | undefined;
};

export function AccountMenu({ user, openLibrary, onDeleted }: AccountMenuProps) {
  const t = useTranslations('account');
  const tCommand = useTranslations('commands');
  const tShortcut = useTranslations('shortcuts');
  const tSignOut = useTranslations('signOut');
  const registry = useCommandRegistry();
  const signOut = useSignOut(routes.signOut, user.id, onDeleted);
  const signOutEverywhere = useSignOut(routes.signOutEverywhere, user.id, onDeleted);
  const name = user.name ?? user.email ?? user.organization.name;
  const [question, setQuestion] = useState<{ isEverywhere: boolean; library: Library | undefined }>();

  const loadOpenLibrary = async () => {
    const library = await openLibrary();
    await library.loaded;
    return library;
  };
  const askEverywhere = async () => {
    setQuestion({ isEverywhere: true, library: await loadOpenLibrary().catch(() => undefined) });
  };
  /** Does not call `close` if the sign-out needs no confirmation, because the menu shows its error. */
  const ask = async (close?: () => void) => {
    const library = await loadOpenLibrary().catch(() => undefined);
    const hasConversations = library !== undefined && library.getState().entries.length > 0;
    // If the list cannot be loaded, there may be conversations, so nothing is deleted.
    if (!hasConversations) return signOut.mutate({ conversations: library ? 'none' : 'kept' });
    close?.();
    setQuestion({ isEverywhere: false, library });
  };
  useRegisterCommands({ signOut: () => ask(), signOutEverywhere: askEverywhere });
  return (
    <>
      <Menu
        buttonClass="account"
        content={
          <>
            <span className="visually-hidden">
              {t('label')} {name}
            </span>
            <span className="account-initials" dir="auto" aria-hidden="true">
              {initialsOf(name)}
            </span>
          </>
        }
        top={
          <div className="account-names">
            {user.name && <p dir="auto">{user.name}</p>}
            {user.email && <p className="aside">{user.email}</p>}
            <p className="aside" dir="auto">
              {user.organization.name}
            </p>
          </div>
        }
        bottom={
          signOut.isError && (
            <p className="field-error" role="alert">
              {tSignOut('failed')}
            </p>
          )
        }
      >
        {(close, closeThen) => (
          <>
            <MenuItem hasDialog onClick={() => closeThen(() => registry.run('settings'))}>
              {tCommand('settings')}
            </MenuItem>
            <MenuItem hasDialog onClick={() => closeThen(() => registry.run('palette'))}>
              {tCommand('commands')} <kbd>{tShortcut('commandK', keyNames)}</kbd>
            </MenuItem>
            <MenuItem disabled={signOut.isPending} onClick={() => ask(close)}>
              {tCommand('signOut')}
            </MenuItem>
          </>
        )}
      </Menu>
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

function initialsOf(name: string): string {
  const words = name.split(/[\s,]+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word = '') => firstCharacters(word, 1).toLocaleUpperCase()).join('');
}

type SignOutDialogProps = {
  /** Whether to end all sessions of the user, or only this browser's. */
  isEverywhere: boolean;
  /** Undefined if the conversations could not be loaded. */
  library: Library | undefined;
  signOut: ReturnType<typeof useSignOut>;
  onClose: () => void;
};

/** Asks whether to keep the conversations on this device, and to confirm before sessions on other devices end. */
function SignOutDialog({ isEverywhere, library, signOut, onClose }: SignOutDialogProps) {
  const t = useTranslations('signOut');
  const tCommand = useTranslations('commands');
  const count = useSyncExternalStore(
    library?.subscribe ?? subscribeToNothing,
    () => library?.getState().entries.length ?? 0,
  );
  const [drafts] = useState(() => library?.countDrafts() ?? 0);
  const [downloaded, setDownloaded] = useState<'yes' | 'failed'>();
  const { isPending, isError } = signOut;
  const heading = t(isEverywhere ? 'everywhereHeading' : 'heading');
  const keep = () => signOut.mutate({ conversations: 'kept' });
  const remove = () => signOut.mutate({ conversations: count + drafts > 0 ? 'deleted' : 'none' });

  const download = async () => {
    try {
      if (library) saveExported(await library.exportAll());
      setDownloaded('yes');
    } catch {
      setDownloaded('failed');
    }
  };
  const isDownloaded = downloaded === 'yes';
  // Browsers do not report whether a file was saved, so the user confirms that before anything is deleted.
  const options = [
    ...(isDownloaded ? [] : [{ label: t('keep'), description: t('keepMeans'), run: keep }]),
    { label: t(isDownloaded ? 'downloadAgain' : 'download'), description: t('downloadMeans'), run: download },
    {
      label: t(isDownloaded ? 'removeDownloaded' : 'remove'),
      description: t('removeMeans', { count }),
      run: remove,
      kind: 'danger' as const,
    },
  ];
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
          {isDownloaded && (
            <p ref={focusOnMount} tabIndex={-1}>
              {t('downloaded')}
            </p>
          )}
          {(downloaded === 'failed' || isError) && (
            <p className="field-error" role="alert">
              {t(downloaded === 'failed' ? 'notDownloaded' : 'failed')}
            </p>
          )}
          {count > 0 && (
            <ul className="modal-options">
              {options.map(({ label, description, run, ...kind }) => (
                <li key={label}>
                  <Button disabled={isPending} onClick={run} {...kind}>
                    {label}
                  </Button>
                  <p className="aside">{description}</p>
                </li>
              ))}
            </ul>
          )}
          <div className="modal-choices">
            <Button onClick={close}>{tCommand('cancel')}</Button>
            {count === 0 && (
              <Button kind="primary" disabled={isPending} onClick={library === undefined ? keep : remove}>
                {t('everywhereConfirm')}
              </Button>
            )}
          </div>
        </>
      )}
    </Modal>
  );
}

const subscribeToNothing = () => () => {};

/** Focuses an element when it appears: the button that had the focus has gone. */
function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
