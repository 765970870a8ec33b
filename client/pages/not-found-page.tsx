import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { Card } from '../controls/card.tsx';
import { useSession } from '../session/session.ts';
import { Header } from '../ui/page/header.tsx';

export function NotFoundPage() {
  const t = useTranslations('notFound');
  const tLimit = useTranslations('limit');
  const { data: session } = useSession();
  return (
    <>
      <title>{t('title')}</title>
      <Header />
      <Card heading={t('heading')} lead={t('lead')}>
        <Link className="button button-primary" href={session?.user ? pages.chat : pages.demo}>
          {session?.user ? tLimit('ownEngagement') : t('toDemo')}
        </Link>
      </Card>
    </>
  );
}
