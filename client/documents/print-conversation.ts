import { drawingEverythingAttribute } from '../markdown/drawing-everything.ts';
import { loadMarkdownFor } from '../markdown/load-markdown.ts';

/** Matches content that is not rendered yet: the rest of a long reply, and drawings, formulas and charts. */
const unfinishedParts = '.messages :is(.markdown ~ .plain, [data-unfinished])';

/** Content that takes longer is printed as it is by then, for example a diagram as its source. */
const maxRenderingMilliseconds = 10_000;

/** Prints the page once `drawEverything` has resolved. The browser suggests the page title as the name of a saved PDF. */
export async function printConversation(title: string, replies: readonly string[]): Promise<void> {
  if (document.documentElement.hasAttribute(drawingEverythingAttribute)) return;
  await drawEverything(replies);
  const pageTitle = document.title;
  const restore = () => {
    document.title = pageTitle;
  };
  window.addEventListener('afterprint', restore, { once: true });
  document.title = title;
  window.print();
}

/** Resolves once all `replies` are rendered with their drawings and formulas, even out of view, or after a time limit. */
async function drawEverything(replies: readonly string[]): Promise<void> {
  const root = document.documentElement;
  // Makes the style sheet lay out all turns, because a diagram without a layout is not drawn.
  root.toggleAttribute(drawingEverythingAttribute, true);
  try {
    await loadMarkdownFor(replies);
    // Makes the page render all turns, as when the user prints with the browser's own command.
    window.dispatchEvent(new Event('beforeprint'));
    await waitUntilDone(() => root.querySelector(unfinishedParts) === null);
  } finally {
    root.toggleAttribute(drawingEverythingAttribute, false);
  }
}

function waitUntilDone(isDone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      changes.disconnect();
      clearTimeout(timeout);
      resolve();
    };
    const check = () => isDone() && finish();
    const changes = new MutationObserver(check);
    const timeout = setTimeout(finish, maxRenderingMilliseconds);
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-unfinished'] });
    check();
  });
}
