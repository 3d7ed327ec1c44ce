// The AI gateway at ai.<domain>: OpenAI-compatible calls, made with `ai` tokens, go to the operator's AI providers.
// Token → limits → body → provider → credit → send → pass the answer on → count.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatBytes } from '@svc/contract/bytes'
import type { Logger } from 'pino'
import { AiCredit } from '../../core/ai/credit.ts'
import { type AiKey, aiKeyBehind } from '../../core/ai/keys.ts'
import { type AiLimitSettings, AiLimits } from '../../core/ai/limits.ts'
import type { Prices } from '../../core/ai/prices.ts'
import { noTokens, type TokenCounts } from '../../core/ai/token-counts.ts'
import { type AiUpstream, upstreamFor } from '../../core/ai/upstreams.ts'
import type { PlanSettings, Platform, TokenParts } from '../../core/base/platform.ts'
import { readSmallBody } from '../../lib/small-body.ts'
import { answerJson } from '../answer.ts'
import { bearerOf } from '../authenticate.ts'
import type { HttpHandler } from '../server.ts'
import { type AiCall, readCall } from './calls.ts'
import { type Delivered, deliver } from './deliver.ts'
import { answerError, GatewayError } from './errors.ts'
import { providerHeaders } from './headers.ts'
import { listModels } from './models.ts'
import { isTooLate, Providers, type ProviderTimes, tooLate } from './provider.ts'
import { refusalOf } from './refusals.ts'
import { type AskedFor, readAskedFor } from './request-body.ts'

interface GatewaySettings {
  platform: TokenParts & PlanSettings & Pick<Platform, 'aiUsage'>
  log: Logger
  upstreams: readonly AiUpstream[]
  prices: Prices
  limits: AiLimitSettings
  bodyBytes: number
  times: ProviderTimes
}

interface Gateway extends Omit<GatewaySettings, 'limits' | 'times'> {
  limits: AiLimits
  credit: AiCredit
  providers: Providers
}

/** One call while the gateway handles it. */
interface CallContext {
  req: IncomingMessage
  res: ServerResponse
  key: AiKey
  /** Aborted when the client disconnects or the time is up. */
  signal: AbortSignal
  /** Aborted when the time is up. */
  deadline: AbortSignal
}

/** The reason of every abort. It is made once, because an abort without a reason makes a new error with a stack. */
const clientLeft = new Error('The client left.')
const bodyTimeoutMs = 5 * 60_000
/** A request that names no model is counted under this name. Requests for images may name none. */
const noModel = 'unspecified'

export function createAiGateway(settings: GatewaySettings): HttpHandler {
  const { platform, log, limits, times } = settings
  const gateway: Gateway = {
    ...settings,
    limits: new AiLimits(limits, platform),
    credit: new AiCredit(platform, times.total),
    providers: new Providers(times),
  }
  return (req, res) => {
    const leaving = new AbortController()
    const ending = new AbortController()
    const late = setTimeout(() => {
      ending.abort(tooLate())
      leaving.abort(ending.signal.reason)
    }, times.total)
    res.once('close', () => {
      if (!res.writableEnded) leaving.abort(clientLeft)
    })
    handleAiRequest(gateway, req, res, { signal: leaving.signal, deadline: ending.signal })
      .catch(error => {
        const { aborted, reason } = leaving.signal
        if (!aborted) answerError(log, req, res, error)
        else if (reason instanceof GatewayError) answerError(log, req, res, reason)
      })
      .finally(() => clearTimeout(late))
  }
}

async function handleAiRequest(
  gateway: Gateway,
  req: IncomingMessage,
  res: ServerResponse,
  signals: Pick<CallContext, 'signal' | 'deadline'>,
): Promise<void> {
  const { limits, upstreams } = gateway
  const key = await authenticate(gateway, req)
  const call = readCall(req)
  const { limit, remaining } = await limits.count(key)
  res.setHeader('x-ratelimit-limit', limit)
  res.setHeader('x-ratelimit-remaining', remaining)
  if (upstreams.length === 0) throw notSetUp()
  const leave = limits.enter(key.ownerId)
  try {
    const context = { req, res, key, ...signals }
    if (call.name === 'models' && upstreams.length > 1) await answerModels(gateway, context, call)
    else if (call.method === 'GET') await answerModel(gateway, context, call)
    else await answerCall(gateway, context, call)
  } finally {
    leave()
  }
}

const noToken = "This needs an AI token: Authorization: Bearer <token>. Create one with 'svc token ai'."

async function authenticate({ platform }: Gateway, req: IncomingMessage): Promise<AiKey> {
  const secret = bearerOf(req)
  const key = secret === undefined ? { refused: noToken } : await aiKeyBehind(platform, secret)
  if ('refused' in key) throw new GatewayError(401, 'invalid_api_key', key.refused)
  return key
}

async function answerModels(
  gateway: Gateway,
  { req, res, key, signal }: CallContext,
  call: AiCall,
): Promise<void> {
  const { providers, upstreams } = gateway
  const headers = providerHeaders(req.headers, key.ownerId)
  answerJson(res, 200, await listModels(providers, upstreams, call, headers, signal))
}

/** Answers with one model or the list of them. This is free of charge and not counted. */
async function answerModel(gateway: Gateway, context: CallContext, call: AiCall): Promise<void> {
  const model = call.name.slice('models/'.length)
  const upstream = chooseUpstream(gateway, model)
  await exchange(gateway, context, { call, upstream, body: undefined, leavesOutUsage: false })
}

async function answerCall(gateway: Gateway, context: CallContext, call: AiCall): Promise<void> {
  const { credit, prices, limits } = gateway
  const { req, key } = context
  const release = limits.hold(key.ownerId, heldBytes(gateway, req))
  let giveBack: () => void = () => undefined
  let state: 'held' | 'sent' | 'answered' = 'held'
  try {
    const body = await readBody(gateway, context)
    // The token may have been revoked while the client sent the body.
    await authenticate(gateway, req)
    const asked = await readAskedFor(call, req.headers['content-type'] ?? '', body)
    const upstream = chooseUpstream(gateway, asked.model)
    giveBack = await credit.reserve(key.ownerId, prices.cost(asked.model, asked.estimate))
    const asksForUsage = upstream.streamUsage && asked.needsUsageOption
    const sent = exchange(gateway, context, {
      ...{ call, upstream, body: asked.bodyFor(asksForUsage), leavesOutUsage: asksForUsage },
      onSent: () => {
        state = 'sent'
      },
      onAnswer: () => {
        state = 'answered'
        release()
      },
    })
    const delivered = await sent.catch(error => {
      // The provider has the request and may charge for it, though it has not answered yet.
      const isUnanswered = state === 'sent' && (context.signal.aborted || isTooLate(error))
      if (isUnanswered) count(gateway, key, asked, { counts: undefined, events: 0, isWhole: false })
      throw error
    })
    count(gateway, key, asked, delivered)
  } finally {
    release()
    giveBack()
  }
}

function chooseUpstream({ upstreams }: Gateway, model: string): AiUpstream {
  const upstream = upstreamFor(upstreams, model)
  if (upstream) return upstream
  if (model === '')
    throw new GatewayError(400, 'invalid_request', 'model: is missing. GET /v1/models lists the models.', {
      param: 'model',
    })
  throw new GatewayError(
    404,
    'model_not_found',
    `There is no model '${model}' here. GET /v1/models lists the models.`,
    { param: 'model' },
  )
}

/** How many bytes to reserve for a body. A body of unknown length may be as long as the limit. */
const heldBytes = ({ bodyBytes }: Gateway, { headers }: IncomingMessage): number =>
  Math.min(bodyBytes, Number(headers['content-length'] ?? bodyBytes))

async function readBody({ bodyBytes }: Gateway, { req, res }: CallContext): Promise<Buffer> {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new GatewayError(415, 'unsupported_media_type', 'Send the body without Content-Encoding.')
  const tooLarge = `The body may have at most ${formatBytes(bodyBytes)}.`
  return await readSmallBody(req, res, { bytes: bodyBytes, timeoutMs: bodyTimeoutMs, tooLarge })
}

interface Exchange {
  call: AiCall
  upstream: AiUpstream
  body: Buffer | undefined
  leavesOutUsage: boolean
  onSent?: () => void
  onAnswer?: () => void
}

async function exchange(
  { providers }: Gateway,
  { req, res, key, signal, deadline }: CallContext,
  { call, upstream, body, leavesOutUsage, onSent, onAnswer }: Exchange,
): Promise<Delivered> {
  signal.throwIfAborted()
  const headers = providerHeaders(req.headers, key.ownerId)
  const answer = await providers.send(upstream, {
    ...{ call, headers, body, signal },
    // What is free of charge ends with its client.
    ...(body !== undefined && { deadline }),
    ...(onSent && { onSent }),
  })
  onAnswer?.()
  const { statusCode = 502 } = answer
  if (statusCode < 200 || statusCode >= 300) {
    const refusal = await refusalOf(answer, answer, upstream)
    answer.destroy()
    throw refusal
  }
  const silenceMs = providers.times.silence
  return await deliver(answer, res, { silenceMs, leavesOutUsage, upstream, signal, deadline })
}

function count({ platform, prices }: Gateway, key: AiKey, asked: AskedFor, delivered: Delivered): void {
  const model = asked.model || noModel
  const { prompt, cached, completion } = tokensOf(asked, delivered)
  platform.aiUsage.note({
    ...key,
    model,
    uncounted: delivered.counts === undefined ? 1 : 0,
    unpriced: prices.isKnown(model) ? 0 : 1,
    prompt_tokens: prompt,
    cached_tokens: cached,
    completion_tokens: completion,
    cost: prices.cost(model, { prompt, cached, completion }),
  })
}

/**
 * A streamed answer counts its tokens in its last event. If the client leaves before that, or before the answer begins, they are
 * estimated: otherwise leaving early would be free. A whole answer without counts has none.
 */
function tokensOf({ estimate }: AskedFor, { counts, events, isWhole }: Delivered): TokenCounts {
  if (counts !== undefined) return counts
  return isWhole ? noTokens : { prompt: estimate.prompt, cached: 0, completion: events }
}

const notSetUp = (): GatewayError =>
  new GatewayError(
    503,
    'not_configured',
    'The AI gateway is not set up on this instance. Its operator sets SVCD_AI_UPSTREAM and SVCD_AI_KEY.',
    { mayRetry: false },
  )
