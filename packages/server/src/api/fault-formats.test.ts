// One table of statuses serves the API, git and the AI gateway.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errors } from '@svc/contract'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { Fault } from '../lib/fault.ts'
import { answerError } from './ai/errors.ts'
import { answerFault } from './answer.ts'
import { createGitServer } from './git/server.ts'

const log = pino({ level: 'silent' })
const received = { peer: { address: '127.0.0.1', secure: false }, requestId: 'req_1' }

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** The three front doors, each of which fails with this error. */
const doors = (error: unknown): Record<string, (req: IncomingMessage, res: ServerResponse) => void> => ({
  api: (req, res) => answerFault(log, 'GET /me', { req, res, ...received }, error),
  git: (req, res) =>
    createGitServer({
      platform: {
        get store() {
          throw error
        },
      } as never,
      log,
      clientAddress: () => '127.0.0.1',
      pushBytes: 1,
    })(req)!(req, res, received),
  ai: (req, res) => answerError(log, req, res, error),
})

async function ask(door: (req: IncomingMessage, res: ServerResponse) => void): Promise<Response> {
  const server = createServer(door).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  const authorization = `Basic ${Buffer.from('ada:a-token').toString('base64')}`
  const url = `http://127.0.0.1:${port}/git/ada/site.git/info/refs?service=git-upload-pack`
  return await fetch(url, { headers: { authorization } })
}

test.each(['api', 'git', 'ai'])('every code of the contract has its status for %s', async door => {
  for (const [code, { status }] of Object.entries(errors)) {
    const fault = new Fault(code as keyof typeof errors, 'It did not work.', { retryAfter: 7 })
    const answer = await ask(doors(fault)[door]!)
    expect([code, answer.status]).toEqual([code, status])
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.headers.has('www-authenticate')).toBe(status === 401)
    expect(await answer.text()).toContain('It did not work.')
  }
})

test.each(['api', 'git', 'ai'])(
  'a full database is no unexpected error for %s: the client is told to retry',
  async door => {
    const answer = await ask(doors(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))[door]!)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.text()).toContain('has no room left')
  },
)

test.each(['api', 'git', 'ai'])('an unexpected error says nothing of its cause to %s', async door => {
  const answer = await ask(doors(new Error('the secret cause'))[door]!)
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('secret')
})
