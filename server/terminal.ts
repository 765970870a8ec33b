import { closeSync, openSync } from 'node:fs';
import process from 'node:process';

const startedInTerminal = process.stdout.isTTY && isTerminalOpen();

/**
 * Whether this process was started in a terminal and that terminal has been closed since. Then nobody can stop the process
 * from there any more, and it would keep its port and its data directory.
 */
export function terminalIsGone(): boolean {
  return startedInTerminal && !isTerminalOpen();
}

/** By opening the terminal that the process belongs to: a closed one cannot be opened. */
function isTerminalOpen(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
