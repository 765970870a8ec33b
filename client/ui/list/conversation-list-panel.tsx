import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useMedia } from '../../browser/use-media.ts';
import { useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { Modal } from '../../controls/modal.tsx';
import { useSettings } from '../../settings/settings-provider.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The button that shows and hides the list: beside the conversation on a wide screen, otherwise in a drawer. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const t = useTranslations('commands');
  const [open, setOpen] = useState<'list' | 'search'>();
  const { settings, change } = useSettings();
  const { isListFolded } = settings;
  // The same breakpoint as in the styles.
  const isBeside = useMedia('(width >= 64rem)');
  const isVisible = isBeside ? !isListFolded : open !== undefined;

  useEffect(() => {
    // `showModal` focuses the first control of the dialog, which is not the search field.
    if (open === 'search') searchFieldIn('.drawer')?.focus();
  }, [open]);

  const toggle = () => {
    if (isBeside) change({ isListFolded: !isListFolded });
    else setOpen('list');
  };
  useRegisterCommands({
    list: toggle,
    search() {
      const beside = searchFieldIn('.list-column');
      if (beside?.checkVisibility()) beside.focus();
      else setOpen('search');
    },
  });
  return (
    <div className="drawer-button" data-folded={isListFolded}>
      <Button
        kind="quiet"
        title={t('conversations')}
        aria-label={t('conversations')}
        aria-expanded={isVisible}
        onClick={toggle}
      >
        <Icon name="list" />
      </Button>
      {open && (
        <Modal
          label={t('conversations')}
          className="modal drawer"
          closeLabel={t('close')}
          onClose={() => setOpen(undefined)}
        >
          {(close) => (
            <ConversationList
              {...rest}
              onNew={() => {
                close();
                onNew();
              }}
              onOpen={(id, result) => {
                close();
                onOpen(id, result);
              }}
            />
          )}
        </Modal>
      )}
    </div>
  );
}

function searchFieldIn(container: string): HTMLElement | null {
  return document.querySelector(`${container} [type="search"]`);
}

export function ConversationListColumn(props: ConversationListProps) {
  const { settings } = useSettings();
  if (settings.isListFolded) return null;
  return (
    <div className="list-column">
      <ConversationList {...props} />
    </div>
  );
}
