import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { bytesHeld } from '../../testing/memory.ts'
import { Exchange } from '../exchange.ts'
import { createHosts } from '../hosts.ts'
import { SentRequest } from '../proxy/sent-request.ts'
import { CachedAnswer } from './cached-answer.ts'
import { CachedAnswers } from './cached-answers.ts'

const MB = 1024 * 1024
const clock = { now: () => 0 }
const lifetime = { since: 0, age: 0, fresh: 60, whileRevalidate: 0, ifError: 0 }

function requestWith(fields: string[]): SentRequest {
  const req = new IncomingMessage(new Socket())
  req.url = '/'
  req.rawHeaders = ['Host', 'shop.example.test', ...fields]
  return new SentRequest(new Exchange(req, new ServerResponse(req), createHosts('localhost')), () => false)
}

/** A new string of this length. Equal texts would share memory, so each seed gives another text. */
const text = (seed: number, length: number) => Buffer.alloc(length, `${seed}-`).toString('latin1')

test.each([
  ['small bodies', {}],
  ['long addresses', { path: 8_000 }],
  ['many header fields of the answer', { headers: 50 }],
  ['long request fields that the answer depends on', { varied: 8_000 }],
  ['many request fields that it does not depend on', { others: 100 }],
])('however much is kept, it takes no more memory than it may: %s', (_, size) => {
  const { path = 1, headers = 0, varied = 1, others = 0 } = size as Record<string, number>
  const budget = 8 * MB
  const before = bytesHeld()
  const answers = new CachedAnswers(budget)
  for (let i = 0; i < 5_000; i++) {
    const name = `/${i}/${text(i, path)}`
    const other = Array.from({ length: 2 * others }, (_, n) => text(n, 20))
    const request = requestWith(['X-Varied', text(i, varied), ...other])
    const answered = {
      status: 200,
      message: 'OK',
      headers: ['Vary', 'X-Varied', ...Array.from({ length: 2 * headers }, (_, n) => text(i + n, 20))],
      body: Buffer.allocUnsafeSlow(10),
    }
    const cacheKey = { text: `dep_1 http host ${name}`, projectId: 'prj_1', path: name }
    answers.put(new CachedAnswer({ cacheKey, answered, lifetime, request, clock }), request)
  }
  expect(answers.weight).toBeGreaterThan(budget / 2)
  expect(answers.weight).toBeLessThanOrEqual(budget)
  // The test's own memory comes and goes; without weighing it was nine times as much.
  expect(bytesHeld() - before).toBeLessThan(2 * budget)
  // Held until here.
  expect(answers.weight).toBeGreaterThan(0)
})
