import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { Card } from '../ui/card.tsx';
import { Header } from '../ui/header.tsx';

export function NotFoundPage() {
  return (
    <>
      <title>Not found · Advisory Chat</title>
      <Header />
      <Card heading="There is no such page" lead="The address may be mistyped, or the page has moved.">
        <Link className="button button-primary" href={pages.demo}>
          Go to the demo
        </Link>
      </Card>
    </>
  );
}
