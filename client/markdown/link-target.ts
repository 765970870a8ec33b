/** Where a link leads. */
export type LinkTarget = {
  /** The address in the browser's own spelling: all of it is ASCII. */
  href: string;
  /** What the reader has to know of it: the host, with its port where it has one, or the e-mail address. */
  place: string;
};

/** Both slashes, a host, no account before the host, no backslash, which browsers take for a slash. */
const webAddress = /^https?:\/\/[^/?#@\\\s\p{Cc}]+(?:[/?#][^\\\p{Cc}]*)?$/iu;

/** One plain address. What follows the `?` would write in the reader's name, or add recipients: it is left out. */
const mailAddress = /^mailto:([\w.+'-]+@[a-z\d-]+(?:\.[a-z\d-]+)*)(?:\?.*)?$/is;

/**
 * Reads the address of a link in a reply; undefined where a reply may not link there. It may link to whole web and e-mail
 * addresses, but not to this site, at `ownHostname`: a reply must not sign anybody in.
 */
export function readLinkTarget(
  written: string,
  ownHostname: string | undefined = globalThis.location?.hostname,
): LinkTarget | undefined {
  const mail = mailAddress.exec(written)?.[1];
  if (mail !== undefined) return { href: `mailto:${mail}`, place: mail };
  if (!webAddress.test(written) || !URL.canParse(written)) return undefined;
  const { href, host, hostname } = new URL(written);
  return hostname.replace(/\.$/, '') === ownHostname ? undefined : { href, place: host };
}

/** Whether a link's `text` already tells its reader where it leads: it is an address at that very place. */
export function namesPlace(text: string, { place }: LinkTarget): boolean {
  if (!/^[!-~]+$/.test(text)) return false;
  const address = text.replace(/^(?:https?:\/\/|mailto:)/i, '').toLowerCase();
  const rest = address.startsWith(place.toLowerCase()) ? address.charAt(place.length) : undefined;
  return rest !== undefined && ['', '/', '?', '#'].includes(rest);
}
