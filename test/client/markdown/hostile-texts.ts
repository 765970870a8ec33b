/** A reply that tries to harm or mislead its reader, and the visible text and URL of every link that is rendered for it. */
export type HostileText = {
  name: string;
  written: string;
  links: readonly { shown: string; href: string }[];
};

export const ownAddress = 'https://chat.example:8443/chat';

const refused = (name: string, written: string): HostileText => ({ name, written, links: [] });

const named = (name: string, written: string, shown: string, href: string): HostileText => ({
  name,
  written,
  links: [{ shown, href }],
});

/** Returns a text whose only link leads to `origin` and shows it. */
const bare = (name: string, written: string, origin: string) => named(name, written, origin, `${origin}/`);

/** Returns a text whose only link leads to `href` and shows its host after `said`, the text of the link. */
const misnamed = (name: string, said: string, href: string) =>
  named(name, `[${said}](${href})`, `${said} (${new URL(href).host})`, href);

/** Returns a text whose only link leads to evil.example and shows this host after `said`, which is the text of the link by default. */
const evil = (name: string, said: string, written = `[${said}](https://evil.example)`) =>
  named(name, written, `${said} (evil.example)`, 'https://evil.example/');

/** Returns a text whose only link leads to `href` and shows it. */
const itself = (name: string, written: string, href: string) => named(name, written, href, href);

const cyrillic = 'https://аррӏе.example/';
const punycode = 'https://xn--80ak6aa92e.example/';

/** Add new attacks here and remove none. The text of a link with a refused URL stays, without the URL. */
export const hostileTexts: readonly HostileText[] = [
  // URLs that are invalid, have no scheme, or have another scheme than HTTP
  refused('a script', '[a](javascript:alert(1))'),
  refused('a script in capitals', '[a](JAVASCRIPT:alert(1))'),
  refused('a script after a space', '[a](< javascript:alert(1)>)'),
  refused('a script after a control character', '[a](<\u0001javascript:alert(1)>)'),
  refused('a script with a tab in it', '[a](<java\tscript:alert(1)>)'),
  refused('a script with a tab as an entity', '[a](java&Tab;script:alert(1))'),
  refused('a script with a line end as an entity', '[a](java&NewLine;script:alert(1))'),
  refused('a script with its colon as an entity', '[a](javascript&colon;alert(1))'),
  refused('a script with its colon encoded', '[a](javascript%3Aalert(1))'),
  refused('a script between angle brackets', '<javascript:alert(1)>'),
  refused('another scripting language', '[a](vbscript:alert(1))'),
  refused('a page in a data URL', '[a](data:text/html,<script>alert(1)</script>)'),
  refused('a picture in a data URL', '![a](data:image/svg+xml,<svg/onload=alert(1)>)'),
  refused('a blob URL', '[a](blob:null/1)'),
  refused('the source of a page', '[a](view-source:evil.example)'),
  refused('a file', '[a](file:///etc/passwd)'),
  refused('a file server', '[a](ftp://evil.example/)'),
  refused('a program on the device', '[a](ms-word:ofe|u|evil.example/a.docx)'),
  refused('a telephone number', '[a](tel:+4900000)'),
  refused('an address without a scheme', '[a](evil.example)'),
  refused('an address without a scheme, bare', 'evil.example and www.evil.example'),
  refused('an address without its host', '[a](https://)'),
  refused('an address with an invalid host', '[a](https://evil..%00.example/)'),
  refused('a full-width slash', '[a](https://bank.example／.evil.example/)'),

  // Addresses of this site
  refused('a path', '[a](/auth/github)'),
  refused('a path without its slash', '[a](auth/github)'),
  refused('a path from the host', '[a](//chat.example/auth/github)'),
  refused('a path with backslashes', '[a](\\\\\\\\chat.example/auth/github)'),
  refused('a query', '[a](?problem=suspended)'),
  refused('a fragment of the page', '[a](#main)'),
  refused('a path that looks like an address', '[a](https:auth/github)'),
  refused('a path that looks like an address, with a slash', '[a](https:/auth/github)'),
  refused('a path that looks like an address, in capitals', '[a](HTTPS:auth/github)'),
  refused('this site', '[a](https://chat.example:8443/auth/github)'),
  refused('this site, bare', 'https://chat.example:8443/auth/github'),
  refused('this site, between angle brackets', '<https://chat.example:8443/auth/github>'),
  refused('this site, as an image', '![a](https://chat.example:8443/auth/github)'),
  refused('this site in capitals', '[a](HTTPS://CHAT.EXAMPLE:8443/auth/github)'),
  refused('this site with an encoded host', '[a](https://%63hat.example:8443/auth/github)'),
  refused('this site in full-width letters', '[a](https://ｃｈａｔ.example:8443/auth/github)'),
  refused('this site with another full stop', '[a](https://chat。example:8443/auth/github)'),
  refused('this site with a soft hyphen', '[a](https://ch\u00ADat.example:8443/auth/github)'),
  refused('this site with a full stop at its end', '[a](https://chat.example.:8443/auth/github)'),
  refused('this site over plain HTTP', '[a](http://chat.example/auth/github)'),
  refused('this site on another port', '[a](https://chat.example/auth/github)'),

  // URLs whose host is hard to recognize
  refused('a bank as the user name', '[a](https://bank.example@evil.example/)'),
  refused('a bank as the user name and a port as the password', '[a](https://bank.example:443@evil.example/)'),
  refused('a bank as the user name, encoded', '[a](https://bank.example%40x@evil.example/)'),
  refused('an empty user name', '[a](https://@evil.example/)'),
  bare('a bank as the user name, bare', 'https://bank.example@evil.example/', 'https://bank.example'),
  refused('a bank as the user name, between angle brackets', '<https://bank.example@evil.example/>'),
  refused('a backslash before the host', '[a](https:/\\\\evil.example/)'),
  refused('backslashes instead of slashes', '[a](https:\\\\\\\\evil.example/)'),
  refused('a backslash after the host', '[a](<https://evil.example\\\\@bank.example/>)'),
  refused('a third slash', '[a](https:///evil.example/)'),
  refused('a tab in the host', '[a](<https://evil\t.example/>)'),
  refused('a tab in the host, as an entity', '[a](https://bank.example&Tab;.evil.example/)'),
  bare('a line end in the host', '[a](<https://evil\n.example/>)', 'https://evil'),
  refused('a space in the host', '[a](<https://bank.example .evil.example/>)'),

  // Text that names a different URL than the link's, or none
  evil('the address of a bank', 'https://bank.example'),
  misnamed('the host of a bank', 'bank.example', 'https://evil.example/bank.example'),
  evil('the host of a bank in capitals', 'BANK.EXAMPLE'),
  evil('the host of a bank in parts', 'bank.example', '[bank.**example**](https://evil.example)'),
  evil('the host of a bank as code', 'bank.example', '[`bank.example`](https://evil.example)'),
  evil('an address that begins like that of the link', 'https://evil.example.bank.example'),
  misnamed('the beginning of another host', 'https://bank.example', 'https://bank.example.evil.example/'),
  misnamed('another port', 'https://bank.example', 'https://bank.example:8080/'),
  evil('its own host and another one', 'evil.example or bank.example'),
  evil('a bank with another full stop', 'bank。example'),
  evil('a bank with a one-dot leader as its full stop', 'bank․example'),
  evil('a bank in a sentence', 'Go to “bank.example”, now!'),
  evil('a bank as an IP address', '192.0.2.1'),
  evil('a bank behind its own host', 'evil.example/\u2800bank.example'),
  evil('the host of a bank with an invisible space', 'bank\u200B.example'),
  named(
    'the address of an image',
    '![https://bank.example](https://evil.example/p.png)',
    'https://bank.example (evil.example)',
    'https://evil.example/p.png',
  ),
  named('a word', '[here](https://evil.example)', 'here', 'https://evil.example/'),
  itself('nothing', '[](https://evil.example/a)', 'https://evil.example/a'),
  itself('a space', '[ ](https://evil.example/a)', 'https://evil.example/a'),
  itself('nothing visible', '[\u200B](https://evil.example/)', 'https://evil.example/'),

  // Homoglyphs, and other notations of a host
  named('a host in Cyrillic letters', `[а](${cyrillic})`, 'а', punycode),
  named('a host in Cyrillic letters, bare', cyrillic, `${cyrillic} (xn--80ak6aa92e.example)`, punycode),
  named('such a host between angle brackets', `<${cyrillic}>`, `${cyrillic} (xn--80ak6aa92e.example)`, punycode),
  itself('a host in Punycode, bare', punycode, punycode),
  named(
    'one letter of another script',
    '[bank.example](https://bаnk.example/)',
    'bank.example (xn--bnk-6cd.example)',
    'https://xn--bnk-6cd.example/',
  ),
  named('a host as a number', '[a](http://2130706433/)', 'a', 'http://127.0.0.1/'),
  named('a host as a number, bare', 'http://0x7f000001', 'http://0x7f000001 (127.0.0.1)', 'http://127.0.0.1/'),
  evil('an encoded host, bare', 'https://%65vil.example/', '<https://%65vil.example/>'),

  // Bidirectional text
  evil('a bank written backwards', 'elpmaxe.knab', '[\u202Eelpmaxe.knab\u202C](https://evil.example)'),
  evil('a bank written backwards in bold', 'elpmaxe.knab', '[**\u2067elpmaxe.knab\u2069**](https://evil.example)'),
  evil('a bank written backwards as code', 'elpmaxe.knab', '[`\u202Eelpmaxe.knab`](https://evil.example)'),
  named(
    'its own host written backwards',
    '[\u202Eevil.example](https://evil.example)',
    'evil.example',
    'https://evil.example/',
  ),
  itself('nothing but directional marks', '[\u202E\u200F](https://evil.example)', 'https://evil.example/'),

  // E-mails
  named('an e-mail with a body', '[a](mailto:j@evil.example?subject=Yes&body=I+agree)', 'a', 'mailto:j@evil.example'),
  named(
    'an e-mail with further recipients',
    '<mailto:j@evil.example?bcc=k@evil.example>',
    'mailto:j@evil.example?bcc=k@evil.example',
    'mailto:j@evil.example',
  ),
  named(
    'an e-mail to someone other than its text says',
    '[j@bank.example](mailto:j@evil.example)',
    'j@bank.example (j@evil.example)',
    'mailto:j@evil.example',
  ),
  refused('an e-mail to two recipients', '[a](mailto:j@evil.example,k@evil.example)'),
  refused('an e-mail without a recipient in its path', '[a](mailto:?to=j@evil.example)'),
  refused('an e-mail with injected headers', '[a](mailto:j@evil.example%0D%0ABcc:k@evil.example)'),
  refused('an e-mail to a host in Cyrillic letters', '[a](mailto:j@bаnk.example)'),

  // Nested links, which browsers separate
  named('an image in a link', '[![a](https://a.example)](https://b.example)', 'a', 'https://b.example/'),
  named('a bold image in a link', '[**![a](https://a.example)**](https://b.example)', 'a', 'https://b.example/'),

  // HTML, an attribute and the definition of a link
  refused('a script element', '<script>alert(1)</script>'),
  refused('a picture with a script', '<img src=x onerror=alert(1)>'),
  refused('a frame', '<iframe srcdoc="<script>alert(1)</script>"></iframe>'),
  refused('a form', '<form action="/auth/sign-out" method="post"><button>Yes</button></form>'),
  refused('a link in HTML', '<a href="javascript:alert(1)">a</a>'),
  refused('a style', '<style>* { display: none }</style>'),
  refused('a comment', '<!-- a -->'),
  refused('another base URL', '<base href="//evil.example/">'),
  refused('a redirect', '<meta http-equiv="refresh" content="0;url=//evil.example/">'),
  refused('an attribute in the language of code', '```"onmouseover="alert(1)\na\n```'),
  bare('a link that is defined elsewhere', '[a][b]\n\n[b]: https://evil.example', 'https://evil.example'),
];
