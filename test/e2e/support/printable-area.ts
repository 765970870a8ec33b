/** The part of an A4 page between its margins, in CSS pixels. */
export const paper = { width: 658, height: 971 };
