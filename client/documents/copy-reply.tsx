import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';

/** Copies a reply: formatted for Word and mail, as Markdown for what takes plain text. */
export function CopyReply({ reply }: { reply: string }) {
  const t = useTranslations('copying');
  const html = async () => {
    const { copiedHtml } = await import('../markdown/copied-html.ts');
    return copiedHtml(reply);
  };
  return <CopyButton label={t('reply')} text={reply} html={html} />;
}
