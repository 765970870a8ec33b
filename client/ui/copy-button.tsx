import { useEffect, useState } from 'react';
import { Action } from './action.tsx';
import type { IconName } from './icon.tsx';

const shownMilliseconds = 2500;

const sentences = {
  copied: 'Copied',
  failed: 'This browser does not let the page copy. Select the text to copy it yourself.',
} as const;

type CopyButtonProps = {
  label: string;
  /** What is copied; as a function where it takes work to put together. */
  text: string | (() => string);
  icon?: IconName;
};

/** Puts a text on the clipboard and says, to eyes and screen readers, whether that worked. */
export function CopyButton({ label, text, icon = 'copy' }: CopyButtonProps) {
  const [result, setResult] = useState<keyof typeof sentences>();
  const isCopied = result === 'copied';

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setResult(undefined), shownMilliseconds);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async () => {
    try {
      // There is no clipboard on a page that came by plain HTTP, whatever its type says.
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };

  return (
    <span className="copy">
      <Action icon={isCopied ? 'tick' : icon} label={isCopied ? sentences.copied : label} onClick={copy} />
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && sentences[result]}
      </span>
    </span>
  );
}
