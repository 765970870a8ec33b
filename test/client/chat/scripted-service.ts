export const turnOutcomes = ['answered', 'failed', 'cut', 'stoppedEarly', 'stoppedLate', 'refused'] as const;

/** The outcome of a turn. A turn with the outcome `stoppedEarly` or `stoppedLate` runs until the test stops it. */
export type TurnOutcome = (typeof turnOutcomes)[number];

/** Creates a service without a network whose next outcome the test sets in advance. All replies differ. */
export function createScriptedService() {
  let outcome: TurnOutcome = 'answered';
  let replies = 0;

  async function fetch(_url: unknown, { signal }: RequestInit = {}): Promise<Response> {
    if (outcome === 'failed') return new Response('INTERNAL: Something went wrong on our side.', { status: 500 });
    if (outcome === 'refused') return new Response('UNAUTHENTICATED: Sign in to continue.', { status: 401 });
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    if (outcome === 'stoppedEarly') return aborted;
    return new Response(reply(outcome, aborted), { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  }

  function reply(end: TurnOutcome, aborted: Promise<never>): ReadableStream<Uint8Array> {
    replies += 1;
    let isTextSent = false;
    return new ReadableStream({
      async pull(controller) {
        if (!isTextSent) controller.enqueue(new TextEncoder().encode(`Reply ${replies}.`));
        else if (end === 'answered') controller.close();
        else if (end === 'cut') controller.error(new Error('The connection was cut.'));
        else await aborted;
        isTextSent = true;
      },
    });
  }

  return {
    fetch,
    setOutcome(next: TurnOutcome): void {
      outcome = next;
    },
  };
}
