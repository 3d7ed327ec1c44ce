// All users share the operator's account at the provider: nothing is stored there, no stored thing is opened, and the key stays.
import { describe, expect, test } from 'vitest'
import {
  aiUser,
  beginEvents,
  chat,
  event,
  providerKey,
  streamedChat,
  useAiProvider,
} from '../../testing/ai.ts'
import { onEveryServer } from '../../testing/server.ts'

const { environment, provider } = useAiProvider()

onEveryServer(server => {
  const respond = async (body: unknown) => {
    const { secret } = await aiUser(server())
    return await server().site('ai', '/v1/responses', { method: 'POST', token: secret, body })
  }
  const sent = () => provider().seen.at(-1)!

  describe('nothing is stored at the provider', () => {
    test.each([
      ['a response that does not say', { model: 'gpt-5', input: 'Hi' }],
      ['a response that asks for it', { model: 'gpt-5', store: true, input: 'Hi' }],
      ['a response that leaves it to the provider', { store: null, model: 'gpt-5', input: 'Hi' }],
    ])('%s', async (_name, body) => {
      expect((await respond(body)).status).toBe(200)
      expect(sent().json).toEqual({ ...body, store: false })
    })

    test('a chat completion that asks for it', async () => {
      const { ai } = await aiUser(server())
      await ai.chat.completions.create({ ...chat('gpt-4o'), store: true })
      expect(sent().json.store).toBe(false)
      const stream = await ai.chat.completions.create({ ...streamedChat('gpt-4o'), store: true })
      for await (const _ of stream) void _
      expect(sent().json).toMatchObject({ store: false, stream_options: { include_usage: true } })
    })

    test('other bodies are sent byte for byte', async () => {
      const { post } = await aiUser(server())
      const body = '{ "model":"gpt-4o",\n"messages" : [], "store": false }'
      await post(body, { 'content-type': 'application/json' })
      expect(sent().body.toString()).toBe(body)
    })
  })

  describe('an id of something stored is refused in words', () => {
    const file = { type: 'input_file', file_id: 'file-abc' }
    test.each<[string, object]>([
      ['previous_response_id', { previous_response_id: 'resp_1' }],
      ['conversation', { conversation: 'conv_1' }],
      ['conversation', { conversation: { id: 'conv_1' } }],
      ['prompt', { prompt: { id: 'pmpt_1' } }],
      ['file_id', { input: [{ role: 'user', content: [file] }] }],
      [
        'file_ids',
        { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-a'] } }] },
      ],
      ['vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
      ['container', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }],
      ['container', { container: 'container_1' }],
      ['id', { container: { id: 'container_1', skills: [] } }],
      ['id', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
      ['id', { input: [{ id: 'msg_1' }] }],
      ['item_reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
      ['item_reference', { input: [{ id: 'msg_1', type: null }] }],
    ])('%s in %j', async (param, more) => {
      const before = provider().seen.length
      const { status, json } = await respond({ model: 'gpt-5', input: 'Hi', ...more })
      expect([status, json.error.code, json.error.param]).toEqual([400, 'invalid_request', param])
      expect(json.error.message).toContain('the one account that all users of this gateway share')
      expect(provider().seen.length).toBe(before)
    })

    test.each([
      '{"model":"gpt-5","input":[{"FILE_\\u0069d" :\n"file-1"}]}',
      '{"model":"gpt-5","input":[{"type":"item\\u005freference","id":"x"}]}',
    ])('also as %s', async text => {
      const { secret } = await aiUser(server())
      const headers = { 'content-type': 'application/json' }
      const answer = await server().site('ai', '/v1/responses', {
        ...{ method: 'POST', token: secret, body: text, headers },
      })
      expect(answer.status).toBe(400)
    })

    test('the same words in texts, in tools of the client and in empty fields pass', async () => {
      const properties = {
        file_id: { type: 'string' },
        file_ids: { type: 'array' },
        type: { type: 'string' },
      }
      const tool = { type: 'function', name: 'open', parameters: { type: 'object', properties } }
      const text = 'say "file_id": "file-1" and {"type":"item_reference"}'
      const earlier = { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
      const input = [earlier, { role: 'user', content: text }]
      const body = { model: 'gpt-5', input, tools: [tool], previous_response_id: null }
      expect((await respond(body)).status).toBe(200)
      const { secret } = await aiUser(server())
      const completion = { model: 'gpt-3.5-turbo-instruct', prompt: '{' }
      const options = { method: 'POST', token: secret, body: completion }
      expect((await server().site('ai', '/v1/completions', options)).status).toBe(200)
    })

    test.each([
      ...['/v1/responses/resp_1', '/v1/responses/resp_1/cancel', '/v1/conversations', '/v1/..;/admin'],
      ...['/v1/messages/batches', '/v1/audio/voices'],
    ])('POST %s is not passed on', async path => {
      const { secret } = await aiUser(server())
      const before = provider().seen.length
      const answer = await server().site('ai', path, { method: 'POST', token: secret, body: {} })
      expect([answer.status, answer.json.error.code]).toEqual([404, 'unknown_url'])
      expect(provider().seen.length).toBe(before)
    })
  })

  describe('the key of the operator', () => {
    test.each([1, 5, 22])('is overwritten in a stream, also if it comes in parts of %i bytes', async size => {
      const { post } = await aiUser(server())
      const words = `${event({ say: `<${providerKey}>` })}${event('[DONE]')}`
      provider().answers.set('leaky', async (_seen, res) => {
        beginEvents(res)
        for (let at = 0; at < words.length; at += size) {
          await new Promise(resolve => res.write(words.slice(at, at + size), resolve))
          await new Promise(setImmediate)
        }
        res.end()
      })
      const { text } = await post(streamedChat('leaky'))
      expect(text).toBe(words.replace(providerKey, '*'.repeat(providerKey.length)))
    })

    test('is overwritten in an answer of known length', async () => {
      const { post } = await aiUser(server())
      provider().answers.set('leaky-json', (_seen, res) => {
        const body = JSON.stringify({ say: providerKey, near: providerKey.slice(0, -1), end: 'provider-' })
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
      })
      const { json } = await post(chat('leaky-json'))
      expect(json).toEqual({
        say: '*'.repeat(providerKey.length),
        near: providerKey.slice(0, -1),
        end: 'provider-',
      })
    })
  })
}, environment)
