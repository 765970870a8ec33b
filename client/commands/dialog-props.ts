/** What each dialog of the page is given. */
export type PageDialogProps = { onClose: () => void };
