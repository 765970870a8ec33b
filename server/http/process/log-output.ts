/** How much may wait for a reader of the log that has stalled. */
const maxWaitingBytes = 1_048_576;

/** What is needed of the standard output. Unlike other streams it stays usable after an error. */
type Output = {
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
};

/**
 * Writes log lines to `stream`, and nothing waits for them. A line that cannot be written is dropped and counted, and so is
 * one that comes while too much waits. Once there is room again, `onRoom` gets the count.
 */
export function createLogOutput(stream: Output, onRoom: (dropped: number) => void) {
  let dropped = 0;
  let told = 0;
  // The callback of each line has the error too. Without a listener the event would end the process.
  stream.on('error', () => undefined);

  return {
    /** How many lines were dropped since the process began. */
    get dropped(): number {
      return dropped;
    },

    write(line: string): void {
      if (stream.writableLength > maxWaitingBytes) {
        dropped += 1;
        return;
      }
      // A full disk may have taken half of the line before.
      stream.write(dropped > told ? `\n${line}` : line, (error) => {
        if (error) dropped += 1;
        else if (dropped > told && stream.writableLength === 0) {
          told = dropped;
          onRoom(dropped);
        }
      });
    },
  };
}
