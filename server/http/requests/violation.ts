import { z } from 'zod';

/** A violation of the Content-Security-Policy as the log has it: what broke which rule and where, without contents. */
export type Violation = {
  directive: string;
  /** The origin, or the scheme, of what was blocked, or a word such as `inline`. */
  blocked: string;
  /** The path of the script or style sheet that did it. */
  source: string | undefined;
  line: number | undefined;
  /** The path of the page. */
  page: string | undefined;
};

/** Reports are anybody's words: what is longer is cut. */
const mostCharacters = 200;

const text = z.string().optional().catch(undefined);
const number = z.number().int().nonnegative().optional().catch(undefined);

/** `application/csp-report`: what `report-uri` sends. */
const oldReport = z.object({
  'csp-report': z.object({
    'effective-directive': text,
    'violated-directive': text,
    'blocked-uri': text,
    'source-file': text,
    'line-number': number,
    'document-uri': text,
  }),
});

/** `application/reports+json`: what `report-to` sends, several at once. */
const newReport = z.object({
  type: z.literal('csp-violation'),
  body: z.object({
    effectiveDirective: text,
    blockedURL: text,
    sourceFile: text,
    lineNumber: number,
    documentURL: text,
  }),
});

/** The first `most` violations in a parsed report of either form; what is no report counts for none. */
export function readViolations(report: unknown, most: number): Violation[] {
  const reports = Array.isArray(report) ? report.slice(0, most) : [report];
  return reports.map(readViolation).filter((violation) => violation !== undefined);
}

function readViolation(report: unknown): Violation | undefined {
  const old = oldReport.safeParse(report).data?.['csp-report'];
  if (old !== undefined) {
    return {
      directive: word(old['effective-directive'] ?? old['violated-directive']),
      blocked: origin(old['blocked-uri']),
      source: path(old['source-file']),
      line: old['line-number'],
      page: path(old['document-uri']),
    };
  }
  const body = newReport.safeParse(report).data?.body;
  if (body === undefined) return undefined;
  return {
    directive: word(body.effectiveDirective),
    blocked: origin(body.blockedURL),
    source: path(body.sourceFile),
    line: body.lineNumber,
    page: path(body.documentURL),
  };
}

/** Directives and what they block by kind (`inline`, `eval`) are words; anything else is not repeated. */
function word(value = ''): string {
  return /^[a-z-]{1,40}/.exec(value)?.[0] ?? 'unknown';
}

function origin(value = ''): string {
  const url = URL.parse(value);
  if (url === null) return word(value);
  return cut(url.origin === 'null' ? url.protocol : url.origin);
}

/** Without the query: that of a sign-in carries a code. */
function path(value: string | undefined): string | undefined {
  const url = value === undefined ? null : URL.parse(value);
  if (url === null) return undefined;
  return cut(url.origin === 'null' ? url.protocol : url.pathname);
}

function cut(value: string): string {
  return value.slice(0, mostCharacters);
}
