import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { writeToClipboard } from '../browser/clipboard.ts';
import { Action } from './button.tsx';
import type { IconName } from './icon.tsx';

const resultMilliseconds = 2500;

type CopyButtonProps = {
  label: string;
  /** A function is called only on click, for text that is expensive to build. */
  text: string | (() => string);
  html?: (() => Promise<string>) | undefined;
  icon?: IconName;
};

export function CopyButton({ label, text, html, icon = 'copy' }: CopyButtonProps) {
  const copy = () => writeToClipboard({ text: typeof text === 'string' ? text : text(), html });
  return <CopyAction label={label} icon={icon} copy={copy} />;
}

type CopyActionProps = {
  label: string;
  /** Shown if `copy` rejects. The default says that the browser did not allow it. */
  failure?: string;
  icon: IconName;
  copy: () => Promise<void>;
};

export function CopyAction({ label, failure, icon, copy }: CopyActionProps) {
  const t = useTranslations('copying');
  const [result, setResult] = useState<'copied' | 'failed'>();
  const isCopied = result === 'copied';

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setResult(undefined), resultMilliseconds);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const onClick = async () => {
    try {
      await copy();
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };

  return (
    <span className="copy">
      <Action icon={isCopied ? 'tick' : icon} label={isCopied ? t('copied') : label} onClick={onClick} />
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && (isCopied ? t('copied') : (failure ?? t('failed')))}
      </span>
    </span>
  );
}
