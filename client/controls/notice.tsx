import type { ReactNode } from 'react';

type NoticeProps = {
  tone: 'error' | 'warning' | 'calm';
  isRow?: boolean;
  children: ReactNode;
};

/** Screen readers announce a notice when it appears, unless its tone is `calm`. */
export function Notice({ tone, isRow = false, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}${isRow ? ' notice-row' : ''}`} role={tone === 'calm' ? undefined : 'alert'}>
      {children}
    </div>
  );
}
