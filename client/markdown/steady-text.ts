import { reportMissing } from '../browser/moved-nodes.ts';

/**
 * Keeps the selection in `root` while its texts grow. React assigns the `nodeValue` of a text node for each added word, which would
 * clear a selection in it. On the text nodes in `root`, an assignment therefore replaces only the characters that differ, and is
 * reported if another script has removed the node. Returns a stop function.
 */
export function preserveSelection(root: Element): () => void {
  const steadyNodeValue: PropertyDescriptor & ThisType<Text> = {
    configurable: true,
    get() {
      return this.data;
    },
    set(value: string | null) {
      replaceText(this, value ?? '');
      if (!this.isConnected) reportMissing(root);
    },
  };
  const addTo = (added: Node) => {
    const texts = document.createTreeWalker(added, NodeFilter.SHOW_TEXT);
    for (let node: Node | null = added; node !== null; node = texts.nextNode()) {
      if (node instanceof Text) Object.defineProperty(node, 'nodeValue', steadyNodeValue);
    }
  };
  const observer = new MutationObserver((records) => {
    // An added text may have been removed again by another script, whose observer was called first.
    for (const { addedNodes, removedNodes } of records)
      for (const node of [...addedNodes, ...removedNodes]) addTo(node);
  });
  observer.observe(root, { childList: true, subtree: true });
  addTo(root);
  return () => observer.disconnect();
}

function replaceText(node: Text, text: string): void {
  const { data } = node;
  const start = commonStart(data, text);
  if (start === data.length) node.appendData(text.slice(start));
  else node.replaceData(start, data.length - start, text.slice(start));
}

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < one.length && one.charAt(length) === other.charAt(length)) length += 1;
  return length;
}
