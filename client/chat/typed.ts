/** What a person has typed and not sent. */
export type Typed = {
  /** What is in the message field. */
  draft: string;
  /** While the last question is being edited in the message field: the draft that was there before. Otherwise null. */
  setAside: string | null;
  /** Whether the draft was sent and the service refused to take it. */
  wasRefused: boolean;
};

export const nothingTyped: Typed = { draft: '', setAside: null, wasRefused: false };

export function isNothing({ draft, setAside }: Typed): boolean {
  return draft === '' && (setAside ?? '') === '';
}
