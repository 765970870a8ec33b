export type ReplyPlan = {
  deltas: number;
  /** The number of ASCII characters in each delta, at least 8, so that no delta ends within its number. */
  deltaCharacters: number;
  /** The interval of the deltas, each of which is one write. `'in one piece'` sends all deltas in one write. */
  paceMilliseconds: number | 'in one piece';
};

/** The number of different replies, which reveal a stream that is mixed up with another. */
export const variantCount = 50;

const filler = 'and so the week begins with the one question that no one has asked of the figures yet; ';

export function deltaTexts({ deltas, deltaCharacters }: ReplyPlan): string[][] {
  const long = filler.repeat(Math.ceil(deltaCharacters / filler.length));
  const numbered = (number: number, digits: number) => String(number).padStart(digits, '0');
  return Array.from({ length: variantCount }, (_, variant) =>
    Array.from({ length: deltas }, (_, index) =>
      `${numbered(variant, 2)}:${numbered(index, 5)} ${long}`.slice(0, deltaCharacters),
    ),
  );
}

/** The question contains the number of the request, so that the times of provider and client can be matched. */
export const questionOf = (stream: number) => `Stream ${stream}. What should we look at first this week, and why?`;

/** Returns the number in the body of a request; NaN if the body has no number. */
export const streamNumberIn = (body: string) => Number(/Stream (\d+)\./.exec(body)?.[1]);
