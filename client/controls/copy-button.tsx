import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { writeToClipboard } from '../browser/clipboard.ts';
import { IconButton } from './button.tsx';

const resultMilliseconds = 2500;

type CopyButtonProps = {
  label: string;
  /** A function is called only on click, for text that is expensive to build. */
  text: string | (() => string);
  getHtml?: (() => Promise<string>) | undefined;
};

export function CopyButton({ label, text, getHtml }: CopyButtonProps) {
  const copy = () => writeToClipboard({ text: typeof text === 'string' ? text : text(), html: getHtml });
  return <CopyIconButton label={label} onCopy={copy} />;
}

type CopyIconButtonProps = {
  label: string;
  /** Shown if `onCopy` rejects. The default says that the browser did not allow it. */
  failure?: string;
  onCopy: () => Promise<void>;
};

export function CopyIconButton({ label, failure, onCopy }: CopyIconButtonProps) {
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
      await onCopy();
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };

  return (
    <span className="copy">
      <IconButton icon={isCopied ? 'tick' : 'copy'} label={isCopied ? t('copied') : label} onClick={onClick} />
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && (isCopied ? t('copied') : (failure ?? t('failed')))}
      </span>
    </span>
  );
}
