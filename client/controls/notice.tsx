import type { ReactNode } from 'react';

type NoticeProps = {
  tone: 'error' | 'warning' | 'calm';
  /** Says what happened. */
  title?: ReactNode;
  /** Says what helps. */
  advice?: ReactNode;
  /** Details, then buttons. */
  children?: ReactNode;
};

/** Screen readers announce a notice when it appears, unless its tone is `calm`. */
export function Notice({ tone, title, advice, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'calm' ? undefined : 'alert'}>
      {title && (
        <p>
          <strong>{title}</strong> <span className="notice-advice">{advice}</span>
        </p>
      )}
      {children}
    </div>
  );
}
