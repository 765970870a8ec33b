/**
 * Makes a change of a text node keep what stays the same. React sets `nodeValue`, which replaces the whole text: a selection in a
 * paragraph that grows would be lost with each word. Called once, before the first reply is drawn.
 */
export function keepTextSteady(): void {
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
