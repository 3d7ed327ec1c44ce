// The API: route → authenticate → limit → validate → handle → answer, the same for every endpoint.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Endpoint, type EndpointKey, endpoints } from '@svc/contract'
import findMyWay from 'find-my-way'
import type { Logger } from 'pino'
import type { Platform } from '../core/base/platform.ts'
import type { ForwardedRequest } from '../lib/client-address.ts'
import { Fault } from '../lib/fault.ts'
import type { Received } from '../lib/received.ts'
import { goAhead } from '../lib/small-body.ts'
import { type ApiRequest, answerFault, answerJson } from './answer.ts'
import { authenticate } from './authenticate.ts'
import { authorise, confirmAuthorised, requireReach } from './authorise.ts'
import { readJson, requireType } from './body.ts'
import { type Call, type Handler, RawAnswer, WithStatus } from './call.ts'
import { allowOrigin } from './cors.ts'
import { type LimitRate, limitRates } from './rate-limits.ts'
import { handlers } from './routes/index.ts'
import { isStorable, validate } from './validate.ts'
import { isWebSocket, SwitchToWebSocket, switchToWebSocket } from './websocket.ts'

interface ApiSettings {
  platform: Platform
  log: Logger
  clientAddress(request: ForwardedRequest): string
}

interface EndpointRoute {
  key: EndpointKey
  endpoint: Endpoint
  handle: Handler<EndpointKey>
}

interface Found {
  route: EndpointRoute
  params: Record<string, string | undefined>
  query: Record<string, unknown>
}

export type HttpHandler = (req: IncomingMessage, res: ServerResponse, received: Received) => void

export function createApi(settings: ApiSettings): HttpHandler {
  const { urls, version, requestCounts } = settings.platform
  const find = createRouter(settings.platform)
  const limited = { ...settings, limit: limitRates(settings.platform) }
  return (req, res, { peer, requestId, upgrade }) => {
    const request: ApiRequest = { req, res, peer, requestId, ...(upgrade && { upgrade }) }
    const found = find(req)
    if (upgrade && !(found?.route.endpoint.status === 101 && isWebSocket(upgrade))) return upgrade.decline()
    // The command line says when it is older.
    res.setHeader('x-svc-version', version)
    if (allowOrigin(urls.dashboard, req, res)) return
    if (isBrowserAtRoot(req)) {
      res.writeHead(302, { location: urls.dashboard }).end()
      return
    }
    const startedAt = performance.now()
    const count = (status: number) =>
      requestCounts.addCall(found?.route.key ?? 'none', status, performance.now() - startedAt)
    res.once('close', () => count(res.headersSent ? res.statusCode : 0))
    const served = found ? handleApiRequest(limited, found, request) : Promise.reject(noSuchEndpoint(req))
    // `res` does not see the end of a connection that another protocol has.
    served
      .then(status => status === 101 && count(status))
      .catch(error =>
        // The log names the endpoint, not the path, because a path may contain the secret of an invite.
        answerFault(settings.log, found?.route.key ?? 'none', request, error),
      )
  }
}

function createRouter(platform: Platform): (req: IncomingMessage) => Found | undefined {
  const router = findMyWay({ maxParamLength: 500 })
  const table = handlers(platform)
  for (const key of Object.keys(endpoints) as EndpointKey[]) {
    const [method, path = ''] = key.split(' ')
    const route: EndpointRoute = { key, endpoint: endpoints[key], handle: table[key] as Handler<EndpointKey> }
    router.on(method as 'GET', path, () => undefined, route)
  }
  return req => {
    const target = req.url ?? '/'
    const found = router.find(req.method === 'HEAD' ? 'GET' : (req.method as 'GET'), target)
    if (!found || !Object.values(found.params).every(part => isStorable(part ?? ''))) return undefined
    const mark = target.indexOf('?')
    const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(mark + 1)))
    return { route: found.store as EndpointRoute, params: found.params, query }
  }
}

async function handleApiRequest(
  settings: ApiSettings & { limit: LimitRate },
  { route, params, query: given }: Found,
  request: ApiRequest,
): Promise<number> {
  const { req, res, requestId } = request
  const { platform, log } = settings
  const { key, endpoint } = route
  const ip = settings.clientAddress(request)
  const findCaller = async () =>
    endpoint.access === 'none' ? undefined : await authenticate(platform, endpoint, req, ip)
  let caller = await findCaller()
  requireReach(key, caller)
  const limit = await settings.limit({ endpoint, ip, caller, params }, res)
  let authorised = await authorise(platform, route, caller, params.name)
  if (endpoint.status === 101 && !request.upgrade)
    throw new Fault('invalid_request', 'This endpoint answers with a WebSocket: send Upgrade: websocket.')
  if (endpoint.rawBody && !endpoint.typeByContent) requireType(req, endpoint.rawBody)
  const query = endpoint.query ? validate(endpoint.query, given) : {}
  let body: unknown
  if (endpoint.body) {
    body = validate(endpoint.body, await readJson(req, res))
    // The client may have sent the body slowly, and the rights count that the caller has when the request is whole.
    caller = await findCaller()
    authorised = await authorise(platform, route, caller, params.name)
  }
  await limit.checkBody(body)
  const stream = (): Readable => goAhead(req, res)
  const gone = (): AbortSignal => {
    const closing = new AbortController()
    res.once('close', () => closing.abort())
    return closing.signal
  }
  const confirmRights = async () =>
    await confirmAuthorised(platform, endpoint, await findCaller(), authorised)
  const { headers } = req
  // Named one by one: with `...authorised` each call would take longer.
  const { project, org } = authorised
  const call = { caller, project, org, params, query, body, ip, headers, stream, gone, confirmRights }
  const answer = await route.handle(call as unknown as Call<EndpointKey>)
  await limit.succeeded()
  const status =
    answer instanceof SwitchToWebSocket
      ? switchTo(answer, request, {
          clock: platform.clock,
          onError: err => log.error({ err, endpoint: key, request: requestId }, 'a WebSocket'),
        })
      : await send(request, endpoint.status ?? 200, answer)
  log[req.method === 'GET' ? 'debug' : 'info'](
    { endpoint: key, status, ip, account: caller?.account.login, request: requestId },
    'api',
  )
  return status
}

function switchTo(
  answer: SwitchToWebSocket,
  { req, upgrade }: ApiRequest,
  parts: Parameters<typeof switchToWebSocket>[3],
): number {
  switchToWebSocket(req, upgrade!, answer, parts)
  return 101
}

/** Returns the status that was sent. */
async function send({ req, res }: ApiRequest, status: number, answer: unknown): Promise<number> {
  if (answer instanceof RawAnswer) await sendRaw(res, answer, req.method === 'HEAD')
  else if (answer instanceof WithStatus) answerJson(res, answer.status, answer.answer)
  else answerJson(res, status, answer)
  return res.statusCode
}

/**
 * Sends an answer that is not JSON. An error after the first byte closes the connection, so that the answer does not
 * look complete.
 */
async function sendRaw(
  res: ServerResponse,
  { status, headers, body }: RawAnswer,
  isHead: boolean,
): Promise<void> {
  res.writeHead(status, headers)
  if (!(body instanceof Readable)) res.end(body)
  else if (isHead) {
    // The stream may never end, and none of it is sent.
    body.destroy()
    res.end()
  } else
    await pipeline(body, res).catch(error => {
      // A client that disconnects is not an error.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    })
}

const noSuchEndpoint = (req: IncomingMessage): Fault =>
  new Fault('not_found', `There is no ${req.method} ${req.url?.split('?')[0]?.slice(0, 200)} in this API.`)

const isBrowserAtRoot = (req: IncomingMessage): boolean =>
  req.url === '/' && req.method === 'GET' && /text\/html/i.test(req.headers.accept ?? '')
