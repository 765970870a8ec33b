import type { ReactNode } from 'react';

/** Something the person should know now. An error is announced by screen readers when it appears. */
export function Notice({ tone, children }: { tone: 'error' | 'calm'; children: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      {children}
    </div>
  );
}
