import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { Card } from '../controls/card.tsx';
import { Header } from '../ui/header.tsx';

export function NotFoundPage() {
  const say = useTranslations('notFound');
  return (
    <>
      <title>{say('title')}</title>
      <Header />
      <Card heading={say('heading')} lead={say('lead')}>
        <Link className="button button-primary" href={pages.demo}>
          {say('toDemo')}
        </Link>
      </Card>
    </>
  );
}
