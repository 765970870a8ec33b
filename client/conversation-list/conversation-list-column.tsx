import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import { listWidths } from '../settings/settings.ts';
import { useSettings } from '../settings/settings-provider.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The resizable list beside the conversation. */
export function ConversationListColumn(props: ConversationListProps) {
  const t = useTranslations('conversations');
  const { settings, change } = useSettings();
  const { listWidth } = settings;
  const column = useRef<HTMLDivElement>(null);
  const isLeftToRight = () => document.documentElement.dir !== 'rtl';

  const setWidth = (rem: number) => {
    const { min, max } = listWidths;
    change({ listWidth: Math.round(Math.min(max, Math.max(min, rem)) * 4) / 4 });
  };
  const onPointerMove = ({ clientX, buttons }: PointerEvent) => {
    const box = column.current?.getBoundingClientRect();
    if (buttons === 0 || box === undefined) return;
    const pixels = isLeftToRight() ? clientX - box.left : box.right - clientX;
    setWidth(pixels / Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Partial<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setWidth(listWidth + (isLeftToRight() ? step : -step));
  };
  if (settings.isListFolded) return null;
  return (
    <div ref={column} className="list-column" style={{ width: `${listWidth}rem` }}>
      <ConversationList
        {...props}
        edge={
          // biome-ignore lint/a11y/useSemanticElements: an `hr` has no value to set
          <div
            className="list-edge"
            role="separator"
            aria-label={t('width')}
            aria-orientation="vertical"
            aria-valuemin={listWidths.min}
            aria-valuemax={listWidths.max}
            aria-valuenow={listWidth}
            tabIndex={0}
            onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
            onPointerMove={onPointerMove}
            onKeyDown={onKeyDown}
          />
        }
      />
    </div>
  );
}
