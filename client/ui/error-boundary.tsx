import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Card } from './card.tsx';

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
    return (
      <>
        <title>Something went wrong · Advisory Chat</title>
        <Card heading="Something went wrong on this page">
          <p role="alert">What you typed is kept. Reload the page to go on.</p>
          <Button kind="primary" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        </Card>
      </>
    );
  }
}
