import type { ReactNode } from 'react';

type NoticeProps = { tone: 'error' | 'warning' | 'calm'; children: ReactNode };

/** Something the person should know now. All but the calm ones are announced by screen readers when they appear. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'calm' ? undefined : 'alert'}>
      {children}
    </div>
  );
}
