import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  AiProvider,
  aiToken,
  aiUser,
  beginEvents,
  chat,
  chatChunk,
  event,
  openAi,
  providerKey,
  sendJson,
  streamedChat,
  usage,
} from '../../testing/ai.ts'
import { eventually } from '../../testing/eventually.ts'
import { TestServer } from '../../testing/server.ts'

let provider: AiProvider
let server: TestServer
/** A server with timeouts of one second. */
let hasty: TestServer

beforeAll(async () => {
  provider = await AiProvider.start()
  const environment = { SVCD_AI_UPSTREAM: provider.url, SVCD_AI_KEY: providerKey, SVCD_AI_MAX_BODY_MB: '1' }
  server = await TestServer.start('sqlite', environment)
  hasty = await TestServer.start('sqlite', {
    ...environment,
    SVCD_AI_ANSWER_SECONDS: '1',
    SVCD_AI_SILENCE_SECONDS: '1',
  })
})
afterAll(async () => {
  await server?.remove()
  await hasty?.remove()
  await provider?.stop()
})

describe('a provider that', () => {
  test('never answers is given up, with 504, and what it was sent is counted', async () => {
    const { ai, usageOf } = await aiUser(hasty)
    let isLeft: Promise<unknown> | undefined
    provider.answers.set('never', (_seen, res) => {
      isLeft = once(res, 'close')
    })
    await expect(ai.chat.completions.create(chat('never'))).rejects.toMatchObject({
      status: 504,
      code: 'upstream_timeout',
    })
    await isLeft
    const { totals } = await usageOf()
    expect(totals).toMatchObject({ requests: 1, completion_tokens: 0 })
    expect(totals.prompt_tokens).toBeGreaterThan(0)
  })

  test('falls silent in the middle is given up, with an error in the stream', async () => {
    const { ai } = await aiUser(hasty)
    provider.answers.set(
      'silent',
      (_seen, res) => void beginEvents(res).write(event(chatChunk('silent', 'a'))),
    )
    const chunks = await ai.chat.completions.create(streamedChat('silent'))
    const all = async () => {
      for await (const _ of chunks) void _
    }
    await expect(all()).rejects.toThrow('The AI provider did not answer in time.')
  })

  test('closes the connection is not asked a second time', async () => {
    const { ai } = await aiUser(server)
    let asked = 0
    provider.answers.set('closing', (_seen, res) => {
      asked++
      res.destroy()
    })
    await expect(ai.chat.completions.create(chat('closing'))).rejects.toMatchObject({
      status: 502,
      code: 'upstream_disconnected',
    })
    expect(asked).toBe(1)
  })

  test('compresses its answers although it was asked not to is understood', async () => {
    const { post, usageOf } = await aiUser(server)
    const text = JSON.stringify({ id: 'x', usage })
    provider.answers.set('zipped', ({ headers }, res) => {
      expect(headers['accept-encoding']).toBe('identity')
      res
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(text))
    })
    const answer = await post(chat('zipped'))
    expect(answer.text).toBe(text)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect((await usageOf()).totals.prompt_tokens).toBe(7)
  })

  test('answers with megabytes is counted by the end of them', async () => {
    const { post, usageOf } = await aiUser(server)
    const text = JSON.stringify({ data: 'x'.repeat(5_000_000), usage })
    provider.answers.set('large', (_seen, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
    })
    const answer = await post(chat('large'))
    expect(answer.text === text).toBe(true)
    expect(answer.headers['content-length']).toBe(String(text.length))
    expect((await usageOf()).totals.prompt_tokens).toBe(7)
  })

  test('refuses the request is heard, without what concerns the operator', async () => {
    const { post, usageOf } = await aiUser(server)
    const message = `The context of ${providerKey} in org-abc123 is too long.`
    provider.answers.set('picky', (_seen, res) =>
      sendJson(res, 400, {
        error: { message, type: 'x', code: 'context_length_exceeded', param: 'messages' },
      }),
    )
    const answer = await post(chat('picky'))
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      error: {
        message: 'The context of [key] in [removed] is too long.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    })
    expect((await usageOf()).totals.requests).toBe(0)
  })

  test.each([
    [401, 502, 'upstream_refused'],
    [403, 502, 'upstream_refused'],
    [429, 429, 'upstream_rate_limit'],
    [500, 502, 'upstream_error'],
    [503, 503, 'upstream_error'],
    [302, 502, 'upstream_error'],
  ])('answers %i shows as %i', async (theirs, ours, code) => {
    const { post } = await aiUser(server)
    provider.answers.set('refusing', (_seen, res) => {
      res.writeHead(theirs, {
        'retry-after': '7',
        location: 'http://127.0.0.1:1/',
        'content-type': 'application/json',
      })
      res.end(JSON.stringify({ error: { message: `${providerKey} org-of-the-operator` } }))
    })
    const answer = await post(chat('refusing'))
    expect([answer.status, answer.json.error.code]).toEqual([ours, code])
    expect(answer.text).not.toMatch(/provider-key|org-of/)
    if (theirs === 429) expect(answer.headers['retry-after']).toBe('7')
  })

  test('is not there shows as 502', async () => {
    const gone = await AiProvider.start()
    const { url } = gone
    await gone.stop()
    const alone = await TestServer.start('sqlite', { SVCD_AI_UPSTREAM: url })
    try {
      const { ai } = await aiUser(alone)
      await expect(ai.models.list()).rejects.toMatchObject({ status: 502, code: 'upstream_unreachable' })
    } finally {
      await alone.remove()
    }
  })
})

describe('a request', () => {
  test.each([
    ['with a body that is too large', { body: 'x'.repeat(1024 * 1024 + 1) }, 413, 'payload_too_large'],
    [
      'that is compressed',
      { body: '{}', headers: { 'content-encoding': 'gzip' } },
      415,
      'unsupported_media_type',
    ],
    [
      'of another type',
      { body: 'a=b', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    ['without a body', {}, 400, 'invalid_request'],
    ['that is not JSON', { body: 'model=gpt-4o' }, 400, 'invalid_request'],
    ['that breaks off', { body: '{"model":"gpt-4o"' }, 400, 'invalid_request'],
    ['with two objects', { body: '{"model":"gpt-4o"}{"model":"o1"}' }, 400, 'invalid_request'],
    ['with two models', { body: '{"model":"gpt-4o","model":"o1"}' }, 400, 'invalid_request'],
    ['with a model in another case', { body: '{"model":"gpt-4o","Model":"o1"}' }, 400, 'invalid_request'],
    ['with a model that is no text', { body: { model: ['gpt-4o'] } }, 400, 'invalid_request'],
    ['with a model of odd letters', { body: { model: 'gpt\u0000' } }, 400, 'invalid_request'],
    ['with an endless model', { body: { model: 'x'.repeat(201) } }, 400, 'invalid_request'],
    [
      'for an answer in the background',
      { body: { model: 'gpt-5', background: true } },
      400,
      'invalid_request',
    ],
  ])('%s is refused', async (_name, request, status, code) => {
    const { secret } = await aiUser(server)
    const before = provider.seen.length
    const answer = await server.site('ai', '/v1/chat/completions', {
      method: 'POST',
      token: secret,
      ...request,
    })
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    expect(answer.json.error.type).toBe('invalid_request_error')
    expect(provider.seen.length).toBe(before)
  })

  test.each([
    'GET /',
    'GET /v1',
    'GET /v2/models',
    'DELETE /v1/models/gpt-4o',
    'GET /v1/files',
    'POST /v1/files',
    'POST /v1/batches',
    'POST /v1/realtime/client_secrets',
    'GET /v1/responses/resp_1',
    'POST /v1/responses/resp_1/cancel',
    'GET /v1/chat/completions',
    'POST /v1/../admin/keys',
    'POST /v1/%2e%2e/admin/keys',
    'POST /v1/chat/..%2f..%2fadmin',
    'POST /v1//files',
    'POST /v1/..;/admin',
    'POST /v1/chat;x/completions',
    'POST /v1/responses/resp_1',
    'GET /v1/models/..%3b/admin',
    'GET /v1/models/%252e%252e/files',
    'POST /v1/%66iles',
    'GET /v1/models/..%2ffiles',
    'GET /v1/models/../files',
    'GET /v1/models/%',
  ])('%s is not passed on', async line => {
    const { secret } = await aiUser(server)
    const before = provider.seen.length
    const [method = '', path = ''] = line.split(' ')
    const body = method === 'POST' ? chat('gpt-4o') : undefined
    const answer = await server.site('ai', path, { method, token: secret, body })
    expect([answer.status, answer.json.error.code]).toEqual([404, 'unknown_url'])
    expect(provider.seen.length).toBe(before)
  })

  test('is refused beyond the limits of its token and its owner, which say when to go on', async () => {
    const limited = await TestServer.start('sqlite', {
      SVCD_AI_UPSTREAM: provider.url,
      SVCD_AI_KEY: providerKey,
      SVCD_AI_TOKEN_RPM: '2',
      SVCD_AI_OWNER_RPM: '3',
    })
    try {
      const { id } = await limited.account()
      const [one, two] = [await aiToken(limited, id), await aiToken(limited, id)]
      const list = (token: string) => limited.site('ai', '/v1/models', { token })
      expect((await list(one)).headers['x-ratelimit-remaining']).toBe('1')
      expect((await list(one)).status).toBe(200)
      const third = await list(one)
      expect([third.status, third.json.error.code]).toEqual([429, 'rate_limit_exceeded'])
      expect(Number(third.headers['retry-after'])).toBeGreaterThan(0)
      expect((await list(two)).status).toBe(200)
      expect((await list(two)).status).toBe(429)
      await expect(openAi(limited, two).models.list()).rejects.toThrow(OpenAI.RateLimitError)
      limited.clock.advance(60_000)
      expect((await list(two)).status).toBe(200)
    } finally {
      await limited.remove()
    }
  })

  test('counts against the limits of its token and its owner on all nodes together', async () => {
    const settings = {
      SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
      SVCD_AI_UPSTREAM: provider.url,
      SVCD_AI_KEY: providerKey,
      SVCD_AI_TOKEN_RPM: '3',
      SVCD_AI_OWNER_RPM: '5',
    }
    const here = await TestServer.start('postgres', settings)
    onTestFinished(() => here.remove())
    const { SVCD_DATABASE_URL = '' } = here.environment
    const there = await TestServer.start('sqlite', { ...settings, SVCD_DATABASE_URL })
    onTestFinished(() => there.remove())
    const { id } = await here.account()
    const [one, two] = [await aiToken(here, id), await aiToken(here, id)]
    const list = async (node: TestServer, token: string) => {
      const { status, headers } = await node.site('ai', '/v1/models', { token })
      return [status, headers['x-ratelimit-remaining']]
    }
    expect(await list(here, one)).toEqual([200, '2'])
    expect(await list(there, one)).toEqual([200, '1'])
    expect(await list(here, one)).toEqual([200, '0'])
    expect((await list(there, one))[0]).toBe(429)
    // The refused request does not count for the owner.
    expect(await list(there, two)).toEqual([200, '1'])
    expect(await list(there, two)).toEqual([200, '0'])
    expect((await list(here, two))[0]).toBe(429)
    for (const node of [here, there]) node.clock.advance(60_000)
    expect(await list(there, two)).toEqual([200, '2'])
  })

  test('is refused while as many as may be are under way, and taken when one has ended', async () => {
    const narrow = await TestServer.start('sqlite', {
      SVCD_AI_UPSTREAM: provider.url,
      SVCD_AI_KEY: providerKey,
      SVCD_AI_MAX_REQUESTS: '1',
    })
    try {
      const { ai } = await aiUser(narrow)
      let finish: () => void = () => undefined
      provider.answers.set('holding', (_seen, res) => {
        beginEvents(res).write(event(chatChunk('holding', 'a')))
        finish = () => res.end(event('[DONE]'))
      })
      const chunks = await ai.chat.completions.create(streamedChat('holding'))
      await expect(ai.models.list()).rejects.toMatchObject({ status: 429 })
      finish()
      for await (const _ of chunks) void _
      await eventually(() =>
        ai.models.list().then(
          () => true,
          () => false,
        ),
      )
    } finally {
      await narrow.remove()
    }
  })

  test('is told where the gateway has no provider', async () => {
    const bare = await TestServer.start()
    try {
      const { ai } = await aiUser(bare)
      await expect(ai.models.list()).rejects.toMatchObject({ status: 503, code: 'not_configured' })
    } finally {
      await bare.remove()
    }
  })
})
