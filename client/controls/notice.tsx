import type { ReactNode } from 'react';

type NoticeProps = {
  tone: 'error' | 'warning' | 'calm';
  children: ReactNode;
};

/** Screen readers announce a notice when it appears, unless its tone is `calm`. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'calm' ? undefined : 'alert'}>
      {children}
    </div>
  );
}
