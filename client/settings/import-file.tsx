import { type ChangeEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import type { ConversationList, Imported, ImportRefusal } from '../conversations/conversations.ts';

/** Takes in a file that was downloaded before, and says what came of it. */
export function ImportFile({ list }: { list: ConversationList }) {
  const say = useTranslations('deviceData');
  const sayRefusal = useTranslations('importRefusals');
  const [imported, setImported] = useState<Imported>();
  const input = useRef<HTMLInputElement>(null);

  const take = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    // The same file can be chosen again.
    currentTarget.value = '';
    const text = await file.text().catch(() => '');
    setImported(await list.importFile(text));
  };
  const sentence = ({ why, entry }: ImportRefusal) => {
    if (entry === null) return sayRefusal(why);
    const { place, title } = entry;
    return title === ''
      ? sayRefusal('unnamed', { place, why: sayRefusal(why) })
      : sayRefusal('named', { title, why: sayRefusal(why) });
  };
  return (
    <>
      <input ref={input} type="file" accept="application/json,.json" hidden onChange={take} />
      <Button onClick={() => input.current?.click()}>{say('importFile')}</Button>
      <div role="status">
        {imported && (
          <>
            <p>{say('imported', { added: imported.added, unchanged: imported.unchanged })}</p>
            {imported.refused.length > 0 && (
              <>
                <p className="field-error">{say('refused', { count: imported.refused.length })}</p>
                <ul className="refused">
                  {[...new Set(imported.refused.map(sentence))].map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </>
  );
}
