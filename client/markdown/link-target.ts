/** Where a link leads. */
export type LinkTarget = {
  /** The address in the browser's own spelling: all of it is ASCII. */
  href: string;
  /** What the reader has to know of it: the host, with its port where it has one, or the e-mail address. */
  place: string;
};

/** A longer address is text: reading it again at each place where one could begin would take too long. */
const maxAddressCharacters = 2000;

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
  if (written.length > maxAddressCharacters) return undefined;
  const mail = mailAddress.exec(written)?.[1];
  if (mail !== undefined) return { href: `mailto:${mail}`, place: mail };
  if (!webAddress.test(written) || !URL.canParse(written)) return undefined;
  const { href, host, hostname } = new URL(written);
  return hostname.replace(/\.$/, '') === ownHostname ? undefined : { href, place: host };
}

/** What reads as the name of a place in the net: a domain, the number of a host, an address. */
const placeName = /[\p{L}\p{N}_-]\p{M}*[.。․‧・･·۔]\p{M}*\p{L}{2}|\d(?:\.\d+){3}|:\/\/|@/u;

/**
 * Whether a link's `text` names another place than that to which it leads, or the same one in other letters. Then its reader
 * is told where it leads; otherwise the tooltip is enough.
 */
export function namesAnotherPlace(text: string, target: LinkTarget): boolean {
  const words = text.split(/[\s\p{Ps}\p{Pe}\p{Pi}\p{Pf}"',;]+/u).map(withoutEnd);
  return words.some((word) => placeName.test(word.normalize('NFKC').replace(/\p{Cf}/gu, '')) && !isAt(word, target));
}

/** The word without its trailing punctuation. A regular expression would restart at each mark in it. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?…'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function isAt(word: string, { place }: LinkTarget): boolean {
  if (!/^[!-~]+$/.test(word)) return false;
  const address = word.replace(/^(?:https?:\/\/|mailto:)/i, '').toLowerCase();
  return address.startsWith(place.toLowerCase()) && ['', '/', '?', '#'].includes(address.charAt(place.length));
}
