import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Drawing } from '../reading/drawing.ts';
import { estimatedHeight } from '../reading/estimated-height.ts';
import { FarTurn } from './far-turn.tsx';
import { TurnView, type TurnViewProps } from './turn-view.tsx';

type TurnFrameProps = TurnViewProps & {
  /** Whether it is drawn whole from the start: it is in view then, or next to it. */
  isNear: boolean;
  drawing: Drawing;
  children?: ReactNode;
};

/** The place of a turn on the page: drawn whole when it comes near to the window, and not laid out while it is out of view. */
export const TurnFrame = memo(function TurnFrame({ isNear, drawing, children, ...shown }: TurnFrameProps) {
  const { turn } = shown;
  const box = useRef<HTMLDivElement>(null);
  const [isDrawn, setIsDrawn] = useState(isNear);
  const characters = turn.question.length + turn.reply.length;
  const [height] = useState(() => estimatedHeight(turn.question) + estimatedHeight(turn.reply));

  // What was drawn once stays so when newer turns come below it.
  if (isNear && !isDrawn) setIsDrawn(true);

  useEffect(() => {
    if (isDrawn || box.current === null) return;
    return drawing.add(box.current, characters, () => setIsDrawn(true));
  }, [isDrawn, characters, drawing]);

  return (
    <div ref={box} className="turn" data-turn={turn.id} style={{ containIntrinsicBlockSize: `auto ${height}px` }}>
      {isDrawn ? <TurnView {...shown} /> : <FarTurn turn={turn} />}
      {children}
    </div>
  );
});
