import '../styles/enlarged.css';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslations } from 'use-intl/react';
import { Modal } from '../controls/modal.tsx';
import { ScrollBox } from './scroll-box.tsx';

type PictureDialogProps = {
  label: string;
  createPicture: () => Promise<Blob>;
  onClose: () => void;
};

/**
 * Shows a whole drawing, as large as the window and its resolution allow. A click or Enter shows at least its natural size, in
 * which it scrolls. Rendered outside the reply, because a focused control in a reply would become the scroll anchor.
 */
export function PictureDialog({ label, createPicture, onClose }: PictureDialogProps) {
  const t = useTranslations('pictures');
  const tCommand = useTranslations('commands');
  const [png] = useState(createPicture);
  const [url, setUrl] = useState<string>();
  const [hasFailed, setHasFailed] = useState(false);
  const [isWhole, setIsWhole] = useState(true);

  useEffect(() => {
    png.then(
      (blob) => setUrl(URL.createObjectURL(blob)),
      () => setHasFailed(true),
    );
  }, [png]);
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url]);

  return createPortal(
    <Modal label={label} className="modal enlarged" closeLabel={tCommand('close')} onClose={onClose}>
      {() =>
        hasFailed ? (
          <p role="alert">{t('failed')}</p>
        ) : (
          <ScrollBox label={label} onOpen={() => setIsWhole(!isWhole)}>
            <img
              className={isWhole ? undefined : 'natural'}
              alt={label}
              src={url}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight, style } }) => {
                // A picture has two pixels per CSS pixel.
                style.setProperty('--width', `${naturalWidth / 2}px`);
                style.setProperty('--ratio', `${naturalWidth / naturalHeight}`);
              }}
            />
          </ScrollBox>
        )
      }
    </Modal>,
    document.body,
  );
}
