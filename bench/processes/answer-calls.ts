import process from 'node:process';

/** What a process of the rig does when it is asked. */
export type Calls = Record<string, (argument: never) => unknown>;

export type Call = { id: number; name: string; argument: unknown };
export type Answer = { id: number; result?: unknown; error?: string };

/** Answers what the process that started this one asks over their channel, and ends with it. */
export function answerCalls(calls: Calls): void {
  process.on('message', async ({ id, name, argument }: Call) => {
    process.send?.(await answer(id, () => calls[name]?.(argument as never)));
  });
  process.once('disconnect', () => process.exit(1));
}

async function answer(id: number, act: () => unknown): Promise<Answer> {
  try {
    return { id, result: await act() };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
