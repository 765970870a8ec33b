import { createParser, type ParseError } from 'eventsource-parser';

/** Far above any real event, low enough that a provider which never ends one cannot exhaust the process. */
const longestEventCharacters = 16 * 1024 * 1024;

/** Turns the bytes of one event stream, however they were cut into chunks, into the JSON of its events. */
export function createEventDecoder() {
  const text = new TextDecoder();
  const parsed: (string | ParseError)[] = [];
  const parser = createParser({
    maxBufferSize: longestEventCharacters,
    onEvent: ({ data }) => parsed.push(data),
    onError: (error) => parsed.push(error),
  });

  return {
    /** Yields the events that `bytes` complete, up to the first malformed one, which throws. */
    *decode(bytes: Uint8Array): Generator<unknown> {
      parser.feed(text.decode(bytes, { stream: true }));
      for (const item of parsed.splice(0)) {
        if (item instanceof Error) throw item;
        yield JSON.parse(item);
      }
    },
  };
}
