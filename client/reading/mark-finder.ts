import type { Mark } from './reading-place.ts';
import { firstLine } from './text-line.ts';

/**
 * Finds what stays where it is while the page changes: a control in `log` that has the keyboard's focus and is uncovered,
 * or else the first line of text in the window, between the header and `dock`.
 */
export function createMarkFinder(log: HTMLElement, dock: HTMLElement) {
  let clear: Element | undefined;

  return {
    find(): Mark | undefined {
      const focused = document.activeElement ?? document.body;
      clear = log.contains(focused) && isMarked(focused) && isClear(focused) ? focused : undefined;
      return clear === undefined
        ? firstLine(log, headerBottom(), dock.getBoundingClientRect().top)
        : controlMark(clear);
    },

    /** Where the window has become lower, the control with the focus that was uncovered stays so. */
    keepFocusClear(): void {
      if (clear !== undefined && clear === document.activeElement && !isClear(clear)) {
        clear.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      }
    },
  };
}

function controlMark(control: Element): Mark {
  return { top: () => (control.isConnected ? control.getBoundingClientRect().top : undefined) };
}

/** Where the window begins for the reader: below the header, which stays at the top on all but low screens. */
function headerBottom(): number {
  return Math.max(0, document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0);
}

/** Whether the focus shows on `element`: it came by the keyboard, and to a control. */
function isMarked(element: Element): boolean {
  return element.matches(':focus-visible:not([tabindex="-1"])');
}

/** Whether the whole of `element` stands where the browser scrolls to what gets the focus, give or take part of a pixel. */
function isClear(element: Element): boolean {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const { top, bottom } = element.getBoundingClientRect();
  const first = Number.parseFloat(scrollPaddingTop) - 1;
  const last = window.innerHeight - Number.parseFloat(scrollPaddingBottom) + 1;
  return top >= first && bottom <= last;
}
