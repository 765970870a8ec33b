import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link, Redirect } from 'wouter';
import { Button } from '../controls/button.tsx';
import { Card } from '../controls/card.tsx';
import { Loading } from '../controls/loading.tsx';
import { Notice } from '../controls/notice.tsx';
import { joinQuestionQuery, useJoin } from '../session/join.ts';
import type { User } from '../session/session.ts';
import { Account } from '../ui/account.tsx';
import { Header } from '../ui/header.tsx';

type JoinQuestionProps = {
  user: User;
  invitation: string;
  /** Where the person goes on who stays, or has joined. */
  onward: string;
  /** The choice of an account, for an invitation that this one cannot use and for people with several. */
  accounts: ReactNode;
};

/** Asks a signed-in person whether they leave their organization for the one of their invitation. */
export function JoinQuestion({ user, invitation, onward, accounts }: JoinQuestionProps) {
  const say = useTranslations('join');
  const sayProblem = useTranslations('signInProblems');
  const saySession = useTranslations('session');
  const { data: question, isPending, isFetching, refetch } = useQuery(joinQuestionQuery(user.id, invitation));
  const join = useJoin(user.id, invitation);
  const [wantsAnother, setWantsAnother] = useState(false);

  const page = (content: ReactNode) => (
    <>
      <title>{say('title')}</title>
      <Header>
        <Account user={user} />
      </Header>
      {content}
    </>
  );
  const stayIn = (organization: string) => (
    <Link className="button" href={onward} replace>
      {say('stay', { organization })}
    </Link>
  );

  if (isPending) return page(<Loading />);
  if (question === undefined) {
    return page(
      <Card heading={say('invitation')}>
        <Notice tone="error">{say('failed')}</Notice>
        <Button kind="primary" onClick={() => refetch()}>
          {saySession(isFetching ? 'tryingAgain' : 'tryAgain')}
        </Button>
        {stayIn(user.organization.name)}
      </Card>,
    );
  }
  if (question === null) {
    return page(
      <Card heading={say('invitation')}>
        <Notice tone="error">{sayProblem('invitation')}</Notice>
        {stayIn(user.organization.name)}
      </Card>,
    );
  }

  const { from, to } = question;
  if (to === null || wantsAnother) return accounts;
  if (to.id === from.id) return <Redirect to={onward} replace />;
  return page(
    <Card heading={say('heading', { organization: to.name })}>
      {join.data === 'changed' && <Notice tone="warning">{say('changed')}</Notice>}
      {join.isError && <Notice tone="error">{say('failed')}</Notice>}
      <p>
        {say.rich('leaving', {
          from: from.name,
          to: to.name,
          strong: (name) => <strong dir="auto">{name}</strong>,
        })}
      </p>
      <p className="aside">{say('expected')}</p>
      <Button kind="primary" disabled={join.isPending} onClick={() => join.mutate({ from: from.id, to: to.id })}>
        {say('join', { organization: to.name })}
      </Button>
      {stayIn(from.name)}
      <Button kind="quiet" onClick={() => setWantsAnother(true)}>
        {say('otherAccount')}
      </Button>
    </Card>,
  );
}
