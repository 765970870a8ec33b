import { CopyButton } from '../controls/copy-button.tsx';

/** Copies a reply as HTML for rich-text programs, and as Markdown for plain text. */
export function CopyReply({ label, reply }: { label: string; reply: string }) {
  const html = async () => {
    const { copiedHtml } = await import('../markdown/copied-html.ts');
    return copiedHtml(reply);
  };
  return <CopyButton label={label} text={reply} html={html} />;
}
