import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Action } from '../controls/button.tsx';
import { canCopyPictures } from '../controls/clipboard.ts';
import { CopyPictureButton } from '../controls/copy-button.tsx';
import { saveBlob } from '../controls/save-file.ts';

type PictureActionsProps = { fileName: string; picture: () => Promise<Blob> };

/** Copies or saves a drawing as a PNG. */
export function PictureActions({ fileName, picture }: PictureActionsProps) {
  const t = useTranslations('pictures');
  const [hasFailed, setHasFailed] = useState(false);

  const save = async () => {
    try {
      saveBlob(`${fileName}.png`, await picture());
      setHasFailed(false);
    } catch {
      setHasFailed(true);
    }
  };

  return (
    <span className="picture-actions">
      {canCopyPictures() && <CopyPictureButton label={t('copy')} failure={t('failed')} picture={picture} />}
      <Action icon="download" label={t('save')} onClick={save} />
      <span role="status" className="copy-failed">
        {hasFailed && t('failed')}
      </span>
    </span>
  );
}
