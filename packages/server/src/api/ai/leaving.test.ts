// What is counted if the client does not wait for the answer, and keys that make a retry safe.
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import {
  aiToken,
  aiUser,
  beginEvents,
  chat,
  openAi,
  sendJson,
  streamedChat,
  usage,
  useAiProvider,
} from '../../testing/ai.ts'
import { eventually } from '../../testing/eventually.ts'
import { onEveryServer, type TestServer } from '../../testing/server.ts'

const { environment, provider } = useAiProvider()

/** Sends a request and hangs up when `mayLeave` is fulfilled. */
async function leaveEarly(server: TestServer, token: string, body: object, mayLeave: () => boolean) {
  const req = request({
    host: '127.0.0.1',
    port: server.running.port,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { host: 'ai.localhost', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  req.on('error', () => undefined)
  req.end(JSON.stringify(body))
  await eventually(async () => mayLeave())
  const isClosed = new Promise<void>(resolve => req.once('close', resolve))
  req.destroy()
  await isClosed
}

onEveryServer(server => {
  test('a client that leaves before the answer begins is counted as the provider counts', async () => {
    const { secret, usageOf } = await aiUser(server())
    let answer: (() => void) | undefined
    provider().answers.set('patient', (_seen, res) => {
      answer = () => sendJson(res, 200, { choices: [], usage })
    })
    await leaveEarly(server(), secret, chat('patient'), () => answer !== undefined)
    answer!()
    const counts = { requests: 1, prompt_tokens: 7, completion_tokens: 3 }
    await eventually(async () => (await usageOf()).totals.requests === 1)
    expect((await usageOf()).totals).toEqual(counts)
  })

  test('a client that leaves before a stream begins is counted for what was sent, and the stream ends', async () => {
    const { secret, usageOf } = await aiUser(server())
    let begin: (() => void) | undefined
    let isLeft: Promise<unknown> | undefined
    provider().answers.set('late-stream', (_seen, res) => {
      isLeft = once(res, 'close')
      begin = () => beginEvents(res).flushHeaders()
    })
    const body = { ...streamedChat('late-stream'), user: 'x'.repeat(4_000) }
    await leaveEarly(server(), secret, body, () => begin !== undefined)
    begin!()
    await isLeft
    await eventually(async () => (await usageOf()).totals.requests === 1)
    expect((await usageOf()).totals.prompt_tokens).toBeGreaterThan(1_000)
  })

  test('a client that leaves before the provider refuses the request is not counted', async () => {
    const { secret, usageOf, ai } = await aiUser(server())
    let answer: (() => void) | undefined
    provider().answers.set('picky', (_seen, res) => {
      answer = () => sendJson(res, 400, { error: { message: 'No.' } })
    })
    await leaveEarly(server(), secret, chat('picky'), () => answer !== undefined)
    answer!()
    await ai.chat.completions.create(chat('gpt-4o'))
    expect((await usageOf()).totals.requests).toBe(1)
  })

  test('the same Idempotency-Key of two owners is not the same at the provider', async () => {
    for (const { id } of [await server().account(), await server().account()]) {
      const ai = openAi(server(), await aiToken(server(), id))
      await ai.chat.completions.create(chat('gpt-4o'), { headers: { 'Idempotency-Key': 'order-1' } })
      expect(provider().seen.at(-1)!.headers['idempotency-key']).toBe(`${id}-order-1`)
    }
  })
}, environment)
