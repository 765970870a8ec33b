import { Redirect } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { signInAddress } from '../session/return-to.ts';
import { LiveChat } from './live-chat.tsx';
import { WithSession } from './with-session.tsx';

export function ChatPage() {
  return (
    <WithSession>
      {({ user }) => {
        if (user === null) return <Redirect to={signInAddress(window.location.pathname)} replace />;
        if (!user.onboarded) return <Redirect to={pages.onboarding} replace />;
        return <LiveChat key={user.id} user={user} />;
      }}
    </WithSession>
  );
}
