import { useSettings } from '../settings/settings-provider.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The list beside the conversation. */
export function ConversationListColumn(props: ConversationListProps) {
  const { settings } = useSettings();
  if (settings.isListFolded) return null;
  return (
    <div className="list-column">
      <ConversationList {...props} />
    </div>
  );
}
