import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { Card } from '../controls/card.tsx';
import { Header } from '../ui/header.tsx';

export function NotFoundPage() {
  const t = useTranslations('notFound');
  return (
    <>
      <title>{t('title')}</title>
      <Header />
      <Card heading={t('heading')} lead={t('lead')}>
        <Link className="button button-primary" href={pages.demo}>
          {t('toDemo')}
        </Link>
      </Card>
    </>
  );
}
