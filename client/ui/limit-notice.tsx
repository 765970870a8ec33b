import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link, useRoute } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { type Limit, limitOf } from '../chat/problem.ts';
import type { Ending } from '../chat/turn.ts';
import { Countdown } from '../controls/countdown.tsx';
import { Notice } from '../controls/notice.tsx';
import { signInAddress } from '../session/return-to.ts';
import { useSession } from '../session/session.ts';
import { useTimeOfLater } from './use-time-of-later.ts';

type LimitNoticeProps = {
  /** How the turn ended that met the limit, where it is the last one. */
  ending: Ending | undefined;
  /** Milliseconds since the epoch. */
  deadline: number;
  children: ReactNode;
};

/** Says why nothing can be asked for a while, when it goes on, and in the demo how to go on at once. */
export function LimitNotice({ ending, deadline, children }: LimitNoticeProps) {
  const say = useTranslations('limit');
  const time = useTimeOfLater(deadline);
  const [isDemo] = useRoute(pages.demo);
  const limit: Limit = limitOf(ending) ?? (isDemo ? 'demo' : 'live');
  return (
    <Notice tone="calm">
      <p>
        {/* Announced, and not with every second. */}
        <span role="status">{say(limit)}</span>{' '}
        {time === undefined
          ? say.rich('untilSoon', { countdown: () => <Countdown deadline={deadline} /> })
          : say('untilLater', { time })}
      </p>
      {isDemo && <WayOn />}
      {children}
    </Notice>
  );
}

/** To one's own engagement, where the demo's limit does not count. */
function WayOn() {
  const say = useTranslations('limit');
  const { data: session } = useSession();
  return (
    <Link className="button button-primary" href={session?.user ? pages.chat : signInAddress(pages.chat)}>
      {say(session?.user ? 'ownEngagement' : 'signIn')}
    </Link>
  );
}
