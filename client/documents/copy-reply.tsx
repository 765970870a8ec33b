import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';

/** Copies a reply as HTML for rich-text programs, and as Markdown for plain text. */
export function CopyReply({ reply }: { reply: string }) {
  const t = useTranslations('copying');
  const html = async () => {
    const { copiedHtml } = await import('../markdown/copied-html.ts');
    return copiedHtml(reply);
  };
  return <CopyButton label={t('reply')} text={reply} html={html} />;
}
