import { CopyButton } from '../controls/copy-button.tsx';

export function CopyReplyButton({ label, reply }: { label: string; reply: string }) {
  const html = async () => {
    const { copiedHtml } = await import('../markdown/copied-html.ts');
    return copiedHtml(reply);
  };
  return <CopyButton label={label} text={reply} getHtml={html} />;
}
