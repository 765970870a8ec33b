/** The text of a reply, as it came: line breaks and spaces stand. */
export function ReplyText({ text }: { text: string }) {
  return <div className="reply-text">{text}</div>;
}
