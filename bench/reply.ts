/** The reply that the stand-in provider gives, and that the load client expects. */
export type ReplyPlan = {
  deltas: number;
  /** of ASCII, in each delta; at least 12 */
  deltaCharacters: number;
  /** between deltas, each an event that is written by itself */
  paceMilliseconds: number | 'in one piece';
};

/** How many different replies there are: a stream that was mixed up with another shows. */
export const variants = 50;

const filler = 'and so the week begins with the one question that nobody has asked of the figures yet; ';

/** The text of one delta of the reply to request number `stream`. */
export function deltaText(stream: number, index: number, { deltaCharacters }: ReplyPlan): string {
  const mark = `${String(stream % variants).padStart(2, '0')}:${String(index).padStart(5, '0')} `;
  return (mark + filler.repeat(Math.ceil(deltaCharacters / filler.length))).slice(0, deltaCharacters);
}

/** The deltas' texts of each variant, made once for a plan. */
export function deltaTexts(plan: ReplyPlan): string[][] {
  return Array.from({ length: variants }, (_, variant) =>
    Array.from({ length: plan.deltas }, (_, index) => deltaText(variant, index, plan)),
  );
}

/** The question with which a request says its number, so that the provider's times and the client's find each other. */
export const questionOf = (stream: number) => `Stream ${stream}. What should we look at first this week, and why?`;

/** The number in a request's body, or undefined where there is none. */
export function streamIn(body: string): number | undefined {
  const number = /Stream (\d+)\./.exec(body)?.[1];
  return number === undefined ? undefined : Number(number);
}
