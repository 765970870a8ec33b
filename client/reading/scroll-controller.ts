import { createAnchorFinder } from './anchor-finder.ts';
import { createAutoScroll } from './auto-scroll.ts';
import { createReturningHeader } from './returning-header.ts';
import { createScrollAnchoring } from './scroll-anchoring.ts';
import { createUserScroll } from './user-scroll.ts';
import { createWindowEdges } from './window-edges.ts';

type ScrollControllerDependencies = {
  /** Contains one element per turn, and nothing else. */
  log: HTMLElement;
  /** Sticks to the bottom of the window, and covers the page there. */
  dock: HTMLElement;
  /** Receives whether the end of the conversation, or a part of the latest turn's notice, is in view. */
  onChange(isEndVisible: boolean): void;
};

export type ScrollController = ReturnType<typeof createScrollController>;

/**
 * Turns this close to the window are laid out, so that their diagrams are drawn before they come into view. In WebKit this also
 * prevents a painted frame in which a turn in view has only its estimated height.
 */
const nearMargin = '300% 0px';

/** Below this distance to the end, the "Jump to latest" button is hidden. */
const nearEndPixels = 48;

const gapPixels = 16;

/** Auto-scroll glides by this share of the remaining distance in each frame. */
const glideShare = 0.2;

/** A sent question takes at most this share of the visible page. The start of a taller one is scrolled away, to show its reply. */
const maxQuestionShare = 0.4;

/**
 * Maintains the reading position while the page changes. A new question goes to the top of the window, and its reply grows into the
 * space below it. After that only the user scrolls: the first line in the window, or the focused control, does not move. Once they
 * have scrolled or jumped to the end, the page scrolls with the reply until they do something else.
 */
export function createScrollController({ log, dock, onChange }: ScrollControllerDependencies) {
  const root = document.documentElement;
  const page = log.closest<HTMLElement>('#root') ?? document.body;
  const anchors = createAnchorFinder(log, dock);
  const anchoring = createScrollAnchoring({
    scrollTop: () => window.scrollY,
    scrollTo,
    width: () => window.innerWidth,
    height: () => window.innerHeight,
    isFocusNew: () => isFocusNew,
    isToStart: () => userScroll.isToStart(),
    isScrollFragile: () => isWebKit && userScroll.isRunning(),
    find: anchors.find,
  });
  const userScroll = createUserScroll(hold);
  const autoScroll = createAutoScroll(log);
  // In WebKit, a script that scrolls ends the scroll of a key or a wheel. Other browsers shift its destination by a short correction,
  // but can undo a longer scroll of the script, so `glideToEnd` waits.
  const isWebKit = navigator.vendor.startsWith('Apple');
  const lessMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
  const edges = createWindowEdges(dock);
  const header = createReturningHeader(root);
  const { foldTop, scrollPaddingTop } = edges;
  const listeners = new AbortController();
  const { signal } = listeners;
  let isFocusNew = false;
  let isOpening = true;
  let isAway = false;
  let glide = 0;

  const latest = () => (log.lastElementChild instanceof HTMLElement ? log.lastElementChild : undefined);

  function maxScrollTop(): number {
    return root.scrollHeight - window.innerHeight;
  }

  /** Scrolls to `top` even if the page has become too short for it. */
  function scrollTo(top: number): void {
    setMinHeight(top);
    window.scrollTo({ top, behavior: 'instant' });
  }

  /** Otherwise the browser would clamp the scroll position while content shrinks, which looks like a scroll by the user. */
  function setMinHeight(top: number): void {
    page.style.minHeight = `calc(${top}px + 100dvh)`;
  }

  /** Releases space that the scroll position does not need. The limit is for Safari, which overscrolls beyond the maximum. */
  function holdCurrentHeight(): void {
    setMinHeight(Math.min(window.scrollY, maxScrollTop()));
  }

  function isEndOfTurnVisible(turn: Element | null | undefined): boolean {
    if (!(turn instanceof HTMLElement) || endOf(turn) - foldTop() < nearEndPixels) return true;
    const notice = turn.querySelector('.notice')?.getBoundingClientRect();
    return notice !== undefined && notice.top < foldTop();
  }

  function reportEnd(): void {
    onChange(isEndOfTurnVisible(latest()));
  }

  function holdPosition(): void {
    if (isAway) return;
    const scrolledBy = anchoring.hold();
    if (userScroll.isRunning()) header.onScroll(scrolledBy);
    if (scrolledBy !== 0) isOpening = false;
    if (scrolledBy !== 0) autoScroll.onScroll(scrolledBy, (endTop() ?? 0) - window.scrollY < gapPixels);
  }

  function hold(): void {
    holdPosition();
    if (glide === 0) glideToEnd();
    reportEnd();
    anchors.revealFocusedControl();
  }

  /**
   * Auto-scrolls to the current end: at once if it is far away or motion is reduced, otherwise over several frames. Never scrolls up.
   * Waits until the user's own scroll has ended, because the browser's animation of it can undo the script's scroll.
   */
  function glideToEnd(): void {
    glide = 0;
    if (!autoScroll.isOn() || userScroll.isRunning()) return;
    const before = window.scrollY;
    const remaining = (endTop() ?? 0) - before;
    if (remaining < 1) return;
    const isJump = lessMotion.matches || remaining > window.innerHeight;
    window.scrollTo({ top: before + (isJump ? remaining : Math.ceil(remaining * glideShare)), behavior: 'instant' });
    holdCurrentHeight();
    anchoring.capture();
    reportEnd();
    if (window.scrollY !== before) glide = requestAnimationFrame(glideToEnd);
  }

  /** Returns the scroll position with the end above the dock, or, if the latest turn is short, with its start at the top. */
  function endTop(): number | undefined {
    const turn = latest();
    return turn && Math.max(latestTop(turn), window.scrollY + endOf(turn) + gapPixels - foldTop());
  }

  function overflowOf(turn: HTMLElement): number {
    const { height = 0 } = turn.firstElementChild?.getBoundingClientRect() ?? {};
    return Math.max(0, height - (foldTop() - scrollPaddingTop()) * maxQuestionShare);
  }

  function latestTop(turn: HTMLElement): number {
    const question = turn.firstElementChild?.getBoundingClientRect();
    if (question === undefined) return window.scrollY;
    return window.scrollY + question.top + overflowOf(turn) - scrollPaddingTop();
  }

  function scrollAndHold(top: number): void {
    header.hide();
    page.style.minHeight = '';
    window.scrollTo({ top, behavior: 'instant' });
    holdCurrentHeight();
    anchoring.capture();
    reportEnd();
  }

  /**
   * Returns the scroll position for a reopened conversation: its start if all of it fits into the window, otherwise its last
   * question. If the last turn does not fit, up to `overflowOf` of the question is scrolled away to show the end, or more if the
   * reply and its notice fit without the question.
   */
  function openingTop(turn: HTMLElement): number {
    const fromWindowTop = window.scrollY - scrollPaddingTop();
    const head = fromWindowTop + (turn.firstElementChild?.getBoundingClientRect().top ?? 0);
    const end = window.scrollY + endOf(turn) + gapPixels - foldTop();
    if (end <= 0) return 0;
    if (end <= head) return head;
    const reply = turn.querySelector('.notice') && turn.querySelector('.reply, .notice');
    if (reply && end <= fromWindowTop + reply.getBoundingClientRect().top) return end;
    return Math.min(end, head + overflowOf(turn));
  }

  function fitLatest(): HTMLElement | undefined {
    const turn = latest();
    edges.measure(turn);
    turn?.style.setProperty('--question-beyond', `${overflowOf(turn)}px`);
    return turn;
  }

  function showLatest(): void {
    isOpening = false;
    const turn = fitLatest();
    if (turn) scrollAndHold(latestTop(turn));
  }

  /** Scrolls to the opening position until the layout is stable, unless the user or a restored reading position scrolls. */
  function showOpening(): void {
    const turn = isOpening ? fitLatest() : undefined;
    if (turn) scrollAndHold(openingTop(turn));
  }

  /** The introduction of an empty conversation is at the top of the page, even if the turns before it were scrolled. */
  function showEmpty(): void {
    if (latest() === undefined) scrollAndHold(0);
  }

  const mutations = new MutationObserver((changes) => {
    hold();
    for (const { target, addedNodes } of changes) {
      if (target !== log) continue;
      edges.measure(latest());
      for (const node of addedNodes) if (node instanceof Element) observeTurn(node);
      hold();
      showEmpty();
    }
  });
  const sizes = new ResizeObserver(() => {
    if (edges.haveChanged()) edges.measure(latest());
    hold();
  });
  const nearTurns = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        (target as HTMLElement).style.contentVisibility = isIntersecting ? 'visible' : '';
      }
      // Corrects the position here, because Chromium counts a correction by the resize observer, which runs after the layout,
      // as a layout shift.
      hold();
    },
    { rootMargin: nearMargin },
  );
  const observeTurn = (turn: Element) => {
    sizes.observe(turn);
    nearTurns.observe(turn);
  };
  const onScroll = () => {
    holdPosition();
    holdCurrentHeight();
    reportEnd();
  };

  // The browser moves the focus first and scrolls afterwards.
  const onFocus = () => {
    isFocusNew = true;
    requestAnimationFrame(() => {
      holdPosition();
      anchoring.capture();
      isFocusNew = false;
    });
  };

  // WebKit scrolls a page from its back/forward cache to the start.
  const onLeave = () => {
    isAway = true;
  };
  const onReturn = () => {
    if (!isAway) return;
    isAway = false;
    anchoring.hold({ isRestored: true });
    holdCurrentHeight();
  };

  const { scrollRestoration } = history;
  history.scrollRestoration = 'manual';
  showEmpty();
  const cancelReveal = revealOnceLaidOut(log, (isLaidOut) => {
    showOpening();
    if (isLaidOut) isOpening = false;
  });
  mutations.observe(log, { childList: true, characterData: true, subtree: true });
  for (const turn of log.children) observeTurn(turn);
  // The border box includes the space above the first turn, which changes too.
  sizes.observe(log, { box: 'border-box' });
  edges.observeBy((element) => sizes.observe(element));
  window.addEventListener('scroll', onScroll, { passive: true, signal });
  window.addEventListener('resize', hold, { signal });
  document.addEventListener('focusin', onFocus, { signal });
  window.addEventListener('pagehide', onLeave, { signal });
  window.addEventListener('pageshow', onReturn, { signal });

  return {
    /**
     * Call it when a question has been sent. A question that was sent automatically scrolls the page only if the end of the
     * reply before it is in view or auto-scroll is on, because otherwise the user is reading something else.
     */
    onQuestionAsked(wasSentAutomatically: boolean): void {
      if (wasSentAutomatically && !autoScroll.isOn() && !isEndOfTurnVisible(latest()?.previousElementSibling)) return;
      autoScroll.stop();
      showLatest();
    },

    goToEnd(): void {
      const top = endTop();
      if (top === undefined) return;
      autoScroll.start();
      scrollAndHold(top);
    },

    stop(): void {
      cancelReveal();
      autoScroll.dispose();
      cancelAnimationFrame(glide);
      mutations.disconnect();
      sizes.disconnect();
      nearTurns.disconnect();
      userScroll.stop();
      header.hide();
      listeners.abort();
      edges.clear();
      page.style.minHeight = '';
      history.scrollRestoration = scrollRestoration;
    },
  };
}

/** The first frame replaces the estimated heights of the turns in view, the second lays out their content, and the third shows it. */
const framesUntilLaidOut = 3;

/** Calls `onFrame` in each frame until the layout of `log` is stable, and then reveals it. Returns a cancel function. */
function revealOnceLaidOut(log: HTMLElement, onFrame: (isLaidOut: boolean) => void): () => void {
  let frame = 0;
  const wait = (frames: number) => {
    onFrame(frames === 0);
    log.style.opacity = frames === 0 ? '' : '0';
    if (frames > 0) frame = requestAnimationFrame(() => wait(frames - 1));
  };
  wait(framesUntilLaidOut);
  return () => cancelAnimationFrame(frame);
}

/** Measures the children only: the turn's own box includes reserved space, and visually hidden text can be anywhere. */
function endOf(turn: HTMLElement): number {
  return Math.max(...Array.from(turn.children, (child) => child.getBoundingClientRect().bottom));
}
