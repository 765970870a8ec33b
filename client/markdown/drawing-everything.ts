/** An attribute of the root element while all diagrams and formulas are drawn for printing. */
export const drawingEverythingAttribute = 'data-drawing-everything';
