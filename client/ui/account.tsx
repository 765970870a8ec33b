import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { routes } from '../../shared/interface.ts';
import { useCommandRegistry, useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { keyNames } from '../controls/key-names.ts';
import { useSignOut } from '../session/sign-out.ts';
import type { AccountProps } from './account-props.ts';
import { SignOutDialog } from './sign-out-dialog.tsx';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';

/** Who is signed in, and the ways out. */
export function Account({ user, list, onSignedOut }: AccountProps) {
  const say = useTranslations('account');
  const registry = useCommandRegistry();
  const signOut = useSignOut(routes.signOut, user.id, onSignedOut);
  const [isAsking, setIsAsking] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const menuId = useId();

  // The focus goes back to the account: from there a dialog takes it, and there it leaves it again.
  const leaveMenu = () => menu.current?.hidePopover();
  const ask = () => {
    leaveMenu();
    setIsAsking(true);
  };
  const leave = async () => {
    await list?.loaded;
    if (list === undefined || list.getState().entries.length === 0) return signOut.mutate();
    leaveMenu();
    setIsLeaving(true);
  };
  const run = (name: 'settings' | 'palette') => {
    leaveMenu();
    registry.run(name);
  };
  useOfferedCommands({ signOut: leave, signOutEverywhere: () => setIsAsking(true) });
  return (
    <>
      <button type="button" className="account" popoverTarget={menuId}>
        <span className="visually-hidden">{say('label')} </span>
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
        <Icon name="down" />
      </button>
      <div ref={menu} id={menuId} className="account-menu" popover="auto">
        {user.email && <p className="aside">{user.email}</p>}
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => run('settings')}>
          {say('settings')}
        </Button>
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => run('palette')}>
          {say('palette')} <kbd>{say('paletteKey', keyNames)}</kbd>
        </Button>
        <Button kind="quiet" disabled={signOut.isPending} onClick={leave}>
          {say('signOut')}
        </Button>
        <Button kind="quiet" onClick={ask}>
          {say('signOutEverywhere')}
        </Button>
        {signOut.isError && (
          <p className="field-error" role="alert">
            {say('signOutFailed')}
          </p>
        )}
      </div>
      {isLeaving && list && <SignOutDialog list={list} signOut={signOut} onClose={() => setIsLeaving(false)} />}
      {isAsking && (
        <SignOutEverywhere user={user} list={list} onSignedOut={onSignedOut} onClose={() => setIsAsking(false)} />
      )}
    </>
  );
}
