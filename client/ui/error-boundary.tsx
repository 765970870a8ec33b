import { Component, type ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Card } from '../controls/card.tsx';
import { usePersistenceHint } from './use-persistence-hint.ts';

/**
 * Stands in for a page that cannot be drawn. The page is taken down in order, so what was typed on it is kept on the
 * device and a reload brings it back.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <PageFailed />;
  }
}

/** Says that the page could not be shown, and offers to load it again. */
export function PageFailed() {
  const t = useTranslations('pageFailed');
  const persistenceHint = usePersistenceHint();
  return (
    <>
      <title>{t('title')}</title>
      <Card heading={t('heading')}>
        <p role="alert">{t('next') + persistenceHint('typed')}</p>
        <Button kind="primary" onClick={() => window.location.reload()}>
          {t('reload')}
        </Button>
      </Card>
    </>
  );
}
