/**
 * Makes assignments to the `nodeValue` of a text node change only what differs. React assigns it for each added word, which would
 * clear the selection in a growing paragraph. Call it once, before the first reply is rendered.
 */
export function preserveSelections(): void {
  const { prototype } = globalThis.Text ?? {};
  const { nodeValue } = Object.getOwnPropertyDescriptors(globalThis.Node?.prototype ?? {});
  if (prototype === undefined || nodeValue === undefined) return;
  Object.defineProperty(prototype, 'nodeValue', {
    ...nodeValue,
    set(this: Text, value: string | null) {
      const text = value ?? '';
      const { data } = this;
      const start = commonStart(data, text);
      if (start === data.length) this.appendData(text.slice(start));
      else this.replaceData(start, data.length - start, text.slice(start));
    },
  });
}

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < one.length && one.charAt(length) === other.charAt(length)) length += 1;
  return length;
}
