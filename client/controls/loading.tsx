import { useTranslations } from 'use-intl/react';

/** Holds the place of a page that is on its way. */
export function Loading() {
  const say = useTranslations('page');
  return (
    <main id="main" className="centre" tabIndex={-1}>
      <h1 className="loading">{say('loading')}</h1>
    </main>
  );
}
