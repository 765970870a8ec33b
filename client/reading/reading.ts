import { createFollowing, type Follow } from './following.ts';
import { createMarkFinder } from './mark-finder.ts';
import { createReadingPlace } from './reading-place.ts';
import { createUnseenLines } from './unseen-lines.ts';
import { createWindowEdges } from './window-edges.ts';

export type ReadingParts = {
  /** Holds the turns of the conversation, one element each, and changes in no other way. */
  log: HTMLElement;
  /** Stands at the bottom of the window, over the end of the page. */
  dock: HTMLElement;
  /** When the person wants to be taken along. */
  follow(): Follow;
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

/** Who is taken along glides this share of the rest of the way in each frame. */
const glideShare = 0.2;

/** A question that is higher than this share of the window shows its end: the reply is what is read next. */
const maxQuestionShare = 0.4;

/**
 * Shows the conversation so that nothing moves that is read. A question that is asked goes to the top of the window, and
 * its reply grows into room that is kept below it. After that only the person scrolls; whatever changes on the page, the
 * first line in the window, or the control that has the focus, stays where it is. Who goes to the end themselves is taken along
 * with it until they turn to something else.
 */
export function createReading({ log, dock, follow, onChange }: ReadingParts) {
  const root = document.documentElement;
  const page = log.closest<HTMLElement>('#root') ?? document.body;
  const marks = createMarkFinder(log, dock);
  const place = createReadingPlace({
    scrollTop: () => window.scrollY,
    scrollTo,
    height: () => window.innerHeight,
    isFocusNew: () => isFocusNew,
    find: marks.find,
  });
  const unseen = createUnseenLines();
  const following = createFollowing(log, follow);
  const lessMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
  const edges = createWindowEdges(dock);
  const { foldTop, topRoom } = edges;
  let isFocusNew = false;
  let glide = 0;

  const latest = () => (log.lastElementChild instanceof HTMLElement ? log.lastElementChild : undefined);

  const isWriting = () => log.ariaBusy === 'true';

  function maxScrollTop(): number {
    return root.scrollHeight - window.innerHeight;
  }

  /** Scrolls to `top`, also where the page has become too short for it. */
  function scrollTo(top: number): void {
    keepHeight(top);
    window.scrollTo({ top, behavior: 'instant' });
  }

  /**
   * Keeps the page high enough to be scrolled to `top`, whatever in it becomes shorter. Otherwise the browser would scroll to
   * the new end in the middle of a layout, and nothing distinguishes that from a person's scrolling.
   */
  function keepHeight(top: number): void {
    page.style.minHeight = `calc(${top}px + 100dvh)`;
  }

  /** Keeps the page high enough for where it is, and gives back any room below that. Safari scrolls past the end and back. */
  function keepCurrentHeight(): void {
    keepHeight(Math.min(window.scrollY, maxScrollTop()));
  }

  function tell(): void {
    const turn = latest();
    const end = turn && endOf(turn);
    // While what shows Markdown is on its way, a reply is empty, and its height says nothing of what has been seen.
    const reply = turn?.querySelector('.reply:not(:empty)')?.getBoundingClientRect();
    const notice = turn?.querySelector('.notice')?.getBoundingClientRect();
    const lineHeight = Number.parseFloat(getComputedStyle(log).lineHeight);
    onChange({
      isEndShown: end === undefined || (end - foldTop() < nearEndPixels && (notice?.bottom ?? 0) <= foldTop()),
      newLines:
        reply === undefined ? 0 : unseen.count(reply, { foldTop: foldTop(), lineHeight, isWriting: isWriting() }),
    });
  }

  function holdPlace(): void {
    const by = place.hold();
    if (by !== 0) following.scrolled(by, (endTop() ?? 0) - window.scrollY < gapPixels);
  }

  function hold(): void {
    holdPlace();
    if (following.isOn() && glide === 0) takeAlong();
    tell();
    marks.keepFocusClear();
  }

  /** Goes some of the way to the end of what is there by now, and the rest in the frames that follow. Never goes up. */
  function takeAlong(): void {
    glide = 0;
    const before = window.scrollY;
    const left = following.isOn() ? (endTop() ?? 0) - before : 0;
    if (left < 1) return;
    const isJump = lessMotion.matches || left > window.innerHeight;
    window.scrollTo({ top: before + (isJump ? left : Math.ceil(left * glideShare)), behavior: 'instant' });
    keepCurrentHeight();
    place.note();
    tell();
    if (window.scrollY !== before) glide = requestAnimationFrame(takeAlong);
  }

  /** Where the page is scrolled to when its end stands above the dock; where the latest turn is short, its beginning at the top. */
  function endTop(): number | undefined {
    const turn = latest();
    return turn && Math.max(latestTop(turn), window.scrollY + endOf(turn) + gapPixels - foldTop());
  }

  /** By how much the question of `turn` is higher than the part of the window that it is given. */
  function beyondOf(turn: HTMLElement): number {
    const { height = 0 } = turn.firstElementChild?.getBoundingClientRect() ?? {};
    return Math.max(0, height - (foldTop() - topRoom()) * maxQuestionShare);
  }

  /** Where the page is scrolled to when the latest turn begins at the top of the window. */
  function latestTop(turn: HTMLElement): number {
    const question = turn.firstElementChild?.getBoundingClientRect();
    if (question === undefined) return window.scrollY;
    return window.scrollY + question.top + beyondOf(turn) - topRoom();
  }

  function go(top: number): void {
    page.style.minHeight = '';
    window.scrollTo({ top, behavior: 'instant' });
    keepCurrentHeight();
    place.note();
    tell();
  }

  function showLatest(): void {
    edges.measure(latest());
    const turn = latest();
    if (turn === undefined) return;
    turn.style.setProperty('--question-beyond', `${beyondOf(turn)}px`);
    go(latestTop(turn));
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
    if (edges.haveChanged()) edges.measure(latest());
    hold();
  });
  const onScroll = () => {
    holdPlace();
    keepCurrentHeight();
    tell();
  };

  // The browser moves the focus first, and then scrolls to it.
  const onFocus = () => {
    isFocusNew = true;
    requestAnimationFrame(() => {
      holdPlace();
      place.note();
      isFocusNew = false;
    });
  };

  const { scrollRestoration } = history;
  history.scrollRestoration = 'manual';
  const stopWaiting = showOnceDrawn(log);
  turns.observe(log, { childList: true, characterData: true, subtree: true });
  for (const turn of log.children) sizes.observe(turn);
  // The room above the first turn changes too.
  sizes.observe(log, { box: 'border-box' });
  edges.observeBy((element) => sizes.observe(element));
  log.addEventListener('click', unseen.pressed);
  window.addEventListener('scroll', onScroll, { passive: true });
  window.addEventListener('resize', hold);
  document.addEventListener('focusin', onFocus);
  showLatest();

  return {
    /** The latest turn has just been asked; `byItself`: nothing that is read moves for it, unless the person is taken along. */
    asked(byItself: boolean): void {
      unseen.begin();
      if (byItself && !following.isOn()) return;
      following.begin();
      showLatest();
    },

    /** Goes to the end of the conversation, or where the latest turn is short, to its beginning. */
    goToEnd(): void {
      const top = endTop();
      if (top === undefined) return;
      following.start();
      go(top);
    },

    stop(): void {
      stopWaiting();
      following.end();
      cancelAnimationFrame(glide);
      turns.disconnect();
      sizes.disconnect();
      document.removeEventListener('focusin', onFocus);
      log.removeEventListener('click', unseen.pressed);
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', hold);
      edges.forget();
      page.style.minHeight = '';
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
