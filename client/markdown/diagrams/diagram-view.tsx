import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslations } from 'use-intl/react';
import { diagramPage } from '../../../shared/interface.ts';
import { IconButton } from '../../controls/button.tsx';
import type { FrameMessage, PageMessage } from '../../diagram/frame-messages.ts';
import { whenIdle } from '../../rendering/when-idle.ts';
import { drawingEverythingAttribute } from '../drawing-everything.ts';
import { PictureActions } from '../picture-actions.tsx';
import { PictureDialog } from '../picture-dialog.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import { drawableSource } from './drawable-source.ts';
import { createFrameQueue, type FrameOwner } from './frame-queue.ts';
import { createUnfinishedDrawings } from './unfinished-drawings.ts';

/** Drawing fails if the frame sends no message for this long. */
const frameTimeoutMilliseconds = 15_000;

/** A frame that sent a message this recently is not blocked. */
const responsiveMilliseconds = 5000;

/** A taller drawing results from a mistake in the source. */
const maxHeight = 40_000;

const maxFrames = 12;

const pictureTimeoutMilliseconds = 5000;

const unfinishedDrawings = createUnfinishedDrawings();

const queue = createFrameQueue({
  maxFrames,
  reach: () => 2 * window.innerHeight,
  drawsAll: () => document.documentElement.hasAttribute(drawingEverythingAttribute),
  whenIdle,
});
window.addEventListener('beforeprint', queue.update);

const observers = ['200%', '0%'].map(
  (margin) => new IntersectionObserver(queue.update, { rootMargin: `${margin} 0px` }),
);

/** Heights by source: a reply that is shown again reserves them, so it does not move while its diagrams are drawn again. */
const drawnHeights = new Map<string, number>();
const maxDrawnHeights = 200;

export type DiagramViewProps = { source: string; copyButton: ReactNode; code: ReactNode };

type DrawingSize = { height: number; leastWidth: number };

/** The code is shown until the diagram is drawn, and stays, with a notice, if it may not be drawn or drawing fails. */
export default function DiagramView({ source, copyButton, code }: DiagramViewProps) {
  const t = useTranslations('diagrams');
  const drawable = useMemo(() => {
    const text = drawableSource(source);
    return text === null || unfinishedDrawings.has(text) ? null : text;
  }, [source]);
  const [hasFailed, setHasFailed] = useState(drawable === null);
  const [hasFrame, setHasFrame] = useState(false);
  const [size, setSize] = useState<DrawingSize>();
  const [isFrameDrawn, setIsFrameDrawn] = useState(false);
  const [pictureUrl, setPictureUrl] = useState<string>();
  const [isSourceVisible, setIsSourceVisible] = useState(false);
  const [isEnlarged, setIsEnlarged] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const channel = useRef<Channel>(undefined);
  const saved = useRef<Blob>(undefined);
  const owner = useRef<FrameOwner>(undefined);
  const loading = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const element = box.current;
    if (element === null || hasFailed) return;
    const added: FrameOwner = {
      distance: () => distanceToViewport(element),
      open: () => {
        setHasFrame(true);
        // The queue does not wait for a frame that is not loaded.
        loading.current = setTimeout(() => queue.remove(added), frameTimeoutMilliseconds);
      },
      close: async () => {
        saved.current = await channel.current?.picture().catch(() => undefined);
        channel.current?.close();
        channel.current = undefined;
        flushSync(() => {
          setHasFrame(false);
          setIsFrameDrawn(false);
          setPictureUrl(saved.current && URL.createObjectURL(saved.current));
        });
      },
    };
    owner.current = added;
    queue.add(added);
    for (const observer of observers) observer.observe(element);
    return () => {
      for (const observer of observers) observer.unobserve(element);
      clearTimeout(loading.current);
      queue.remove(added);
      channel.current?.close();
    };
  }, [hasFailed]);
  useEffect(() => () => URL.revokeObjectURL(pictureUrl ?? ''), [pictureUrl]);

  const connect = () => {
    clearTimeout(loading.current);
    channel.current?.close();
    const element = frame.current;
    if (!element?.contentWindow || drawable === null) return;
    channel.current = openFrameChannel(element.contentWindow, drawable, {
      onDrawn: (drawnSize) => {
        if (drawnSize.height > maxHeight) return setHasFailed(true);
        rememberHeight(source, drawnSize.height);
        whenNotScrolling(element, () => {
          // The frame may have been closed by now.
          if (frame.current !== element) return;
          flushSync(() => {
            setSize(drawnSize);
            setIsFrameDrawn(true);
          });
          if (owner.current !== undefined) queue.markDrawn(owner.current);
        });
      },
      onFailed: () => setHasFailed(true),
    });
  };
  const picture = async () => {
    const png = channel.current?.picture() ?? saved.current;
    if (png === undefined) throw new Error('The diagram has not been drawn yet.');
    return png;
  };
  const isPending = size === undefined && !hasFailed;
  // Some browsers cannot create a picture of every kind of diagram.
  const isRendered = size !== undefined && !hasFailed && (hasFrame || pictureUrl !== undefined);
  const isCodeVisible = !isRendered || isSourceVisible;
  const isFrameVisible = isFrameDrawn && !isCodeVisible;
  return (
    <>
      <figcaption>
        <span>{t('name')}</span>
        {isRendered && (
          <>
            <IconButton
              icon={isSourceVisible ? 'diagram' : 'code'}
              label={t(isSourceVisible ? 'showDiagram' : 'showSource')}
              onClick={() => setIsSourceVisible(!isSourceVisible)}
            />
            {!isSourceVisible && <PictureActions createPicture={picture} onEnlarge={() => setIsEnlarged(true)} />}
          </>
        )}
        {isCodeVisible && copyButton}
      </figcaption>
      <div
        ref={box}
        className="diagram"
        data-unfinished={isPending ? '' : undefined}
        style={{ '--reserved': isSourceVisible ? '0px' : `${size?.height ?? drawnHeights.get(source) ?? 0}px` }}
      >
        {hasFailed && (
          <p className="diagram-notice" dir="auto">
            {t('failed')}
          </p>
        )}
        <div hidden={!isCodeVisible}>{code}</div>
        {hasFrame && !hasFailed && (
          <div className={isFrameVisible ? undefined : 'diagram-waiting'}>
            <ScrollBox label={t('name')} onOpen={() => setIsEnlarged(true)}>
              <iframe
                ref={frame}
                title={t('name')}
                className="diagram-frame"
                // Scripts only: the frame has an opaque origin, and cannot navigate the page or open windows.
                sandbox="allow-scripts"
                src={diagramPage.path}
                // The surrounding box scrolls instead, because a focused frame would receive the keys of the page.
                tabIndex={-1}
                style={size && { '--least-width': `${size.leastWidth}px`, '--height': `${size.height}px` }}
                onLoad={connect}
              />
            </ScrollBox>
          </div>
        )}
        {isRendered && !isFrameDrawn && !isCodeVisible && pictureUrl && (
          <img className="diagram-picture" alt={t('name')} srcSet={`${pictureUrl} 2x`} />
        )}
      </div>
      {isEnlarged && <PictureDialog label={t('name')} createPicture={picture} onClose={() => setIsEnlarged(false)} />}
    </>
  );
}

function distanceToViewport(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.max(0, top - window.innerHeight, -bottom);
}

function rememberHeight(source: string, height: number): void {
  drawnHeights.set(source, height);
  const [oldest] = drawnHeights.keys();
  if (drawnHeights.size > maxDrawnHeights && oldest !== undefined) drawnHeights.delete(oldest);
}

/**
 * Chromium counts a correction of the reading position as a layout shift if the user scrolls in the same frame. So a change above
 * the viewport waits for a frame without a scroll.
 */
function whenNotScrolling(element: Element, change: () => void): void {
  const before = window.scrollY;
  requestAnimationFrame(() => {
    const isAbove = element.getBoundingClientRect().bottom < 0;
    if (isAbove && window.scrollY !== before) whenNotScrolling(element, change);
    else change();
  });
}

type Listeners = { onDrawn: (size: DrawingSize) => void; onFailed: () => void };
type Channel = ReturnType<typeof openFrameChannel>;

/** Sends `source` to the loaded frame, and again when the theme of the page changes. */
function openFrameChannel(frame: Window, source: string, { onDrawn, onFailed }: Listeners) {
  const { port1: port, port2 } = new MessageChannel();
  const root = document.documentElement;
  const send = (request: PageMessage) => port.postMessage(request);
  const draw = () => send({ type: 'draw', source, theme: root.dataset.theme ?? 'system' });
  let isDrawing = true;
  let lastMessageAt = performance.now();
  let timeout: ReturnType<typeof setTimeout> | undefined;
  /** The drawing stays recorded as unfinished. */
  const giveUp = () => {
    isDrawing = false;
    onFailed();
  };
  const restartTimeout = () => {
    lastMessageAt = performance.now();
    clearTimeout(timeout);
    if (isDrawing) timeout = setTimeout(giveUp, frameTimeoutMilliseconds);
  };
  // If the frame blocks the page from here on, the next visit shows the code.
  const start = () => {
    unfinishedDrawings.start(source);
    restartTimeout();
    appearance.observe(root, { attributeFilter: ['data-theme'] });
    draw();
  };
  const finish = () => {
    if (isDrawing) unfinishedDrawings.finish(source);
    isDrawing = false;
    clearTimeout(timeout);
  };
  const leavePage = () => {
    if (performance.now() - lastMessageAt < responsiveMilliseconds) finish();
  };
  window.addEventListener('pagehide', leavePage);
  // The frame is paused while the browser's print dialog is open.
  window.addEventListener('afterprint', restartTimeout);
  const appearance = new MutationObserver(draw);
  let pending = Promise.withResolvers<Blob>();

  port.onmessage = ({ data }: MessageEvent<FrameMessage>) => {
    if (data.type === 'ready') return start();
    if (data.type === 'working') return restartTimeout();
    finish();
    if (data.type === 'failed') onFailed();
    if (data.type === 'drawn') onDrawn(data);
    if (data.type === 'picture' && data.png) pending.resolve(data.png);
    else if (data.type === 'picture') pending.reject(new Error('The frame could not create a picture.'));
  };
  restartTimeout();
  // An opaque origin cannot be named as the target. `*` is safe, because `frame-src 'self'` keeps the frame within this site.
  frame.postMessage(undefined, '*', [port2]);

  return {
    picture(): Promise<Blob> {
      pending = Promise.withResolvers();
      send({ type: 'picture' });
      const { promise, reject } = pending;
      setTimeout(() => reject(new Error('The frame does not respond.')), pictureTimeoutMilliseconds);
      return promise;
    },
    close(): void {
      finish();
      window.removeEventListener('pagehide', leavePage);
      window.removeEventListener('afterprint', restartTimeout);
      appearance.disconnect();
      port.close();
    },
  };
}
