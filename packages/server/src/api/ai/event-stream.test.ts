import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventStream } from './event-stream.ts'

const chat = (content: string) =>
  `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}],"usage":null}\n\n`
const counts =
  'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}\n\n'
const done = 'data: [DONE]\n\n'
const counted = { prompt: 5, cached: 1, completion: 2 }

function pass(text: string, leavesOut: boolean, cuts: number[] = []) {
  const stream = new EventStream(leavesOut)
  const bytes = Buffer.from(text)
  const at = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const passed: Buffer[] = []
  let from = 0
  for (const to of [...at, bytes.length]) {
    passed.push(stream.push(bytes.subarray(from, to)))
    from = to
  }
  passed.push(stream.end())
  return { passed: Buffer.concat(passed).toString(), counts: stream.counts, events: stream.events }
}

describe('the counts of a stream', () => {
  test('are read and pass on if the client asked for them', () => {
    const text = chat('a') + counts + done
    expect(pass(text, false)).toEqual({ passed: text, counts: counted, events: 3 })
  })

  test('are read and left out if the client did not ask', () => {
    expect(pass(chat('a') + counts + done, true)).toEqual({
      passed: chat('a') + done,
      counts: counted,
      events: 3,
    })
  })

  test('stay if they come with an answer', () => {
    const text = `data: {"choices":[{"delta":{}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n`
    expect(pass(text, true)).toMatchObject({ passed: text, counts: { prompt: 5, completion: 2 } })
  })

  test('are the last ones, where every event brings them', () => {
    const text = [1, 2, 3]
      .map(n => `data: {"usage":{"prompt_tokens":5,"completion_tokens":${n}}}\n\n`)
      .join('')
    expect(pass(text, false).counts).toEqual({ prompt: 5, cached: 0, completion: 3 })
  })

  test('are found in the last event of the Responses API, however long it is', () => {
    const response = { output: 'x'.repeat(200_000), usage: { input_tokens: 9, output_tokens: 4 } }
    const text = `event: response.completed\ndata: ${JSON.stringify({ response })}\n\n`
    expect(pass(text, false, [100, 70_000, 150_000]).counts).toEqual({ prompt: 9, cached: 0, completion: 4 })
  })

  test('are put together from two events, as the Messages API sends them', () => {
    const text =
      'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\n' +
      'data: {"type":"message_delta","usage":{"output_tokens":30}}\n\n'
    expect(pass(text, false).counts).toEqual({ prompt: 9, cached: 0, completion: 30 })
  })

  test('are read from lines that end with a carriage return, without a space, and from several lines', () => {
    expect(pass((chat('a') + counts).replaceAll('\n', '\r\n'), true)).toMatchObject({
      passed: chat('a').replaceAll('\n', '\r\n'),
      counts: counted,
    })
    const spread = 'data:{"choices":[],\ndata: "usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n'
    expect(pass(spread, true)).toMatchObject({ passed: '', counts: { prompt: 5, completion: 2 } })
  })

  test('are read also if the stream ends without the last blank line', () => {
    expect(pass(counts.trimEnd(), false).counts).toEqual(counted)
  })

  test.each([
    'data: {"usage":{"prompt_tokens":-1}}\n\n',
    'data: {"usage":{"prompt_tokens":"5"}}\n\n',
    'data: {"usage":[5]}\n\n',
    'data: {"usage":{"prompt_tokens":1e300}}\n\n',
    'data: {"usage":\n\n',
    'data: }}}{{{"usage":{"prompt_tokens":5\n\n',
    ': {"usage":{"prompt_tokens":5}}\n\n',
    'xdata: {"usage":{"prompt_tokens":5}}\n\n',
    'data: {"message":"\\"usage\\":{\\"prompt_tokens\\":5}"}\n\n',
  ])('are not read from %j, which passes as it is', text => {
    expect(pass(text, true)).toMatchObject({ passed: text, counts: undefined })
  })
})

test('nothing is held back that is longer than any count', () => {
  const stream = new EventStream(true)
  const endless = Buffer.from(`data: {"choices":"${'x'.repeat(50_000)}`)
  expect(stream.push(endless).length).toBe(0)
  expect(stream.push(endless).length).toBe(2 * endless.length)
  expect(stream.push(endless).length).toBe(endless.length)
})

const eventText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }).map(chat),
  fc.constantFrom(
    counts,
    done,
    ': ping\n\n',
    '\n',
    '\r\n',
    'event: x\nid: 1\n',
    'data: nonsense\n\n',
    'data:',
    '{"usage":{}}',
  ),
  fc.string({ maxLength: 20 }),
)

test('any split of the bytes yields the same counts, and the same bytes for the client', () => {
  fc.assert(
    fc.property(
      fc.array(eventText, { maxLength: 12 }),
      fc.array(fc.nat(2_000), { maxLength: 30 }),
      fc.boolean(),
      (events, cuts, leavesOut) => {
        const text = events.join('')
        const whole = pass(text, leavesOut)
        expect(pass(text, leavesOut, cuts)).toEqual(whole)
        if (!leavesOut) expect(whole.passed).toBe(text)
      },
    ),
    { numRuns: 500 },
  )
})
