import { BlockList, isIP } from 'node:net';

export type Proxies = {
  /** The address of the proxy for http:// and for https:// requests, with credentials if it has any. */
  http: string | undefined;
  https: string | undefined;
  /** Hosts that are requested directly, in lower case: `example.com` (and its subdomains), `host:port`, `10.0.0.0/8`, `*`. */
  exceptions: readonly string[];
};

/** Returns the address of the proxy for requests to `address`; undefined for a direct connection, as to this machine. */
export function proxyFor({ http, https, exceptions }: Proxies, address: string): string | undefined {
  const url = new URL(address);
  const proxy = url.protocol === 'https:' ? https : http;
  const host = url.hostname.replace(/^\[(.*)\]$|\.$/g, '$1');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const isDirect = isLoopback(host) || exceptions.some((exception) => matches(exception, host, port));
  return isDirect ? undefined : proxy;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isInSubnet(host, '127.0.0.0', 8) || host === '::1';
}

function matches(exception: string, host: string, port: string): boolean {
  const [, bracketed, subnet, bits, name, onlyPort] = exceptionPattern.exec(exception) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (subnet !== undefined) return isInSubnet(host, subnet, Number(bits));
  const excepted = bracketed ?? name ?? exception;
  if (excepted === '*') return true;
  const domain = excepted.replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

/** An IPv6 address in brackets, a subnet, or a name or IPv4 address, each with an optional port. */
const exceptionPattern = /^(?:\[([^\]]+)\]|([\da-f.:]+)\/(\d{1,3})|([^:/]+))(?::(\d+))?$/;

function isInSubnet(host: string, network: string, bits: number): boolean {
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(host) === 0 || isIP(host) !== isIP(network) || bits > (family === 'ipv6' ? 128 : 32)) return false;
  const subnet = new BlockList();
  subnet.addSubnet(network, bits, family);
  return subnet.check(host, family);
}
