import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const shownMilliseconds = 2500;

const sentences = {
  copied: 'Copied',
  failed: 'This browser does not let the page copy. Select the text to copy it yourself.',
} as const;

type CopyButtonProps = {
  label: string;
  /** What is copied; as a function where it takes work to put together. */
  text: string | (() => string);
};

/** Puts a text on the clipboard and says, to eyes and screen readers, whether that worked. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const [result, setResult] = useState<keyof typeof sentences>();

  useEffect(() => {
    if (result !== 'copied') return;
    const timer = setTimeout(() => setResult(undefined), shownMilliseconds);
    return () => clearTimeout(timer);
  }, [result]);

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
      <Button kind="quiet" onClick={copy}>
        {result === 'copied' ? sentences.copied : label}
      </Button>
      <span role="status" className={result === 'failed' ? 'copy-failed' : 'visually-hidden'}>
        {result && sentences[result]}
      </span>
    </span>
  );
}
