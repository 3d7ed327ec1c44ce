// Random requests by HTTP/2 for apps, made of the same header fields and answers as those by HTTP/1.1.
import fc from 'fast-check'
import { hostileAnswers, unfinishedAnswers } from '../../apps/testing/hostile-answers.ts'
import { paths, replyTo, requestField } from '../../apps/testing/scripts.ts'
import type { Http2Conversation, Http2Step, SentBody } from './app-differential.ts'
import type { Fields } from './raw-client.ts'

/** A field as HTTP/2 writes it. Some are forbidden there, and then the request is refused. */
function fieldOf(line: string): Fields[number] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

const step = (method: string, odd = hostileAnswers) =>
  fc
    .tuple(
      fc.constantFrom(...paths),
      fc.uniqueArray(requestField, { maxLength: 5 }),
      replyTo(method, odd),
      fc.nat(9),
    )
    .map(
      ([path, fields, reply, chance]): Http2Step => ({
        ...{ method, path, fields: fields.map(fieldOf), reply, body: undefined },
        waits: chance > 4,
      }),
    )

/** A handshake takes longer than most conversations. */
const isSecure = fc.nat(3).map(chance => chance === 0)

const reading = fc.oneof({ weight: 5, arbitrary: fc.constant('GET') }, fc.constantFrom('HEAD', 'OPTIONS'))

/** Requests without a body. The app answers with anything. */
export const readingByHttp2: fc.Arbitrary<Http2Conversation> = fc.record({
  steps: fc.array(reading.chain(step), { minLength: 1, maxLength: 6 }),
  window: fc.constantFrom(65_535, 0, 10, 1_000_000),
  isSecure,
})

const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a=1', '{"a":"\xe4"}', 'b'.repeat(3_000)) },
  fc.constantFrom('c'.repeat(40_000), 'd'.repeat(65_536), 'e'.repeat(70_000)),
)

/** How the body is sent. Some clients do not keep to the length that they declare, and are refused. */
const sentBody = (text: string): fc.Arbitrary<SentBody> =>
  fc.record({
    parts: fc
      .array(fc.nat({ max: text.length }), { maxLength: 3 })
      .map(cuts => [0, ...cuts.sort((a, b) => a - b), text.length])
      .map(points => points.slice(1).map((to, i) => text.slice(points[i], to))),
    length: fc.oneof(
      { weight: 20, arbitrary: fc.constant(String(text.length)) },
      fc.constantFrom(`0${text.length}`, String(text.length + 1), 'x'),
    ),
    isPadded: fc.nat(19).map(chance => chance === 0),
    trailer: fc.nat(19).map(chance => chance === 0),
  })

const changing = fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')

/** Requests with a body, which may not be sent again. */
export const changingByHttp2: fc.Arbitrary<Http2Conversation> = fc.record({
  steps: fc.array(
    fc
      .tuple(
        changing.chain(method => step(method, unfinishedAnswers)),
        fc.option(bodies.chain(sentBody), { nil: undefined, freq: 5 }),
      )
      .map(([one, body]): Http2Step => {
        const fields = one.fields.filter(([name]) => name !== 'content-length')
        return { ...one, fields, body }
      }),
    { minLength: 1, maxLength: 6 },
  ),
  window: fc.constantFrom(65_535, 10),
  isSecure,
})
