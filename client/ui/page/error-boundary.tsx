import { Component, type ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../../controls/button.tsx';
import { Card } from '../../controls/card.tsx';
import { usePersistenceHint } from './use-persistence-hint.ts';

/** Replaces a page whose rendering fails. React unmounts the page, which persists the drafts, so a reload restores them. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <PageFailure />;
  }
}

export function PageFailure() {
  const t = useTranslations('pageFailed');
  const tProblem = useTranslations('problem');
  const persistenceHint = usePersistenceHint();
  return (
    <>
      <title>{t('title')}</title>
      <Card heading={t('heading')}>
        <p role="alert">{t('next') + persistenceHint('typed')}</p>
        <Button kind="primary" onClick={() => window.location.reload()}>
          {tProblem('reload')}
        </Button>
      </Card>
    </>
  );
}
