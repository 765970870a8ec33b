import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';

/** Copies a reply: formatted for Word and mail, as Markdown for what takes plain text. */
export function CopyReply({ reply }: { reply: string }) {
  const say = useTranslations('copying');
  const html = async () => {
    const { replyHtml } = await import('../markdown/copied-html.ts');
    return replyHtml(reply);
  };
  return <CopyButton label={say('reply')} text={reply} html={html} />;
}
