// Random requests by HTTP/2 for apps, made of the same header fields and answers as those by HTTP/1.1.
import fc from 'fast-check'
import { hostileAnswers } from '../../apps/testing/hostile-answers.ts'
import { paths, replyTo, requestField } from '../../apps/testing/scripts.ts'
import type { Http2Conversation, Http2Step } from './app-differential.ts'
import type { Fields } from './raw-client.ts'

/** A field as HTTP/2 writes it. Some are forbidden there, and then the request is refused. */
function fieldOf(line: string): Fields[number] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

const step = (method: string) =>
  fc
    .tuple(
      fc.constantFrom(...paths),
      fc.uniqueArray(requestField, { maxLength: 5 }),
      replyTo(method, hostileAnswers),
      fc.nat(9),
    )
    .map(
      ([path, fields, reply, chance]): Http2Step => ({
        ...{ method, path, fields: fields.map(fieldOf), reply },
        waits: chance > 4,
      }),
    )

const reading = fc.oneof({ weight: 5, arbitrary: fc.constant('GET') }, fc.constantFrom('HEAD', 'OPTIONS'))

/** Requests without a body. The app answers with anything. */
export const readingByHttp2: fc.Arbitrary<Http2Conversation> = fc.record({
  steps: fc.array(reading.chain(step), { minLength: 1, maxLength: 6 }),
  window: fc.constantFrom(65_535, 0, 10, 1_000_000),
})
