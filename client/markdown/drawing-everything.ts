/** The attribute of the root element while everything is drawn because the conversation will be printed. */
export const drawingEverything = 'data-drawing-everything';
