// Random conversations: what a client sends, and what the app answers to it.
import fc from 'fast-check'
import { hostileAnswers, tooLongAnswers, unfinishedAnswers } from './hostile-answers.ts'

/** What the app does with one request. */
export interface Reply {
  /** Written in turn, each in a packet of its own. */
  chunks: string[]
  /** Whether the app then closes the connection. */
  closes: boolean
}

export interface Step {
  method: string
  path: string
  chunks: string[]
  /** Whether the client waits for the answer before it sends the next request. */
  waits: boolean
  reply: Reply
}

export const paths = ['/', '/a', '/a?x=1', '/b%20c', '/d"e', '/_svcx']

const cuts = fc.oneof(
  { weight: 3, arbitrary: fc.constant<number[]>([]) },
  fc.array(fc.nat({ max: 500 }), { maxLength: 3 }),
)

function cutAt(bytes: string, at: number[]): string[] {
  const points = [0, ...at.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return points.slice(1).flatMap((point, i) => bytes.slice(points[i], point) || [])
}

export const requestField = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['User-Agent: Mozilla/5.0', 'Accept: text/html,*/*;q=0.8', 'Accept-Language: nl,en;q=0.5'],
      ...['Accept-Encoding: gzip, br', 'Cookie: a=b; c=\xe4', 'Sec-Fetch-Mode: navigate'],
      ...['Accept-Encoding: br;q=0.9, gzip;q=0.5', 'If-None-Match: "other", W/"strong"'],
      ...['Connection: keep-alive', 'Authorization: Basic YTpi', 'If-None-Match: "x"', 'X-Odd:\t\x80\xff \t'],
    ),
  },
  fc.constantFrom(
    ...['Cookie: svc-visit=1; a=b', 'Cookie: second=1', 'X-Forwarded-For: 6.6.6.6', 'x-forwarded-evil: 1'],
    ...[
      'X-FORWARDED-HOST: evil.test',
      'Forwarded: for=6.6.6.6',
      'X-Real-IP: 6.6.6.6',
      'Keep-Alive: timeout=5',
    ],
    ...[
      'X-Svc-Request-Id: mine',
      'Proxy-Authorization: Basic x',
      'X-Forwardedness: kept',
      'X-Original-URL: /evil',
    ],
    ...[
      'X-Nextjs-Data: 1',
      'X-Svc-Cron: 1',
      'Connection: keep-alive, X-Odd',
      'Range: bytes=0-1',
      'TE: trailers',
    ],
    ...['If-Match: "x"', 'Content-Length: 0', 'Upgrade: foo', 'Trailer: X', 'Proxy-Connection: keep-alive'],
    ...[
      'Front-End-Https: on',
      'X-Scheme: https',
      'Accept-Encoding: identity;q=0, gzip',
      'Cache-Control: no-transform',
      'Empty:',
      'If-Modified-Since: Sat, 31 Jan 2026 12:30:15 GMT',
    ],
  ),
)

const statusLine = fc.oneof(
  { weight: 6, arbitrary: fc.constant('200 OK') },
  fc.constantFrom(
    '404 Not Found',
    '500 Internal Server Error',
    '302 Found',
    '206 Partial Content',
    '418 Tea \xfc',
  ),
  fc.constantFrom(
    '200 ',
    '200',
    '205 Reset Content',
    '599 x',
    '226 IM Used',
    '304 Not Modified',
    '204 No Content',
  ),
)

const answerField = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        'X-Powered-By: Express',
        'Content-Type: text/html; charset=utf-8',
        'Content-Type: application/json',
      ],
      ...[
        'ETag: W/"4-abc"',
        'ETag: "strong"',
        'Vary: Cookie \t',
        'Set-Cookie: a=1; Path=/',
        'Set-Cookie: b=2',
        'Vary: Accept-Encoding',
        'Connection: keep-alive',
      ],
      ...[
        'Keep-Alive: timeout=5',
        'Date: Sat, 31 Jan 2026 12:30:15 GMT',
        'Cache-Control: private',
        'X-Odd:\t\x80 \t',
      ],
    ),
  },
  fc.constantFrom(
    ...[
      'Connection: close',
      'Keep-Alive: timeout=1',
      'Connection: X-Odd',
      'Location: /next',
      'Location: http://localhost:APP/x',
    ],
    ...['Content-Encoding: odd', 'Cache-Control: no-transform', 'Accept-Ranges: bytes', 'Vary: *', 'Vary:'],
    ...['Content-Type: text/event-stream', 'Content-Type: image/png', 'Content-Digest: sha-256=:x:'],
    ...[
      'X-Svc-Cache: HIT',
      'X-Svc-Deployment: mine',
      'X-Svc-Request-Id: mine',
      'Trailer: X-Sum',
      'Refresh: 5; url=//127.0.0.1:APP/',
    ],
    ...[
      'Proxy-Authenticate: Basic',
      'TE: trailers',
      'Strict-Transport-Security: max-age=1',
      'Cache-Control: public, max-age=60',
    ],
    ...['Empty:', 'Upgrade: h2c', 'HTTP2-Settings: x', 'X-Robots-Tag: all', `X-Long: ${'x'.repeat(9_000)}`],
  ),
)

/** Bodies with the fields that frame them. All of them end where they seem to. */
const framed = fc.oneof(
  fc.constantFrom('', 'ok', 'x'.repeat(5_000), 'x'.repeat(100_000)).map(body => ({
    fields: [`Content-Length: ${body.length}`],
    body,
  })),
  fc
    .array(fc.constantFrom('a', 'hello', 'y'.repeat(300), 'z'.repeat(70_000)), { maxLength: 3 })
    .map(parts => ({
      fields: ['Transfer-Encoding: chunked'],
      body: `${parts.map(part => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`,
    })),
  fc.constantFrom(
    { fields: ['Transfer-Encoding: Chunked'], body: '2;ext=1\r\nok\r\n0\r\n\r\n' },
    { fields: ['Transfer-Encoding: chunked'], body: '2\r\nok\r\n0;last\r\n\r\n' },
    { fields: ['Transfer-Encoding: chunked'], body: '2\r\nok\r\n0\r\nX-Sum: 3\r\nConnection: X\r\n\r\n' },
    { fields: ['transfer-encoding:\tchunked'], body: '0002\r\nok\r\n00\r\n\r\n' },
    { fields: ['Transfer-Encoding: chunked'], body: '00000000002\r\nok\r\n0\r\n\r\n' },
    { fields: ['Content-Length:  02 '], body: 'ok' },
  ),
)

const hasNoBody = (method: string, status: string): boolean =>
  method === 'HEAD' || status.startsWith('304') || status.startsWith('204')

/** An answer that node:http understands, and that leaves the connection open. */
const plainReply = (method: string) =>
  fc
    .tuple(statusLine, fc.array(answerField, { maxLength: 4 }), framed, cuts)
    .map(([status, fields, { fields: framing, body }, at]): Reply => {
      const head = `${[`HTTP/1.1 ${status}`, ...fields, ...framing].join('\r\n')}\r\n\r\n`
      const text = hasNoBody(method, status) ? head : head + body
      return { chunks: cutAt(text, at), closes: fields.includes('Connection: close') }
    })

const replyOf = (method: string, texts: readonly string[]) =>
  fc.tuple(fc.constantFrom(...texts), cuts).map(([text, at]): Reply => {
    // If bytes come after the end of an answer, it is a matter of time whether another request is already being sent on the
    // connection. So they come with the answer.
    const isLonger = method === 'HEAD' || tooLongAnswers.includes(text)
    const until = isLonger ? text.indexOf('\r\n\r\n') + 3 : text.length
    const within = at.filter(cut => cut % (text.length + 1) <= until)
    return { chunks: cutAt(text, within), closes: true }
  })

export const replyTo = (method: string, odd: readonly string[]) =>
  fc.oneof({ weight: 4, arbitrary: plainReply(method) }, replyOf(method, odd))

const requestFields = fc.uniqueArray(requestField, { maxLength: 5 })

const headOf = (method: string, path: string, fields: readonly string[]): string[] => [
  `${method} ${path} HTTP/1.1`,
  'Host: shop.example.test',
  'X-Case: CASE',
  ...fields,
]

const step = (method: string, body: string, odd: readonly string[]) =>
  fc.tuple(fc.constantFrom(...paths), requestFields, cuts, fc.nat(9)).chain(([path, chosen, at, chance]) => {
    // node:http refuses a request with two lengths, and it is a matter of time what the client then still receives.
    const fields = body === '' ? chosen : chosen.filter(field => !field.startsWith('Content-Length'))
    const length = body === '' ? [] : [`Content-Length: ${body.length}`]
    const chunks = cutAt([...headOf(method, path, [...fields, ...length]), '', body].join('\r\n'), at)
    return replyTo(method, odd).map((reply): Step => ({ method, path, chunks, waits: chance > 0, reply }))
  })

const reading = fc.oneof({ weight: 5, arbitrary: fc.constant('GET') }, fc.constantFrom('HEAD', 'OPTIONS'))

/** Requests without a body, which may be sent to the app again. The app answers with anything. */
export const readingConversation = fc.array(
  reading.chain(method => step(method, '', hostileAnswers)),
  { minLength: 1, maxLength: 5 },
)

/**
 * Requests with the same fields, each for another path, one after the other on a connection. Some of the app's answers are the
 * same as well.
 */
export const repeatingConversation = fc
  .tuple(
    requestFields,
    fc.uniqueArray(fc.constantFrom(...paths), { minLength: 2, maxLength: 5 }),
    fc.array(replyTo('GET', hostileAnswers), { minLength: 1, maxLength: 2 }),
    fc.infiniteStream(fc.nat(9)),
  )
  .map(([fields, asked, replies, chances]) =>
    asked.map((path): Step => {
      const chance = chances.next().value
      const chunks = [[...headOf('GET', path, fields), '', ''].join('\r\n')]
      return { method: 'GET', path, chunks, waits: chance > 0, reply: replies[chance % replies.length]! }
    }),
  )

const changing = fc.tuple(
  fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE'),
  fc.constantFrom(
    ...['', 'a=1', '{"a":"\xe4"}', 'GET / HTTP/1.1\r\n\r\n', 'b'.repeat(3_000), 'c'.repeat(100_000)],
  ),
)

/**
 * Requests that may not be sent again. The app closes no connection that the edge would use again: it is a matter of time
 * whether a request that is just being sent on it fails.
 */
export const changingConversation = fc.array(
  changing.chain(([method, body]) => step(method, body, unfinishedAnswers)),
  { minLength: 1, maxLength: 5 },
)
