import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { aiToken, openAi, providerKey, usage, useAiProvider } from '../../testing/ai.ts'
import { makeOrg } from '../../testing/orgs.ts'
import { onEveryServer } from '../../testing/server.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Hello' }] }

const { environment, provider } = useAiProvider()

onEveryServer(server => {
  const someone = async () => {
    const account = await server().account()
    const token = await aiToken(server(), account.id)
    return { ...account, ai: openAi(server(), token), aiToken: token }
  }
  const usageOf = async (token: string) => (await server().request('/usage/ai', { token })).json

  test('a chat completion passes, and is counted for its owner', async () => {
    const { ai, token } = await someone()
    const answer = await ai.chat.completions.create(hello)
    expect(answer.choices[0]?.message.content).toBe('Hello world')
    const counts = { requests: 1, prompt_tokens: 7, completion_tokens: 3 }
    expect(await usageOf(token)).toEqual({ usage: [{ model: 'gpt-4o', ...counts }], totals: counts })
  })

  test('tool calls come through', async () => {
    const { ai } = await someone()
    const tools = [
      { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
    ]
    const answer = await ai.chat.completions.create({ ...hello, tools })
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'weather' } })
  })

  test('a streamed completion is counted, and the client sees no count that it did not ask for', async () => {
    const { ai, token } = await someone()
    const chunks = []
    for await (const chunk of await ai.chat.completions.create({ ...hello, stream: true })) chunks.push(chunk)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content)).toEqual(['Hello', ' ', 'world'])
    expect(provider().seen.at(-1)?.json.stream_options).toEqual({ include_usage: true })
    expect((await usageOf(token)).totals).toEqual({ requests: 1, prompt_tokens: 7, completion_tokens: 3 })
  })

  test('a client that asks for the counts of a stream gets them', async () => {
    const { ai, token } = await someone()
    const asked = { ...hello, stream: true as const, stream_options: { include_usage: true } }
    const counts = []
    for await (const chunk of await ai.chat.completions.create(asked))
      if (chunk.usage) counts.push(chunk.usage)
    expect(counts).toEqual([usage])
    expect((await usageOf(token)).totals.prompt_tokens).toBe(7)
  })

  test('embeddings, completions, responses, and audio are counted by their own names', async () => {
    const { ai, token } = await someone()
    await ai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello', encoding_format: 'float' })
    await ai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Hello' })
    await ai.responses.create({ model: 'gpt-5', input: 'Hello' })
    const streamed = await ai.responses.create({ model: 'gpt-5-mini', input: 'Hello', stream: true })
    const types = []
    for await (const { type } of streamed) types.push(type)
    expect(types).toEqual(['response.output_text.delta', 'response.completed'])
    const file = new File([Buffer.alloc(5_000, 7)], 'hello.mp3')
    expect(await ai.audio.transcriptions.create({ model: 'whisper', file })).toMatchObject({ text: 'Hi' })
    const speech = await ai.audio.speech.create({ model: 'tts', input: 'Hi', voice: 'alloy' })
    expect([...Buffer.from(await speech.arrayBuffer())]).toEqual([1, 2, 3])
    const rows = Object.fromEntries(
      (await usageOf(token)).usage.map((row: Record<string, unknown>) => [
        row.model,
        [row.prompt_tokens, row.completion_tokens],
      ]),
    )
    expect(rows).toEqual({
      'text-embedding-3-small': [4, 0],
      'gpt-3.5-turbo-instruct': [7, 3],
      'gpt-5': [11, 5],
      'gpt-5-mini': [11, 5],
      whisper: [14, 2],
      tts: [0, 0],
    })
  })

  test('models are listed, and asking for them counts as no use', async () => {
    const { ai, token } = await someone()
    expect((await ai.models.list()).data.map(({ id }) => id)).toEqual(['gpt-4o', 'llama'])
    expect((await ai.models.retrieve('gpt-4o')).id).toBe('gpt-4o')
    expect((await usageOf(token)).totals.requests).toBe(0)
  })

  test('the body goes on byte for byte', async () => {
    const { aiToken: token } = await someone()
    const body = '{ "model":"gpt-4o",\n\t"messages" : [],  "x":1.50e1, "é":"\\u00e9" }'
    const answer = await server().site('ai', '/v1/chat/completions?a=b&c', {
      method: 'POST',
      token,
      body,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(answer.status).toBe(200)
    expect(provider().seen.at(-1)?.body.toString()).toBe(body)
    expect(provider().seen.at(-1)?.path).toBe('/v1/chat/completions?a=b&c')
  })

  test('nothing about the client goes to the provider, and nothing about the operator comes back', async () => {
    const { aiToken: token } = await someone()
    const answer = await server().site('ai', '/v1/chat/completions', {
      method: 'POST',
      token,
      body: hello,
      headers: {
        cookie: 'a=b',
        'x-forwarded-for': '1.2.3.4',
        forwarded: 'for=1.2.3.4',
        'x-real-ip': '1.2.3.4',
        'x-api-key': 'mine',
        'openai-organization': 'org-mine',
        connection: 'x-secret',
        'x-secret': 'hop',
      },
    })
    expect(Object.keys(provider().seen.at(-1)!.headers).sort()).toEqual([
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ])
    expect(JSON.stringify(provider().seen.at(-1)?.headers)).not.toContain(token)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['openai-organization']).toBeUndefined()
    expect(answer.headers['x-request-id']).toBe('req_1')
    expect(JSON.stringify(answer.headers)).not.toContain(providerKey)
  })

  describe('tokens', () => {
    const refused = async (token: string | undefined) => {
      const answer = await server().site('ai', '/v1/models', { token })
      expect(answer.json.error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' })
      return answer.status
    }

    test('only those of the kind ai are taken', async () => {
      const { token, id } = await someone()
      const org = await makeOrg(server(), { [id]: 'owner' })
      const body = { kind: 'deploy' }
      const deploy = await server().request(`/orgs/${org.name}/tokens`, { method: 'POST', token, body })
      expect(await refused(undefined)).toBe(401)
      expect(await refused(token)).toBe(401)
      expect(await refused(deploy.json.token)).toBe(401)
      expect(await refused(`svc_${'x'.repeat(43)}`)).toBe(401)
    })

    test('one that is revoked or expired is refused, and OpenAI says so as it does at home', async () => {
      const { token } = await someone()
      const make = (more = {}) =>
        server().request('/tokens', { method: 'POST', token, body: { kind: 'ai', ...more } })
      const revoked = (await make()).json
      await openAi(server(), revoked.token).models.list()
      await server().request(`/tokens/${revoked.id}`, { method: 'DELETE', token })
      await expect(openAi(server(), revoked.token).models.list()).rejects.toThrow(OpenAI.AuthenticationError)
      const expires_at = new Date(server().clock.now() + 60_000).toISOString()
      const brief = (await make({ expires_at })).json
      await openAi(server(), brief.token).models.list()
      server().clock.advance(61_000)
      const late = openAi(server(), brief.token).models.list()
      await expect(late).rejects.toThrow(OpenAI.AuthenticationError)
      await expect(late).rejects.toThrow(
        `This token expired at ${expires_at}. Create one with 'svc token ai'.`,
      )
      await expect(openAi(server(), token).models.list()).rejects.toThrow("a token of the kind 'cli'")
    })

    test("an org's count for the org, and every member sees that", async () => {
      const { id, token } = await someone()
      const member = await server().account()
      const stranger = await server().account()
      const org = await makeOrg(server(), { [id]: 'owner', [member.id]: 'member' })
      await openAi(server(), await aiToken(server(), id, org.id)).chat.completions.create(hello)
      const seen = await server().request(`/orgs/${org.name}/usage/ai`, { token: member.token })
      expect(seen.json.totals).toEqual({ requests: 1, prompt_tokens: 7, completion_tokens: 3 })
      expect((await usageOf(token)).totals.requests).toBe(0)
      expect((await server().request(`/orgs/${org.name}/usage/ai`, { token: stranger.token })).status).toBe(
        404,
      )
    })
  })

  test('the days say what each model cost', async () => {
    const { ai, token } = await someone()
    await ai.chat.completions.create(hello)
    await ai.chat.completions.create({ ...hello, model: 'llama' })
    const { json } = await server().request('/usage/ai/days?days=7', { token })
    // 7 tokens of EUR 2.50 and 3 of EUR 10 per million.
    const cost_micro_cents = 7 * 250 + 3 * 1000
    expect(json.rows).toMatchObject([
      { model: 'gpt-4o', requests: 1, unpriced: 0, uncounted: 0, cost_micro_cents },
      { model: 'llama', requests: 1, unpriced: 1, cost_micro_cents: 0 },
    ])
    expect(json.month.cost_micro_cents).toBe(cost_micro_cents)
    expect(json.base_url).toBe(`http://ai.localhost:${server().running.port}/v1`)
    expect(json.is_set_up).toBe(true)
  })
}, environment)
