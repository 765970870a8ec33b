import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** How a terminal client is started. */
export type TerminalClient = { command: string; parameters: readonly string[]; directory: string };

/** So many times as fast as the clock do its waits pass. */
export const clockSpeed = 100;

type Session = { address: string; cookie?: string; lines: readonly string[] };

/** Starts a terminal client that is asked `lines`. */
export function runClient({ command, parameters, directory }: TerminalClient, { address, cookie, lines }: Session) {
  const child = spawn(command, [...parameters, address], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      ADVISORY_CHAT_CLOCK_SPEED: String(clockSpeed),
      ...(cookie !== undefined && { ADVISORY_CHAT_COOKIE: cookie }),
    },
  });
  let output = '';
  let notes = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const look of watchers) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));

  return {
    /** Resolves when it has printed so many characters of replies. */
    printed: (characters: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (output.length >= characters) resolve();
        };
        watchers.add(look);
        look();
      }),

    /** Presses Ctrl-C. */
    interrupt: () => child.kill('SIGINT'),

    /** What it has printed in all, the waits in seconds that it spoke of, and what it said last, when it has ended by itself. */
    async ended() {
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`The client ended with ${code}:\n${notes}`);
      const waits: number[] = [];
      const others: string[] = [];
      for (const line of notes.split('\n').filter(Boolean)) {
        const [, seconds] = / Trying again in (\d+) s\.$/.exec(line) ?? [];
        if (seconds === undefined) others.push(line);
        else waits.push(Number(seconds));
      }
      return { output, waits, ending: others.at(-1) ?? '' };
    },
  };
}
