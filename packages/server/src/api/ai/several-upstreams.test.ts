import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AiProvider, aiToken, openAi, providerKey } from '../../testing/ai.ts'
import { TestServer } from '../../testing/server.ts'

const ask = (model: string) => ({ model, messages: [{ role: 'user' as const, content: 'Hello' }] })

let first: AiProvider
let second: AiProvider
let dir: string
let server: TestServer

const start = async (upstreams: unknown, more: Record<string, string> = {}) => {
  const file = path.join(dir, `upstreams-${Math.random()}.json`)
  await writeFile(file, JSON.stringify({ upstreams }))
  return await TestServer.start('sqlite', { SVCD_AI_UPSTREAMS_FILE: file, ...more })
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-ai-'))
  first = await AiProvider.start()
  second = await AiProvider.start()
  server = await start(
    [
      { name: 'first', url: `${first.url}/openai/v1`, key: providerKey, prefixes: ['gpt-'] },
      { name: 'second', url: `${second.url}/base`, key_env: 'SECOND_KEY', prefixes: ['llama'] },
    ],
    { SECOND_KEY: providerKey },
  )
})
afterAll(async () => {
  await server?.remove()
  await first?.stop()
  await second?.stop()
  await rm(dir, { recursive: true, force: true })
})

const someone = async () => {
  const { id } = await server.account()
  return openAi(server, await aiToken(server, id))
}

test('the name of the model decides where a request goes, and the path of the provider is kept', async () => {
  const ai = await someone()
  await ai.chat.completions.create(ask('gpt-4o'))
  await ai.chat.completions.create(ask('llama-3'))
  expect(first.seen.at(-1)?.path).toBe('/openai/v1/chat/completions')
  expect(second.seen.at(-1)?.path).toBe('/base/v1/chat/completions')
  const file = new File([Buffer.alloc(100)], 'a.mp3')
  await ai.audio.transcriptions.create({ model: 'llama-hears', file })
  expect(second.seen.at(-1)?.path).toBe('/base/v1/audio/transcriptions')
})

test('a model of no provider is 404, and a request without a model is 400', async () => {
  const ai = await someone()
  await expect(ai.chat.completions.create(ask('claude'))).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
    param: 'model',
  })
  await expect(ai.chat.completions.create({ messages: [] } as never)).rejects.toMatchObject({ status: 400 })
})

test('the lists of models are put together, each with those that go to it', async () => {
  const ai = await someone()
  expect((await ai.models.list()).data.map(({ id }) => id)).toEqual(['gpt-4o', 'llama'])
  expect((await ai.models.retrieve('gpt-4o')).id).toBe('gpt-4o')
})

test('a list that cannot be had is left out', async () => {
  const half = await start([
    { name: 'gone', url: 'http://127.0.0.1:1', prefixes: ['gpt-'] },
    { name: 'there', url: second.url, key: providerKey, prefixes: [''] },
  ])
  try {
    const { id } = await half.account()
    const ai = openAi(half, await aiToken(half, id))
    expect((await ai.models.list()).data.map(model => model.id)).toEqual(['llama'])
  } finally {
    await half.remove()
  }
})

test('the key goes into the header that the file names', async () => {
  const azure = await start([
    { name: 'a', url: second.url, key: 'k', auth_header: 'Api-Key', prefixes: [''] },
  ])
  try {
    const { id } = await azure.account()
    await openAi(azure, await aiToken(azure, id))
      .models.list()
      .catch(() => undefined) // The stand-in wants another header.
    expect(second.seen.at(-1)?.headers).toMatchObject({ 'api-key': 'k' })
    expect(second.seen.at(-1)?.headers.authorization).toBeUndefined()
  } finally {
    await azure.remove()
  }
})
