// The platform's own pages. They are small, need no scripts and load no other files.
import type { IncomingMessage } from 'node:http'
import { centred, escapeHtml, htmlType, pageStyle, platformHeaders, writePage } from '../lib/html.ts'
import type { Exchange } from './exchange.ts'

interface Page {
  status: number
  code: string
  title: string
  text: string
  headers?: string[]
}

const pages = {
  badRequest: {
    status: 400,
    code: 'invalid_request',
    title: 'Bad request',
    text: 'The URL of this page is not valid. Check it and try again.',
  },
  badHost: {
    status: 400,
    code: 'invalid_request',
    title: 'Bad request',
    text: 'The Host header of this request is not valid. It must name one host, such as example.com.',
  },
  unknownHost: {
    status: 404,
    code: 'not_found',
    title: 'No site here',
    text: 'There is no site at this address. Check the spelling, or deploy one.',
  },
  missing: {
    status: 404,
    code: 'not_found',
    title: 'Page not found',
    text: 'This site has no page at this address.',
  },
  noDeployment: {
    status: 404,
    code: 'not_found',
    title: 'Nothing deployed yet',
    text: 'This project has no deployment yet. Its first one shows up here the moment it is live: svc deploy',
  },
  membersOnly: {
    status: 401,
    code: 'unauthorized',
    title: 'For members only',
    text: 'Only members of the organization that owns this site can see it. Open it in a browser to sign in.',
    headers: ['WWW-Authenticate', 'Cookie realm="site"'],
  },
  passwordNeeded: {
    status: 401,
    code: 'unauthorized',
    title: 'Password needed',
    text: 'This page is protected. Reload it and enter the user name and the password that you were given.',
    headers: ['WWW-Authenticate', 'Basic realm="Protected", charset="UTF-8"'],
  },
  tooManyPasswords: {
    status: 429,
    code: 'rate_limit_exceeded',
    title: 'Too many tries',
    text: 'Too many wrong passwords came from your network. Please try again in ten minutes.',
    headers: ['Retry-After', '600'],
  },
  linkUsed: {
    status: 403,
    code: 'forbidden',
    title: 'This link is used up',
    text: 'A link works once and for one minute. Open the site again to get a new one.',
  },
  shareLinkOver: {
    status: 403,
    code: 'forbidden',
    title: 'This link no longer works',
    text: 'The link to this preview has expired or was revoked, or it is incomplete. Ask the person who sent it for a new one.',
  },
  foreignForm: {
    status: 403,
    code: 'forbidden',
    title: 'Sent from another site',
    text: 'The password was sent by a page of another site. Open this site and enter the password there.',
  },
  methodNotAllowed: {
    status: 405,
    code: 'invalid_request',
    title: 'Method not allowed',
    text: 'This site answers GET and HEAD only.',
    headers: ['Allow', 'GET, HEAD'],
  },
  notAcceptable: {
    status: 406,
    code: 'not_acceptable',
    title: 'Not acceptable',
    text: 'This file is not available in any encoding that the Accept-Encoding header of this request allows. Allow identity, or leave out the header.',
  },
  unknownMethod: {
    status: 501,
    code: 'not_implemented',
    title: 'Unknown method',
    text: 'This server does not know the method of this request. Method names are case-sensitive: GET, not get.',
  },
  appFailed: {
    status: 502,
    code: 'app_failed',
    title: 'The app did not answer',
    text: 'The app behind this site closed the connection or sent something that is not HTTP. If this is your site, see its logs: svc logs',
  },
  appUnavailable: {
    status: 503,
    code: 'app_unavailable',
    title: 'The app is not running',
    text: 'The app behind this site could not be started, or is still starting. Please try again in a few seconds.',
    headers: ['Retry-After', '5'],
  },
  appOverloaded: {
    status: 503,
    code: 'app_unavailable',
    title: 'Too many requests',
    text: 'This site is receiving more requests than it can handle. Please try again in a few seconds.',
    headers: ['Retry-After', '5'],
  },
  appTimedOut: {
    status: 504,
    code: 'app_timeout',
    title: 'The app took too long',
    text: 'The app behind this site did not answer in time. Please try again in a few seconds.',
  },
  certificatePending: {
    status: 503,
    code: 'certificate_pending',
    title: 'Fetching the certificate',
    text: 'This platform is fetching its certificate for HTTPS. Until then it takes no passwords, because they would travel unencrypted. This page reloads by itself. If it takes longer than a few minutes, run on the server: svcd doctor',
    headers: ['Retry-After', '5', 'Refresh', '5'],
  },
  unavailable: {
    status: 503,
    code: 'internal',
    title: 'Back in a moment',
    text: 'This site cannot be shown right now. Please try again shortly.',
    headers: ['Retry-After', '5'],
  },
} satisfies Record<string, Page>

/** Headers that forbid every cache to store the answer. */
export const noStore = ['Cache-Control', 'private, no-store', 'Vary', 'Accept, Cookie']

export type PageName = keyof typeof pages

const style = pageStyle(
  [
    centred,
    '.status{color:var(--faint);font:600 .8125rem/1 ui-monospace,monospace;letter-spacing:.08em}h1{margin-top:.75rem}.id{color:var(--faint);font:.75rem/1.5 ui-monospace,monospace}.id a{color:inherit}',
  ],
  // Nothing on these pages can be changed by a press. In a frame, as the dashboard shows a site, they say what is wrong.
  { frameAncestors: '*' },
)

export const jsonType = 'application/json; charset=utf-8'

/** The body of a JSON error, with the fields of the API's errors. */
export const errorLine = (code: string, message: string, requestId: string): string =>
  `${JSON.stringify({ error: { code, message, request_id: requestId } })}\n`

function linkTo(abuse: string): string {
  const url = abuse.includes('://') ? abuse : `mailto:${abuse}`
  return `<a href="${escapeHtml(url)}" rel="nofollow noreferrer">Report abuse</a>`
}

const formats = {
  html: {
    type: htmlType,
    write: ({ status, title, text }: Page, id: string, abuse: string | undefined) =>
      writePage(
        title,
        style,
        `<div class="status">${status}</div>\n<h1>${title}</h1>\n<p>${escapeHtml(text)}</p>\n<p class="id">Request ${id}${abuse === undefined ? '' : `<br>${linkTo(abuse)}`}</p>`,
      ),
  },
  json: {
    type: jsonType,
    write: ({ code, text }: Page, id: string) => errorLine(code, text, id),
  },
  text: {
    type: 'text/plain; charset=utf-8',
    write: ({ title, text }: Page, id: string, abuse: string | undefined) =>
      `${title}. ${text}\nRequest ${id}\n${abuse === undefined ? '' : `Report abuse: ${abuse}\n`}`,
  },
}

export const sendPage = (exchange: Exchange, name: PageName): void => send(exchange, pages[name])

const suspendedTitles = { 451: 'Unavailable for legal reasons', 503: 'This site is suspended' }

/** The operator of the platform gives the reason, as plain text. */
export function sendSuspended(
  exchange: Exchange,
  { status, reason }: { status: 451 | 503; reason: string },
): void {
  send(exchange, { status, code: 'suspended', title: suspendedTitles[status], text: reason })
}

function send(exchange: Exchange, page: Page): void {
  const format = formats[formatFor(exchange.req.headers.accept)]
  const body = format.write(page, exchange.requestId, exchange.abuseContact)
  const { status, headers } = page
  sendPlatformAnswer(exchange, { status, type: format.type, body, policy: style.policy, headers })
}

interface PlatformAnswer {
  status: number
  type: string
  body: string
  /** The Content-Security-Policy of the page. */
  policy?: string
  headers?: readonly string[] | undefined
}

/** Sends an answer of the platform itself. No cache may store it. */
export function sendPlatformAnswer(
  exchange: Exchange,
  { status, type, body, policy, headers = [] }: PlatformAnswer,
): void {
  const own = Object.entries(platformHeaders(type, body, policy)).flat()
  exchange.answer(status, [...own, ...noStore, ...headers], Buffer.from(body))
}

/** Sends a redirect. Caches must revalidate even a permanent redirect, because the next deployment may have other rules. */
export function sendRedirect(
  exchange: Exchange,
  { status, location }: { status: number; location: string },
  { guarded }: { guarded: boolean },
): void {
  exchange.answer(status, [
    'Location',
    location,
    'Content-Length',
    '0',
    ...(guarded ? noStore : ['Cache-Control', 'public, max-age=0, must-revalidate']),
    'X-Content-Type-Options',
    'nosniff',
  ])
}

export const acceptsHtml = ({ headers }: IncomingMessage): boolean => formatFor(headers.accept) === 'html'

/** Returns HTML if the client accepts it or sends no Accept header, else JSON if the client accepts it, else plain text. */
function formatFor(accept: string | undefined): keyof typeof formats {
  if (accept === undefined || /text\/(?:html|\*)|\*\/\*/i.test(accept)) return 'html'
  return /[/+]json\b/i.test(accept) ? 'json' : 'text'
}
