const message = { role: 'user', content: 'x' };

/** As many of `element` as there is room for. */
const list = (element: string, room: number) =>
  `[${Array(Math.floor((room - 1) / (element.length + 1)))
    .fill(element)
    .join()}]`;

/** Fields of one value each, as many as there is room for, without the braces. */
function fields(nameOf: (index: number) => string, room: number): string {
  const names: string[] = [];
  for (let left = room; left > 0; left -= (names.at(-1)?.length ?? 0) + 5) names.push(nameOf(names.length));
  return names
    .slice(0, -1)
    .map((name) => `"${name}":0`)
    .join();
}

const deep = (room: number) => '['.repeat(Math.floor(room / 2)) + ']'.repeat(Math.floor(room / 2));

/** Request bodies of at most `bytes` bytes, nearly all of them used, by what they are. */
export function bodies(bytes: number, maxMessages: number): Record<string, string> {
  const room = bytes - 200;
  const each = 'x'.repeat(Math.floor(room / maxMessages) - 50);
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const conversation = times(maxMessages, (index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content: each }));
  return {
    'messages `[{},{},…]`': `{"messages":${list('{}', room)}}`,
    'messages `[[],[],…]`': `{"messages":${list('[]', room)}}`,
    'messages `[[[…]]]`': `{"messages":${deep(room)}}`,
    'content `[{},{},…]`': `{"messages":[{"role":"user","content":${list('{}', room)}}]}`,
    'content `[[[…]]]`': `{"messages":[{"role":"user","content":${deep(room)}}]}`,
    'a message with a field more for each byte': `{"messages":[{"role":"user","content":"x",${fields((index) => index.toString(36), room)}}]}`,
    'the same at the top': `{"messages":${JSON.stringify([message])},${fields((index) => index.toString(36), room)}}`,
    'the same, the names numbers': `{"messages":${JSON.stringify([message])},${fields(String, room)}}`,
    'one question of one long text': JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(room) }] }),
    'the same, NUL alone': JSON.stringify({
      messages: [{ role: 'user', content: '\0'.repeat(Math.floor(room / 6)) }],
    }),
    'the longest conversation': JSON.stringify({ messages: conversation }),
    'the same, the last message malformed': JSON.stringify({ messages: [...conversation.slice(1), { role: 'user' }] }),
    'as many blocks as there may be': JSON.stringify({
      messages: [{ role: 'user', content: times(maxMessages, () => ({ type: 'text', text: each })) }],
    }),
  };
}
