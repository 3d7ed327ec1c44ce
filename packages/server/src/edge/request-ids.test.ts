import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestServer } from '../testing/server.ts'
import { startTestApp, type TestApp } from './proxy/testapp.ts'

const form = /^req_[0-9a-z]{18,}$/
let bed: TestApp
const seen: (string | undefined)[] = []

beforeAll(async () => {
  bed = await startTestApp((req, res) => {
    seen.push(req.headers['x-svc-request-id'] as string | undefined)
    res.setHeader('X-Svc-Request-Id', 'chosen by the app').end('hello')
  })
})
afterAll(() => bed.stop())

test('an app is told the id that its visitor gets', async () => {
  const { headers } = await bed.ask('shop', '/')
  expect(headers['x-svc-request-id']).toMatch(form)
  expect(seen.at(-1)).toBe(headers['x-svc-request-id'])
})

test('a visitor cannot choose the id of a request', async () => {
  const { headers } = await bed.ask('shop', '/', { headers: { 'x-svc-request-id': 'req_chosen' } })
  expect(headers['x-svc-request-id']).toMatch(form)
  expect(seen.at(-1)).toBe(headers['x-svc-request-id'])
})

test('every request has an id of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => bed.ask('shop', '/')))
  expect(new Set(answers.map(({ headers }) => headers['x-svc-request-id'])).size).toBe(20)
})

test.each([
  ['text/html', (id: string) => `Request ${id}`],
  ['application/json', (id: string) => `"request_id":"${id}"`],
  ['text/plain', (id: string) => `Request ${id}`],
])('an error page in %s names the id of its request', async (accept, named) => {
  const { headers, text } = await bed.ask('nobody', '/', { headers: { accept } })
  expect(headers['x-svc-request-id']).toMatch(form)
  expect(text).toContain(named(headers['x-svc-request-id'] as string))
})

test('an error of the API names the id of its request', async () => {
  const server = await TestServer.start()
  try {
    const response = await fetch(`${server.apiUrl}/me`)
    const id = response.headers.get('x-svc-request-id')
    expect(id).toMatch(form)
    expect(await response.json()).toMatchObject({ error: { code: 'unauthorized', request_id: id } })
  } finally {
    await server.remove()
  }
})
