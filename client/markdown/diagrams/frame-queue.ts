/** A diagram that needs a frame to be drawn. */
export type FrameOwner = {
  /** The distance to the viewport in CSS pixels, 0 within it. */
  distance: () => number;
  /** Adds the frame. The owner calls `markDrawn` or `remove` once it is drawn or has failed. */
  open: () => void;
  /** Resolves once a picture has replaced the frame. */
  close: () => Promise<void>;
};

type QueueOptions = {
  maxFrames: number;
  /** Diagrams at most this many CSS pixels from the viewport do not wait until the page is idle. */
  reach: () => number;
  /** Whether diagrams out of reach do not wait either. Those without a frame left are shown as pictures. */
  drawsAll: () => boolean;
  whenIdle: (work: () => void) => void;
};

type QueueEntry = { isOpen: boolean; wasDrawn: boolean };

/**
 * Draws diagrams one after the other, the nearest first, in at most `maxFrames` frames. Diagrams in reach have precedence: the
 * farthest frame is closed for them, and opened again in reach. Only one is drawn at a time, because browsers run all frames in one
 * thread, and one diagram must not use up the time of the others.
 */
export function createFrameQueue({ maxFrames, reach, drawsAll, whenIdle }: QueueOptions) {
  const entries = new Map<FrameOwner, QueueEntry>();
  let current: FrameOwner | undefined;
  let isClosing = false;
  let isWaitingForIdle = false;

  const owners = (filter: (entry: QueueEntry) => boolean) =>
    Array.from(entries)
      .filter(([, entry]) => filter(entry))
      .map(([owner]) => ({ owner, distance: owner.distance() }))
      .sort((one, other) => one.distance - other.distance);

  function openNext(): void {
    if (current !== undefined || isClosing) return;
    const frames = owners(({ isOpen }) => isOpen);
    const isFull = frames.length >= maxFrames;
    const farthest = frames.at(-1);
    const fresh = owners(({ isOpen, wasDrawn }) => !isOpen && !wasDrawn);
    const pictures = owners(({ isOpen, wasDrawn }) => !isOpen && wasDrawn);
    const isInReach = ({ distance }: { distance: number }) => distance <= reach();
    const next =
      fresh.find((candidate) => drawsAll() || isInReach(candidate)) ??
      pictures.find((candidate) => isInReach(candidate) && (!isFull || candidate.distance < (farthest?.distance ?? 0)));
    if (next !== undefined && isFull && farthest !== undefined) void close(farthest.owner);
    else if (next !== undefined) open(next.owner);
    else if (!isFull && fresh.length > 0) openNextWhenIdle();
  }

  function open(owner: FrameOwner): void {
    const entry = entries.get(owner);
    if (entry === undefined) return;
    entry.isOpen = true;
    current = owner;
    owner.open();
  }

  async function close(owner: FrameOwner): Promise<void> {
    isClosing = true;
    await owner.close();
    isClosing = false;
    const entry = entries.get(owner);
    if (entry !== undefined) entry.isOpen = false;
    openNext();
  }

  /** Draws diagrams out of reach in the remaining frames, so that the browser can print them. */
  function openNextWhenIdle(): void {
    if (isWaitingForIdle) return;
    isWaitingForIdle = true;
    whenIdle(() => {
      isWaitingForIdle = false;
      const [next] = owners(({ isOpen, wasDrawn }) => !isOpen && !wasDrawn);
      const frames = owners(({ isOpen }) => isOpen);
      if (current === undefined && !isClosing && frames.length < maxFrames && next !== undefined) open(next.owner);
    });
  }

  return {
    add(owner: FrameOwner): void {
      entries.set(owner, { isOpen: false, wasDrawn: false });
      openNext();
    },

    markDrawn(owner: FrameOwner): void {
      const entry = entries.get(owner);
      if (entry !== undefined) entry.wasDrawn = true;
      if (current === owner) current = undefined;
      openNext();
    },

    remove(owner: FrameOwner): void {
      entries.delete(owner);
      if (current === owner) current = undefined;
      openNext();
    },

    /** Called when diagrams may have come into reach, or everything is to be drawn. */
    update: openNext,
  };
}
