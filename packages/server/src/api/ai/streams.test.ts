import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AiProvider,
  aiUser,
  beginEvents,
  chatChunk,
  event,
  providerKey,
  streamedChat,
  usageChunk,
} from '../../testing/ai.ts'
import { eventually } from '../../testing/eventually.ts'
import { TestServer } from '../../testing/server.ts'

let provider: AiProvider
let server: TestServer

beforeAll(async () => {
  provider = await AiProvider.start()
  server = await TestServer.start('sqlite', {
    SVCD_AI_UPSTREAM: provider.url,
    SVCD_AI_KEY: providerKey,
  })
})
afterAll(async () => {
  await server?.remove()
  await provider?.stop()
})

describe('a streamed answer', () => {
  test('passes event by event: the next is sent only after the one before arrived', async () => {
    const { ai } = await aiUser(server)
    let next: (text: string) => void = () => undefined
    let end: () => void = () => undefined
    provider.answers.set('stepwise', (_seen, res) => {
      beginEvents(res).flushHeaders()
      next = text => res.write(event(chatChunk('stepwise', text)))
      end = () => res.end(event('[DONE]'))
    })
    const events = (await ai.chat.completions.create(streamedChat('stepwise')))[Symbol.asyncIterator]()
    for (const word of ['one', 'two', 'three']) {
      next(word)
      expect((await events.next()).value?.choices[0]?.delta.content).toBe(word)
    }
    end()
    expect((await events.next()).done).toBe(true)
  })

  test('passes unchanged if its events are not what they should be', async () => {
    const { post, usageOf } = await aiUser(server)
    const odd = 'data: {"choices": [\n\ndata: nonsense\n\nevent\n\n\r\ndata:{"usage":7}\n\nthe end'
    provider.answers.set('odd', (_seen, res) => void beginEvents(res).end(odd))
    expect((await post(streamedChat('odd'))).text).toBe(odd)
    expect((await usageOf()).totals).toEqual({ requests: 1, prompt_tokens: 0, completion_tokens: 0 })
  })

  test('ends at the provider when the client leaves, and what was sent of it is counted', async () => {
    const { ai, usageOf } = await aiUser(server)
    let isLeft: Promise<unknown> | undefined
    provider.answers.set('endless', (_seen, res) => {
      isLeft = once(res, 'close')
      beginEvents(res)
      for (const word of ['a', 'b', 'c']) res.write(event(chatChunk('endless', word)))
    })
    const chunks = await ai.chat.completions.create(streamedChat('endless'))
    let seen = 0
    for await (const _ of chunks) if (++seen === 3) break
    await isLeft
    await eventually(async () => (await usageOf()).totals.requests === 1)
    const { totals } = await usageOf()
    expect(totals.completion_tokens).toBe(3)
    expect(totals.prompt_tokens).toBeGreaterThan(0)
  })

  test('that breaks off at the provider is an error for the client, in words', async () => {
    const { ai, usageOf } = await aiUser(server)
    provider.answers.set('dying', (_seen, res) => {
      beginEvents(res).write(event(chatChunk('dying', 'a')), () => res.destroy())
    })
    const chunks = await ai.chat.completions.create(streamedChat('dying'))
    const all = async () => {
      for await (const _ of chunks) void _
    }
    await expect(all()).rejects.toThrow('The AI provider broke off in the middle of its answer.')
    await eventually(async () => (await usageOf()).totals.requests === 1)
  })

  test('that breaks off within an event is cut off', async () => {
    const { ai } = await aiUser(server)
    provider.answers.set('torn', (_seen, res) => {
      beginEvents(res).write('data: {"choi', () => res.destroy())
    })
    const chunks = await ai.chat.completions.create(streamedChat('torn'))
    const all = async () => {
      for await (const _ of chunks) void _
    }
    await expect(all()).rejects.toThrow()
  })

  test('comes to a hundred clients at the same time', async () => {
    const { ai, usageOf } = await aiUser(server)
    const waiting: (() => void)[] = []
    provider.answers.set('crowded', (_seen, res) => {
      beginEvents(res).write(event(chatChunk('crowded', 'first')))
      waiting.push(() => res.end(event(usageChunk('crowded')) + event('[DONE]')))
      if (waiting.length === 100) for (const finish of waiting) finish()
    })
    const one = async () => {
      let text = ''
      for await (const chunk of await ai.chat.completions.create(streamedChat('crowded')))
        text += chunk.choices[0]!.delta.content
      return text
    }
    const all = await Promise.all(Array.from({ length: 100 }, one))
    expect(all).toEqual(Array(100).fill('first'))
    expect((await usageOf()).totals).toEqual({ requests: 100, prompt_tokens: 700, completion_tokens: 300 })
  })

  test('is read from the provider no faster than a slow client takes it', async () => {
    const { secret } = await aiUser(server)
    const part = event(chatChunk('flood', 'x'.repeat(64 * 1024)))
    const parts = 500
    let sent = 0
    let isWaiting = false
    provider.answers.set('flood', async (_seen, res) => {
      beginEvents(res)
      for (; sent < parts; sent++) {
        isWaiting = !res.write(part)
        if (isWaiting) await once(res, 'drain')
      }
      res.end(event('[DONE]'))
    })
    const socket = connect(server.running.port, '127.0.0.1')
    socket.pause()
    const body = JSON.stringify(streamedChat('flood'))
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ai.localhost\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await eventually(async () => isWaiting)
    // The provider cannot send any more, because all buffers between it and the client are full.
    let before = -1
    await eventually(async () => {
      const stands = isWaiting && sent === before
      before = sent
      await new Promise(resolve => setTimeout(resolve, 300))
      return stands && sent === before
    })
    expect(sent).toBeLessThan(parts)
    let bytes = 0
    socket.on('data', chunk => {
      bytes += chunk.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(bytes).toBeGreaterThan(parts * part.length)
  })
})
