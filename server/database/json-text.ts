/** A JSON text in pieces, of which only the one at hand is in memory. */
export type JsonText = AsyncIterable<string>;

/** What is JSON already. */
export async function* jsonText(text: string): AsyncGenerator<string> {
  yield text;
}

export async function* jsonObject(fields: Readonly<Record<string, JsonText>>): AsyncGenerator<string> {
  let separator = '{';
  for (const [key, text] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(key)}:`;
    yield* text;
    separator = ',\n';
  }
  yield separator === '{' ? '{}' : '}';
}

/** An element on each line. */
export async function* jsonArray(elements: AsyncIterable<JsonText>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const element of elements) {
    yield separator;
    yield* element;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
