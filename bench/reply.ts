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

/** The deltas' texts of each variant, made once for a plan. */
export function deltaTexts({ deltas, deltaCharacters }: ReplyPlan): string[][] {
  const long = filler.repeat(Math.ceil(deltaCharacters / filler.length));
  const numbered = (number: number, digits: number) => String(number).padStart(digits, '0');
  return Array.from({ length: variants }, (_, variant) =>
    Array.from({ length: deltas }, (_, index) =>
      `${numbered(variant, 2)}:${numbered(index, 5)} ${long}`.slice(0, deltaCharacters),
    ),
  );
}

/** The question with which a request says its number, so that the provider's times and the client's find each other. */
export const questionOf = (stream: number) => `Stream ${stream}. What should we look at first this week, and why?`;

/** The number in a request's body; NaN where there is none. */
export const streamIn = (body: string) => Number(/Stream (\d+)\./.exec(body)?.[1]);
