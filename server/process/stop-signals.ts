import { constants } from 'node:os';
import process from 'node:process';

type SignalHandler = (signal: NodeJS.Signals) => void;

/** As process 1 of a container, Node has no default action for these signals. */
let handleSignal: SignalHandler = (signal) => process.exit(128 + constants.signals[signal]);

// The listeners are added when this module is imported, and stay until the process ends: Node drops a signal that it has
// not yet read from the kernel when the last listener is removed.
// A terminal sends SIGHUP when it is closed.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, (signal) => handleSignal(signal));

/** Replaces the action of these signals. Until the first call, they end the process immediately. */
export function onStopSignal(handler: SignalHandler): void {
  handleSignal = handler;
}
