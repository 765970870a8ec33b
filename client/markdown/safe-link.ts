const protocols = new Set(['http:', 'https:', 'mailto:']);

/** Whether a reply may link to `href`: a whole web or e-mail address, nothing that runs, reads files or means this site. */
export function isSafeLink(href: string): boolean {
  return URL.canParse(href) && protocols.has(new URL(href).protocol);
}
