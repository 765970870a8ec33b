export type LinkTarget = {
  /** The URL as the browser serializes it, in ASCII. */
  href: string;
  /** The host with its port, or the e-mail address. */
  destination: string;
};

/** Longer URLs are text. Bounds the time of parsing, which is repeated at each possible start. */
const maxAddressCharacters = 2000;

/** Requires both slashes and a host, and rejects user info and backslashes, which browsers treat as slashes. */
const webAddress = /^https?:\/\/[^/?#@\\\s\p{Cc}]+(?:[/?#][^\\\p{Cc}]*)?$/iu;

/** A single address. The query is dropped, because it could add recipients or text in the user's name. */
const mailAddress = /^mailto:([\w.+'-]+@[a-z\d-]+(?:\.[a-z\d-]+)*)(?:\?.*)?$/is;

/**
 * Parses the URL of a link in a reply. Returns undefined unless it is an e-mail address, or an absolute web address on a host other
 * than `ownHostname`: a link to this site could act on it, for example start a sign-in.
 */
export function readLinkTarget(
  address: string,
  ownHostname: string | undefined = globalThis.location?.hostname,
): LinkTarget | undefined {
  if (address.length > maxAddressCharacters) return undefined;
  const mail = mailAddress.exec(address)?.[1];
  if (mail !== undefined) return { href: `mailto:${mail}`, destination: mail };
  if (!webAddress.test(address) || !URL.canParse(address)) return undefined;
  const { href, host, hostname } = new URL(address);
  return hostname.replace(/\.$/, '') === ownHostname ? undefined : { href, destination: host };
}

/** Text that reads as a domain, an IP address, a URL or an e-mail address. */
const destinationName = /[\p{L}\p{N}_-]\p{M}*[.。․‧・･·۔]\p{M}*\p{L}{2}|\d(?:\.\d+){3}|:\/\/|@/u;

/**
 * Returns whether the `text` of a link names a different destination, or the same one in look-alike characters. The real
 * destination is then shown beside the link; otherwise the tooltip is enough.
 */
export function namesOtherDestination(text: string, target: LinkTarget): boolean {
  const words = text.split(/[\s\p{Ps}\p{Pe}\p{Pi}\p{Pf}"',;]+/u).map(withoutTrailingPunctuation);
  return words.some(
    (word) => destinationName.test(word.normalize('NFKC').replace(/\p{Cf}/gu, '')) && !namesDestination(word, target),
  );
}

/** Not a regular expression: it would restart at each punctuation mark, and take quadratic time. */
function withoutTrailingPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?…'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function namesDestination(word: string, { destination }: LinkTarget): boolean {
  if (!/^[!-~]+$/.test(word)) return false;
  const address = word.replace(/^(?:https?:\/\/|mailto:)/i, '').toLowerCase();
  return (
    address.startsWith(destination.toLowerCase()) && ['', '/', '?', '#'].includes(address.charAt(destination.length))
  );
}
