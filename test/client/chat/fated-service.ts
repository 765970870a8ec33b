export const fates = ['answered', 'failed', 'cut', 'stoppedEarly', 'stoppedLate', 'refused'] as const;

/** What becomes of a turn. One that is to be stopped goes on until it is. */
export type Fate = (typeof fates)[number];

/** A service without a network, to which the test says beforehand what becomes of the next turn. No two replies are alike. */
export function createFatedService() {
  let fate: Fate = 'answered';
  let replies = 0;

  async function fetch(_url: unknown, { signal }: RequestInit = {}): Promise<Response> {
    if (fate === 'failed') return new Response('INTERNAL: Something went wrong on our side.', { status: 500 });
    if (fate === 'refused') return new Response('UNAUTHENTICATED: Sign in to continue.', { status: 401 });
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    if (fate === 'stoppedEarly') return aborted;
    return new Response(reply(fate, aborted), { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  }

  function reply(end: Fate, aborted: Promise<never>): ReadableStream<Uint8Array> {
    replies += 1;
    let isSaid = false;
    return new ReadableStream({
      async pull(controller) {
        if (!isSaid) controller.enqueue(new TextEncoder().encode(`Reply ${replies}.`));
        else if (end === 'answered') controller.close();
        else if (end === 'cut') controller.error(new Error('The connection was cut.'));
        else await aborted;
        isSaid = true;
      },
    });
  }

  return {
    fetch,
    decide(next: Fate): void {
      fate = next;
    },
  };
}
