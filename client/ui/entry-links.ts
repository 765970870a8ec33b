/** The links of a list's conversations, as they stand in `list`. */
function linksIn(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('.entry-open')];
}

/** The link of the conversation after the one with `id`, else of the one before; undefined where it is the only one. */
export function linkBeside(list: Element, id: string): HTMLElement | undefined {
  const links = linksIn(list);
  const index = links.findIndex((link) => link.dataset.id === id);
  return links[index + 1] ?? links[index - 1];
}

const steps: Partial<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

/** The link to which `key` leads from an element of an entry in `list`; undefined where it leads nowhere. */
export function linkByKey(list: Element, from: Element, key: string): HTMLElement | undefined {
  const step = steps[key];
  const own = from.closest('.entry')?.querySelector<HTMLElement>('.entry-open');
  if (step === undefined || !own) return undefined;
  const links = linksIn(list);
  return links[step(links.indexOf(own), links.length)];
}
