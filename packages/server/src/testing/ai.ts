// A strict stand-in for an AI provider on the loopback address, and OpenAI's client for the gateway.
import dns from 'node:dns'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI, { type ClientOptions } from 'openai'
import { afterAll, beforeAll } from 'vitest'
import { makeToken } from '../core/identity/tokens.ts'
import type { TestServer } from './server.ts'

interface Seen {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  json: any
}

type Answer = (seen: Seen, res: ServerResponse) => void

export const providerKey = 'provider-key-0123456789'

/** Refuses a wrong key, a body that it cannot read, and an unknown path, as OpenAI does. */
export class AiProvider {
  readonly seen: Seen[] = []
  /** Answers that a test sets for a model, instead of the usual ones. */
  readonly answers = new Map<string, Answer>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', chunk => chunks.push(chunk))
      req.on('end', () => {
        const { method = '', url = '', headers } = req
        const body = Buffer.concat(chunks)
        const isJson = headers['content-type']?.startsWith('application/json') && body.length > 0
        const seen = {
          method,
          path: url,
          headers,
          body,
          json: isJson ? JSON.parse(body.toString()) : undefined,
        }
        this.seen.push(seen)
        this.#answer(seen, res)
      })
    })
  }

  static async start(): Promise<AiProvider> {
    const provider = new AiProvider()
    await new Promise<void>(resolve => provider.#server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #answer(seen: Seen, res: ServerResponse): void {
    const path = seen.path.split('?')[0]!.replace(/^.*\/v1\//, '')
    const answer = this.answers.get(seen.json?.model) ?? usualAnswers[path]
    if (seen.headers.authorization !== `Bearer ${providerKey}`)
      sendJson(res, 401, { error: { message: `Incorrect API key provided: ${providerKey}.` } })
    else if (answer) answer(seen, res)
    else sendJson(res, 404, { error: { message: `Invalid URL (${seen.method} ${seen.path})` } })
  }
}

/** The body of a call for chat completions. */
export const chat = (model: string) => ({ model, messages: [{ role: 'user' as const, content: 'Hello' }] })
export const streamedChat = (model: string) => ({ ...chat(model), stream: true as const })

/** A new account with an `ai` token. */
export async function aiUser(server: TestServer) {
  const account = await server.account()
  const secret = await aiToken(server, account.id)
  return {
    ai: openAi(server, secret),
    secret,
    usageOf: async () => (await server.request('/usage/ai', { token: account.token })).json,
    post: (body: unknown, headers: Record<string, string> = {}) =>
      server.site('ai', '/v1/chat/completions', { method: 'POST', token: secret, body, headers }),
  }
}

export const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'set-cookie': 'session=of-the-operator',
    'openai-organization': 'org-of-the-operator',
    'x-request-id': 'req_1',
  })
  res.end(text)
}

export const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

export const beginEvents = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })

export const chatChunk = (model: string, content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
})

export const usageChunk = (model: string) => ({ ...chatChunk(model, ''), choices: [], usage })

const usualAnswers: Record<string, Answer> = {
  models: (_seen, res) =>
    sendJson(res, 200, {
      object: 'list',
      data: [
        { id: 'gpt-4o', object: 'model' },
        { id: 'llama', object: 'model' },
      ],
    }),
  'models/gpt-4o': (_seen, res) => sendJson(res, 200, { id: 'gpt-4o', object: 'model' }),
  'chat/completions': ({ json }, res) => {
    const { model, stream, stream_options, tools } = json
    if (stream) {
      beginEvents(res)
      for (const word of ['Hello', ' ', 'world']) res.write(event(chatChunk(model, word)))
      if (stream_options?.include_usage) res.write(event(usageChunk(model)))
      res.end(event('[DONE]'))
      return
    }
    const called = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Delft"}' },
    }
    const message = tools
      ? { role: 'assistant', content: null, tool_calls: [called] }
      : { role: 'assistant', content: 'Hello world' }
    const choices = [{ index: 0, message, finish_reason: tools ? 'tool_calls' : 'stop' }]
    sendJson(res, 200, { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage })
  },
  completions: ({ json }, res) =>
    sendJson(res, 200, {
      id: 'cmpl-1',
      object: 'text_completion',
      model: json.model,
      choices: [{ text: 'Hi', index: 0 }],
      usage,
    }),
  embeddings: ({ json }, res) =>
    sendJson(res, 200, {
      object: 'list',
      model: json.model,
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  responses: ({ json }, res) => {
    const counts = {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens: 5,
      total_tokens: 16,
    }
    const response = { id: 'resp_1', object: 'response', model: json.model, output: [], usage: counts }
    if (json.stream) {
      const delta = { type: 'response.output_text.delta', delta: 'Hi', sequence_number: 1 }
      beginEvents(res).write(`event: ${delta.type}\n${event(delta)}`)
      const completed = { type: 'response.completed', sequence_number: 2, response }
      res.end(`event: ${completed.type}\n${event(completed)}`)
    } else sendJson(res, 200, response)
  },
  'audio/transcriptions': (_seen, res) =>
    sendJson(res, 200, {
      text: 'Hi',
      usage: { type: 'tokens', input_tokens: 14, output_tokens: 2, total_tokens: 16 },
    }),
  'audio/speech': (_seen, res) => {
    res.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from([1, 2, 3]))
  },
}

/** Resolves names below localhost to this machine, as browsers do. The system's resolver may not know them. */
const lookup = dns.lookup
dns.lookup = ((name: string, options: object, callback: (...all: unknown[]) => void) =>
  lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, options, callback as never)) as typeof dns.lookup

/** OpenAI's client, configured to call the gateway. */
export const openAi = (server: TestServer, token: string, options: ClientOptions = {}): OpenAI =>
  new OpenAI({
    apiKey: token,
    baseURL: `http://ai.localhost:${server.running.port}/v1`,
    maxRetries: 0,
    ...options,
  })

/** Creates a token for the AI gateway. */
export async function aiToken(server: TestServer, accountId: string, orgId?: string): Promise<string> {
  const { platform } = server.running
  const token = { kind: 'ai', label: '', accountId, ...(orgId === undefined ? {} : { orgId }) } as const
  return (await makeToken(platform.store.db, server.clock.now(), token)).token
}

/** Starts a provider for the tests of a file. The platform finds it by `environment`. */
export function useAiProvider() {
  const environment: Record<string, string> = { SVCD_AI_KEY: providerKey }
  let provider: AiProvider
  beforeAll(async () => {
    provider = await AiProvider.start()
    environment.SVCD_AI_UPSTREAM = provider.url
  })
  afterAll(() => provider.stop())
  return { environment, provider: () => provider }
}
