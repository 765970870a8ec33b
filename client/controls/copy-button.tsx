import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Action } from './button.tsx';
import { writeToClipboard } from './clipboard.ts';
import type { IconName } from './icon.tsx';

const resultMilliseconds = 2500;

type CopyButtonProps = {
  label: string;
  /** A function is called on click, for text that is expensive to build. */
  text: string | (() => string);
  html?: (() => Promise<string>) | undefined;
  icon?: IconName;
};

/** Copies a text and shows the result, which screen readers announce. */
export function CopyButton({ label, text, html, icon = 'copy' }: CopyButtonProps) {
  const t = useTranslations('copying');
  const [result, setResult] = useState<'copied' | 'failed'>();
  const isCopied = result === 'copied';

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setResult(undefined), resultMilliseconds);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async () => {
    try {
      await writeToClipboard({ text: typeof text === 'string' ? text : text(), html });
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };

  return (
    <span className="copy">
      <Action
        icon={isCopied ? 'tick' : icon}
        label={isCopied ? t('copied') : label}
        otherLabel={isCopied ? label : t('copied')}
        onClick={copy}
      />
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && t(result)}
      </span>
    </span>
  );
}
