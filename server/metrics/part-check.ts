export type PartState = 'up' | 'down';

export type PartCheckOptions = {
  /** How long the part may take to answer, in milliseconds. */
  patienceMilliseconds?: number;
  /** For how long an answer counts, in milliseconds. */
  freshMilliseconds?: number;
  clock?: () => number;
};

/**
 * Makes a function that tells whether a part answers. It never rejects. Calls at the same time share one check, and a call soon
 * after an answer gets the same answer. While a check has no answer, no second one starts.
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
