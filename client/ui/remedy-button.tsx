import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import type { Remedy } from '../chat/problem.ts';
import { useCommandRegistry } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { signInAddress } from '../session/return-to.ts';

type RemedyButtonProps = { remedy: Exclude<Remedy, 'tryAgain'>; onEdit: () => void };

/** Does what can be done about a problem, other than to ask once more. */
export function RemedyButton({ remedy, onEdit }: RemedyButtonProps) {
  const say = useTranslations('problem');
  const registry = useCommandRegistry();
  if (remedy === 'signIn' || remedy === 'onboarding') {
    return (
      <Link className="button" href={remedy === 'signIn' ? signInAddress(pages.chat) : pages.onboarding}>
        {say(remedy)}
      </Link>
    );
  }
  const actions = {
    edit: onEdit,
    newConversation: () => registry.run('newConversation'),
    reload: () => window.location.reload(),
  };
  return <Button onClick={actions[remedy]}>{say(remedy)}</Button>;
}
