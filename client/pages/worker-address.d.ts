/** The address of a built worker. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
