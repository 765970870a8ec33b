import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';

type CardProps = { heading: string; lead?: string; isWide?: boolean; children: ReactNode };

export function Card({ heading, lead, isWide = false, children }: CardProps) {
  return (
    <main id="main" className="centre" tabIndex={-1}>
      <section className={isWide ? 'card card-wide' : 'card'}>
        <h1>{heading}</h1>
        {lead && <p className="lead">{lead}</p>}
        {children}
      </section>
    </main>
  );
}

export function LoadingPage() {
  const t = useTranslations('page');
  return (
    <main id="main" className="centre" tabIndex={-1}>
      <h1 className="loading">{t('loading')}</h1>
    </main>
  );
}
