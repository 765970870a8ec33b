import { type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslations } from 'use-intl/react';
import { diagramPage } from '../../../shared/interface.ts';
import { Action } from '../../controls/button.tsx';
import type { DiagramReply, DiagramRequest } from '../../diagram/messages.ts';
import { PictureActions } from '../picture-actions.tsx';

/** Longer diagrams would block the page, because the browser may run the frame in the same process. */
const maxCharacters = 20_000;
const maxLines = 300;

/** Mermaid draws a packet diagram bit by bit, so a bit number of eight digits would take a minute. */
const packet = /^[ \t]*packet/m;
const largeField = /^[\d \t+-]*\d{4}/m;

/** Starts when the frame has loaded. The frame then still fetches the code for its type of diagram. */
const drawingMilliseconds = 15_000;

/** Heights by source: a reply that is shown again reserves them, so it does not move while its diagrams are drawn again. */
const drawnHeights = new Map<string, number>();
const maxDrawnHeights = 200;

export type DiagramViewProps = { source: string; copyButton: ReactNode; code: ReactNode };

/** The code is shown until the diagram is drawn, and stays, with a notice, if it is too large or drawing fails. */
export default function DiagramView({ source, copyButton, code }: DiagramViewProps) {
  const t = useTranslations('diagrams');
  const [height, setHeight] = useState<number>();
  const [hasFailed, setHasFailed] = useState(() => isTooLarge(source));
  const [isSourceVisible, setIsSourceVisible] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const channel = useRef<Channel>(undefined);
  useEffect(() => () => channel.current?.close(), []);

  const connect = () => {
    channel.current?.close();
    const element = frame.current;
    if (element?.contentWindow)
      channel.current = openChannel(element.contentWindow, source, {
        drawn: (drawnHeight) => {
          rememberHeight(source, drawnHeight);
          whenNotScrolling(element, () => flushSync(() => setHeight(drawnHeight)));
        },
        failed: () => setHasFailed(true),
      });
  };
  const picture = () => channel.current?.picture() ?? Promise.reject(new Error('The diagram has not been drawn yet.'));
  const isRendered = height !== undefined && !hasFailed;
  const isPending = !isRendered && !hasFailed;
  const isCodeVisible = !isRendered || isSourceVisible;
  return (
    <>
      <figcaption>
        <span>{t('name')}</span>
        {isRendered && (
          <>
            <Action
              icon={isSourceVisible ? 'chart' : 'transcript'}
              label={t(isSourceVisible ? 'showDiagram' : 'showSource')}
              onClick={() => setIsSourceVisible(!isSourceVisible)}
            />
            <PictureActions fileName={t('name')} picture={picture} />
          </>
        )}
        {isCodeVisible && copyButton}
      </figcaption>
      <div
        className="diagram"
        data-unfinished={isPending ? '' : undefined}
        style={{ height: isPending ? drawnHeights.get(source) : undefined }}
      >
        {hasFailed && (
          <p className="diagram-notice" dir="auto">
            {t('failed')}
          </p>
        )}
        <div hidden={!isCodeVisible}>{code}</div>
        {!hasFailed && (
          <iframe
            ref={frame}
            title={t('name')}
            className={isCodeVisible ? 'diagram-frame diagram-frame-waiting' : 'diagram-frame'}
            // Scripts only: the frame has an opaque origin, and cannot navigate the page or open windows.
            sandbox="allow-scripts"
            src={diagramPage.path}
            loading="lazy"
            height={height}
            onLoad={connect}
          />
        )}
      </div>
    </>
  );
}

function isTooLarge(source: string): boolean {
  const isLong = source.length > maxCharacters || source.split('\n').length > maxLines;
  return isLong || (packet.test(source) && largeField.test(source));
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

type Listeners = { drawn: (height: number) => void; failed: () => void };
type Channel = ReturnType<typeof openChannel>;

/** Sends `source` to the loaded frame, and again when the theme of the page changes. */
function openChannel(frame: Window, source: string, { drawn, failed }: Listeners) {
  const { port1: port, port2 } = new MessageChannel();
  const root = document.documentElement;
  const send = (request: DiagramRequest) => port.postMessage(request);
  const draw = () => send({ type: 'draw', source, theme: root.dataset.theme ?? 'system' });
  let timeout = setTimeout(failed, drawingMilliseconds);
  const restartTimeout = () => {
    clearTimeout(timeout);
    if (!hasReplied) timeout = setTimeout(failed, drawingMilliseconds);
  };
  // The frame is paused while the browser's print dialog is open.
  window.addEventListener('afterprint', restartTimeout);
  const appearance = new MutationObserver(draw);
  appearance.observe(root, { attributeFilter: ['data-theme'] });
  let pending = Promise.withResolvers<Blob>();
  let hasReplied = false;

  port.onmessage = ({ data }: MessageEvent<DiagramReply>) => {
    hasReplied = true;
    clearTimeout(timeout);
    if (data.type === 'failed') failed();
    if (data.type === 'drawn') drawn(data.height);
    if (data.type === 'picture' && data.png) pending.resolve(data.png);
    else if (data.type === 'picture') pending.reject(new Error('The frame could not create a picture.'));
  };
  // An opaque origin cannot be named as the target. `*` is safe, because `frame-src 'self'` keeps the frame within this site.
  frame.postMessage(undefined, '*', [port2]);
  draw();

  return {
    picture(): Promise<Blob> {
      pending = Promise.withResolvers();
      send({ type: 'picture' });
      return pending.promise;
    },
    close(): void {
      clearTimeout(timeout);
      window.removeEventListener('afterprint', restartTimeout);
      appearance.disconnect();
      port.close();
    },
  };
}
