import { createMarkFinder } from './mark-finder.ts';
import { createReadingPlace } from './reading-place.ts';
import { createUnseenLines } from './unseen-lines.ts';
import { createWindowEdges } from './window-edges.ts';

export type ReadingParts = {
  /** Holds the turns of the conversation, one element each, and changes in no other way. */
  log: HTMLElement;
  /** Stands at the bottom of the window, over the end of the page. */
  dock: HTMLElement;
  onChange(below: Below): void;
};

/** What there is below the window. */
export type Below = {
  /** Whether the end of the conversation is in view, and with it all of a notice about the latest turn. */
  isEndShown: boolean;
  /** The lines of the newest reply that have come since and have not been in view. */
  newLines: number;
};

export type Reading = ReturnType<typeof createReading>;

/** Less than this below the window is no reason to go there. */
const nearEndPixels = 48;

/** The room between the end of the conversation and the dock. */
const gapPixels = 16;

/** A question that is higher than this share of the window shows its end: the reply is what is read next. */
const mostQuestionShare = 0.4;

/**
 * Shows the conversation so that nothing moves that is read. A question that is asked goes to the top of the window, and
 * its reply grows into room that is kept below it. After that only the person scrolls; whatever changes on the page, the
 * first line in the window, or the control that has the focus, stays where it is.
 */
export function createReading({ log, dock, onChange }: ReadingParts) {
  const root = document.documentElement;
  const marks = createMarkFinder(log, dock);
  const place = createReadingPlace({
    scrollTop: () => window.scrollY,
    mostScrollTop,
    scrollTo,
    height: () => window.innerHeight,
    isFocusNew: () => isFocusNew,
    find: marks.find,
  });
  const unseen = createUnseenLines();
  const edges = createWindowEdges(dock);
  const { foldTop, topRoom } = edges;
  let isFocusNew = false;

  const latest = () => (log.lastElementChild instanceof HTMLElement ? log.lastElementChild : undefined);

  function mostScrollTop(): number {
    return root.scrollHeight - window.innerHeight;
  }

  /** Scrolls there even where the page has become too short for it: it keeps the room that it had. */
  function scrollTo(top: number): void {
    const missing = top - mostScrollTop();
    // Its margin takes up the rest of a window that the page does not fill.
    if (missing > 1) keepRoom(Number.parseFloat(getComputedStyle(dock).marginTop) + Math.ceil(missing));
    window.scrollTo({ top, behavior: 'instant' });
  }

  function keepRoom(pixels: number): void {
    dock.style.marginTop = pixels > 0 ? `${pixels}px` : '';
  }

  /** Gives back the kept room that has gone out of view. */
  function giveBackRoom(): void {
    const kept = Number.parseFloat(dock.style.marginTop) || 0;
    if (kept === 0) return;
    const outOfView = Math.floor(mostScrollTop() - window.scrollY);
    keepRoom(Math.max(0, kept - Math.max(0, outOfView)));
  }

  function tell(): void {
    const turn = latest();
    const end = turn && endOf(turn);
    const reply = turn?.querySelector('.reply')?.getBoundingClientRect();
    const notice = turn?.querySelector('.notice')?.getBoundingClientRect();
    const lineHeight = Number.parseFloat(getComputedStyle(log).lineHeight);
    onChange({
      isEndShown: end === undefined || (end - foldTop() < nearEndPixels && (notice?.bottom ?? 0) <= foldTop()),
      newLines: reply === undefined ? 0 : unseen.count(reply, { foldTop: foldTop(), lineHeight }),
    });
  }

  function hold(): void {
    place.hold();
    tell();
    marks.keepFocusClear();
  }

  /** Where the page is scrolled to when the latest turn begins at the top of the window. */
  function latestTop(turn: HTMLElement): number {
    const question = turn.firstElementChild?.getBoundingClientRect();
    if (question === undefined) return window.scrollY;
    const most = (foldTop() - topRoom()) * mostQuestionShare;
    const beyond = Math.max(0, question.height - most);
    turn.style.setProperty('--question-beyond', `${beyond}px`);
    return window.scrollY + question.top + beyond - topRoom();
  }

  function go(top: number): void {
    keepRoom(0);
    window.scrollTo({ top, behavior: 'instant' });
    place.note();
    tell();
  }

  function showLatest(): void {
    edges.measure(latest());
    const turn = latest();
    if (turn !== undefined) go(latestTop(turn));
  }

  const turns = new MutationObserver((changes) => {
    hold();
    for (const { target, addedNodes } of changes) {
      if (target !== log) continue;
      edges.measure(latest());
      for (const node of addedNodes) if (node instanceof Element) sizes.observe(node);
      hold();
    }
  });
  const sizes = new ResizeObserver(() => {
    // Before the room for the latest turn follows the dock, which may have become lower: the page was too short for its place.
    hold();
    if (!edges.haveChanged()) return;
    edges.measure(latest());
    hold();
  });
  const onScroll = () => {
    place.hold();
    giveBackRoom();
    tell();
  };

  // The browser moves the focus first, and then scrolls to it.
  const onFocus = () => {
    isFocusNew = true;
    requestAnimationFrame(() => {
      place.hold();
      place.note();
      isFocusNew = false;
    });
  };

  const { scrollRestoration } = history;
  history.scrollRestoration = 'manual';
  const stopWaiting = showOnceDrawn(log);
  turns.observe(log, { childList: true, characterData: true, subtree: true });
  for (const turn of log.children) sizes.observe(turn);
  edges.observeBy((element) => sizes.observe(element));
  window.addEventListener('scroll', onScroll, { passive: true });
  window.addEventListener('resize', hold);
  document.addEventListener('focusin', onFocus);
  // A section that comes into view gets its own height in place of an estimate. The latest turn stays as high as it is.
  log.addEventListener('contentvisibilityautostatechange', tell, true);
  showLatest();

  return {
    /** The latest turn has just been asked. */
    asked(): void {
      unseen.begin();
      showLatest();
    },

    /** Goes to the end of the conversation, or where the latest turn is short, to its beginning. */
    goToEnd(): void {
      const turn = latest();
      const end = turn && endOf(turn);
      if (turn === undefined || end === undefined) return;
      go(Math.max(latestTop(turn), window.scrollY + end + gapPixels - foldTop()));
    },

    stop(): void {
      stopWaiting();
      turns.disconnect();
      sizes.disconnect();
      document.removeEventListener('focusin', onFocus);
      log.removeEventListener('contentvisibilityautostatechange', tell, true);
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', hold);
      edges.forget();
      history.scrollRestoration = scrollRestoration;
    },
  };
}

/** The turns in view get their own heights in the first frame, in place of estimates, and what is in them in the second. */
const framesUntilDrawn = 3;

/** Shows what is in `log` once it stands where it stays, unless the returned function was called before. */
function showOnceDrawn(log: HTMLElement): () => void {
  let frame = 0;
  const wait = (frames: number) => {
    log.style.opacity = frames === 0 ? '' : '0';
    if (frames > 0) frame = requestAnimationFrame(() => wait(frames - 1));
  };
  wait(framesUntilDrawn);
  return () => cancelAnimationFrame(frame);
}

/** Where the last of what is seen of a turn ends: below it the turn has room. What only screen readers are told stands anywhere. */
function endOf(turn: HTMLElement): number {
  return Math.max(...Array.from(turn.children, (child) => child.getBoundingClientRect().bottom));
}
