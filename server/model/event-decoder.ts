import { StringDecoder } from 'node:string_decoder';
import { createParser, type ParseError } from 'eventsource-parser';

/** Far above any real event, low enough that a provider which never ends one cannot exhaust the process. */
const longestEventCharacters = 16 * 1024 * 1024;

/** Turns the bytes of one event stream, however they were cut into packets, into the JSON of its events. */
export function createEventDecoder() {
  const text = new StringDecoder('utf8');
  let parsed: (string | ParseError)[] = [];
  const parser = createParser({
    maxBufferSize: longestEventCharacters,
    onEvent: ({ data }) => parsed.push(data),
    onError: (error) => parsed.push(error),
  });

  return {
    /** Yields the events that `bytes` complete, up to the first malformed one, which throws. */
    *decode(bytes: Buffer): Generator<unknown> {
      parser.feed(text.write(bytes));
      const complete = parsed;
      parsed = [];
      for (const item of complete) {
        if (item instanceof Error) throw item;
        yield JSON.parse(item);
      }
    },
  };
}
