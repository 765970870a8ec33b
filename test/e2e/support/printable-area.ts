/** The area between the margins of an A4 page, in CSS pixels. */
export const printableArea = { width: 658, height: 971 };
