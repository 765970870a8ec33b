import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Turn } from '../chat/turn.ts';
import type { Drawing } from '../reading/drawing.ts';
import { estimatedHeight } from '../reading/estimated-height.ts';
import { FarTurn } from './far-turn.tsx';
import { TurnView } from './turn-view.tsx';

type TurnFrameProps = {
  turn: Turn;
  isLast: boolean;
  /** Whether it is drawn whole from the start: it is in view then, or next to it. */
  isNear: boolean;
  drawing: Drawing;
  children?: ReactNode;
};

/** The place of a turn on the page: drawn whole when it comes near to the window, and not laid out while it is out of view. */
export const TurnFrame = memo(function TurnFrame({ turn, isLast, isNear, drawing, children }: TurnFrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isDrawn, setIsDrawn] = useState(isNear);
  const [height] = useState(() => estimatedHeight(turn.question) + estimatedHeight(turn.reply));
  const isWhole = isDrawn || isNear;

  useEffect(() => {
    if (isWhole || box.current === null) return;
    return drawing.add(box.current, () => setIsDrawn(true));
  }, [isWhole, drawing]);

  return (
    <div ref={box} className="turn" style={{ containIntrinsicBlockSize: `auto ${height}px` }}>
      {isWhole ? <TurnView turn={turn} isLast={isLast} /> : <FarTurn turn={turn} />}
      {children}
    </div>
  );
});
