import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Action } from './button.tsx';
import { pictureToClipboard, toClipboard } from './clipboard.ts';
import type { IconName } from './icon.tsx';

const shownMilliseconds = 2500;

type CopyButtonProps = {
  label: string;
  /** What is copied; as a function where it takes work to put together. */
  text: string | (() => string);
  /** The same as HTML, for programs that take it. */
  html?: (() => Promise<string>) | undefined;
  icon?: IconName;
};

type CopyPictureButtonProps = { label: string; failure: string; picture: () => Promise<Blob> };

/** Copies a picture, and says whether that worked. */
export function CopyPictureButton({ label, failure, picture }: CopyPictureButtonProps) {
  return <ResultButton label={label} failure={failure} icon="copy" copy={() => pictureToClipboard(picture())} />;
}

/** Puts a text on the clipboard and says, to eyes and screen readers, whether that worked. */
export function CopyButton({ label, text, html, icon = 'copy' }: CopyButtonProps) {
  const t = useTranslations('copying');
  const copy = () => toClipboard({ text: typeof text === 'string' ? text : text(), html });
  return <ResultButton label={label} failure={t('failed')} icon={icon} copy={copy} />;
}

type ResultButtonProps = { label: string; failure: string; icon: IconName; copy: () => Promise<void> };

function ResultButton({ label, failure, icon, copy }: ResultButtonProps) {
  const t = useTranslations('copying');
  const [result, setResult] = useState<'copied' | 'failed'>();
  const isCopied = result === 'copied';

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setResult(undefined), shownMilliseconds);
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
      <Action
        icon={isCopied ? 'tick' : icon}
        label={isCopied ? t('copied') : label}
        otherLabel={isCopied ? label : t('copied')}
        onClick={onClick}
      />
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && (isCopied ? t('copied') : failure)}
      </span>
    </span>
  );
}
