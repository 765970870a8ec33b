/** The oldest versions of the browsers in which the page works. Firefox 128 is an ESR. */
export const browsers = { Chrome: '123', Edge: '123', Firefox: '128', Safari: '17.5' } as const;

export const browserList = Object.entries(browsers)
  .map(([name, version]) => `${name} ${version}`)
  .join(', ');
