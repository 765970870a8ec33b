/**
 * Keeps the selection in `root` while its texts grow. React assigns the `nodeValue` of a text node for each added word, which would
 * clear a selection in it. On the text nodes in `root`, an assignment therefore changes only what differs. Returns a stop function.
 */
export function preserveSelection(root: Element): () => void {
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) steadyTextsIn(node);
  });
  observer.observe(root, { childList: true, subtree: true });
  steadyTextsIn(root);
  return () => observer.disconnect();
}

function steadyTextsIn(root: Node): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node: Node | null = root; node !== null; node = texts.nextNode()) {
    if (node instanceof Text) Object.defineProperty(node, 'nodeValue', steadyNodeValue);
  }
}

const steadyNodeValue: PropertyDescriptor & ThisType<Text> = {
  configurable: true,
  get() {
    return this.data;
  },
  set(value: string | null) {
    const text = value ?? '';
    const { data } = this;
    const start = commonStart(data, text);
    if (start === data.length) this.appendData(text.slice(start));
    else this.replaceData(start, data.length - start, text.slice(start));
  },
};

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < one.length && one.charAt(length) === other.charAt(length)) length += 1;
  return length;
}
