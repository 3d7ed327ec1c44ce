// The list of models. With several providers, it merges their lists. Each provider adds the models that it serves here.
import type { AiUpstream } from '../../core/ai/upstreams.ts'
import { upstreamFor } from '../../core/ai/upstreams.ts'
import type { AiCall } from './calls.ts'
import { GatewayError } from './errors.ts'
import type { Providers } from './provider.ts'
import { redactKey } from './redact.ts'

const listBytes = 4 * 1024 * 1024
const listMs = 15_000

interface Model {
  id: string
}

export async function listModels(
  providers: Providers,
  upstreams: readonly AiUpstream[],
  call: AiCall,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ object: 'list'; data: Model[] }> {
  const lists = await Promise.allSettled(
    upstreams.map(async upstream => {
      const models = await listOf(providers, upstream, call, headers, signal)
      return models.filter(({ id }) => upstreamFor(upstreams, id) === upstream)
    }),
  )
  signal.throwIfAborted()
  const answered = lists.filter(list => list.status === 'fulfilled')
  if (answered.length === 0)
    throw new GatewayError(502, 'upstream_error', 'No AI provider lists its models.', {
      cause: (lists[0] as PromiseRejectedResult).reason,
    })
  return { object: 'list', data: answered.flatMap(({ value }) => value) }
}

async function listOf(
  providers: Providers,
  upstream: AiUpstream,
  call: AiCall,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Model[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(listMs)])
  const answer = await providers.send(upstream, { call, headers, body: undefined, signal: limited })
  const end = () => answer.destroy()
  limited.addEventListener('abort', end, { once: true })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > listBytes) throw new Error(`the list of models of '${upstream.name}' is too long`)
    chunks.push(chunk)
  }
  limited.removeEventListener('abort', end)
  if (answer.statusCode !== 200) throw new Error(`'${upstream.name}' answered ${answer.statusCode}`)
  const { data } = JSON.parse(redactKey(Buffer.concat(chunks).toString(), upstream)) as { data?: unknown }
  if (!Array.isArray(data)) throw new Error(`'${upstream.name}' lists no models`)
  return data.filter((model): model is Model => typeof model?.id === 'string')
}
