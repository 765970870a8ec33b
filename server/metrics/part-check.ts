export type PartState = 'up' | 'down';

export type PartCheckOptions = {
  /** How long the part may take to answer, in milliseconds. */
  patienceMilliseconds?: number;
  /** For how long an answer counts, in milliseconds. */
  freshMilliseconds?: number;
  clock?: () => number;
};

/**
 * Gives what tells whether a part answers; it never rejects. All who ask at once share one check, and who asks soon after
 * its answer gets the same one. A check that does not come back is not made a second time until it has.
 */
export function createPartCheck(
  check: () => Promise<unknown>,
  options: PartCheckOptions = {},
): () => Promise<PartState> {
  const { patienceMilliseconds = 2_000, freshMilliseconds = 1_000, clock = () => performance.now() } = options;
  let underWay: Promise<PartState> | undefined;
  let answered: { state: PartState; at: number } | undefined;

  function ask(): Promise<PartState> {
    const late = Promise.withResolvers<PartState>();
    const timer = setTimeout(() => late.resolve('down'), patienceMilliseconds);
    timer.unref();
    const answer = check().then(
      (): PartState => 'up',
      (): PartState => 'down',
    );
    void answer.then((state) => {
      clearTimeout(timer);
      answered = { state, at: clock() };
      underWay = undefined;
    });
    return Promise.race([answer, late.promise]);
  }

  return async () => {
    if (answered !== undefined && clock() - answered.at < freshMilliseconds) return answered.state;
    underWay ??= ask();
    return underWay;
  };
}
