import { Component, type ReactNode } from 'react';

type SourceBoundaryProps = {
  /** What `children` show. When it changes, they are rendered again. */
  content: unknown;
  source: () => string;
  children: ReactNode;
};

/** Shows the source of content that fails to render, so that the rest of the page stays. */
export class SourceBoundary extends Component<SourceBoundaryProps, { content: unknown; hasFailed: boolean }> {
  override state = { content: this.props.content, hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ content }: SourceBoundaryProps, state: { content: unknown }) {
    return content === state.content ? null : { content, hasFailed: false };
  }

  override render() {
    const { source, children } = this.props;
    if (!this.state.hasFailed) return children;
    return (
      <p className="plain" dir="auto">
        {source().trimEnd()}
      </p>
    );
  }
}
