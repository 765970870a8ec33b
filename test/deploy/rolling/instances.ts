import { serveInProcess } from '../../support/served-process.ts';

export type Place = { host: string; port: number };

/** Processes of the product, each always at the same place. */
export function createInstances(variables: Record<string, string>, places: readonly Place[]) {
  const running = new Map<number, ReturnType<typeof serveInProcess>>();
  const output: string[] = [];

  /** Starts the release in `directory` at this place, and resolves when it serves. */
  async function start(place: number, directory: string): Promise<void> {
    const { host = '', port = 0 } = places[place] ?? {};
    const served = serveInProcess(
      { ...variables, HOST: host, PORT: String(port) },
      { directory, program: 'server/main.js' },
    );
    running.set(place, served);
    await served.url;
  }

  return {
    start,
    /** Asks it to stop, and resolves when it has ended. */
    async stop(place: number): Promise<void> {
      const served = running.get(place);
      if (served === undefined) return;
      running.delete(place);
      served.kill('SIGTERM');
      const code = await served.exited;
      output.push(...served.output);
      if (code !== 0) throw new Error(`The instance ended with ${code}:\n${served.output.slice(-10).join('\n')}`);
    },
    /** The places where one runs. */
    running: () => [...running.keys()],
    /** What those that have ended have logged. */
    output,
    /** Leaves none running, however the test has ended. */
    async close(): Promise<void> {
      for (const served of running.values()) {
        served.kill('SIGKILL');
        await served.exited;
      }
    },
  };
}

export type Instances = ReturnType<typeof createInstances>;
