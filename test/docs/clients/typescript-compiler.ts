/*
 * What the two generators know as `typescript`. TypeScript 7 no longer has the interface that they write their output with.
 */
export { ts as default } from '@ts-morph/common';
