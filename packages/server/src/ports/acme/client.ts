// The ACME client, built on acme-client with our own HTTP requests: without hidden retries, and with the Retry-After of the
// authority passed on.
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { Client } from 'acme-client'
import { Secret } from '../../lib/secret.ts'
import { certificateId } from './certificate-id.ts'
import {
  type Acme,
  type AcmeAccount,
  AcmeAway,
  AcmeRefusal,
  type Challenge,
  type RenewalWindow,
} from './port.ts'

interface AcmeSettings {
  directory: string
  email: string | undefined
  /** Certificates of further trusted authorities, for the TLS connection to the directory. */
  caFile: string | undefined
  /** The account that the authority has of the operator already. Some authorities issue nothing without it. */
  binding?: { keyId: string; key: Secret } | undefined
}

type Library = typeof import('acme-client')

const timeLimitMs = 30_000
/** How often to ask the authority for its result: 16 times within about a minute. */
const polling = { backoffAttempts: 16, backoffMin: 250, backoffMax: 5_000 }

export function acmeClient({ directory, email, caFile, binding }: AcmeSettings): Acme {
  // Made once: given as `ca`, each connection would read all of the certificates again, which takes 50 ms.
  const trusted = caFile === undefined ? {} : { secureContext: trusting(caFile) }
  agents.set(new URL(directory).host, new Agent({ keepAlive: true, ...trusted }))
  let found: Promise<string | undefined> | undefined
  /** Where the authority answers about renewals. Asked for once, if the directory answers. */
  const renewals = () => {
    found ??= renewalUrl(directory).catch(error => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    directory,
    async newKey() {
      const { crypto } = await library()
      return new Secret((await crypto.createPrivateEcdsaKey('P-256')).toString())
    },
    async check() {
      await get(directory)
    },
    async account(key) {
      const { Client, crypto } = await library()
      const client = new Client({
        directoryUrl: directory,
        accountKey: key.reveal(),
        ...(binding && { externalAccountBinding: { kid: binding.keyId, hmacKey: binding.key.reveal() } }),
        ...polling,
      })
      const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
      try {
        await asRefusal(client.createAccount({ termsOfServiceAgreed: true, ...contact }))
      } catch (error) {
        if (binding || error instanceof AcmeAway || !(await wantsBinding(directory))) throw error
        throw new AcmeRefusal(`the authority issues only to accounts that it knows: ${sayBinding}`)
      }
      return accountOf(client, crypto, async chain => (await renewals()) && certificateId(chain))
    },
    async renewal(chain) {
      const base = await renewals()
      const id = base && certificateId(chain)
      return id ? windowIn((await get(`${base}/${id}`)).data) : undefined
    },
  }
}

const sayBinding = 'set SVCD_ACME_EAB_KEY_ID and SVCD_ACME_EAB_KEY to what it shows there'

async function wantsBinding(directory: string): Promise<boolean> {
  try {
    const { data } = await get(directory)
    const { meta } = JSON.parse(data) as { meta?: { externalAccountRequired?: boolean } }
    return meta?.externalAccountRequired === true
  } catch {
    return false // The first error says more.
  }
}

const get = (url: string): Promise<Answered> => send({ url, method: 'get', headers: { toJSON: () => ({}) } })

async function renewalUrl(directory: string): Promise<string | undefined> {
  const { renewalInfo } = JSON.parse((await get(directory)).data) as { renewalInfo?: unknown }
  return typeof renewalInfo === 'string' && URL.canParse(renewalInfo) ? renewalInfo : undefined
}

/** `undefined` if the answer is no window. */
function windowIn(body: string): RenewalWindow | undefined {
  const { suggestedWindow } = JSON.parse(body) as { suggestedWindow?: { start?: string; end?: string } }
  const [start, end] = [Date.parse(suggestedWindow?.start ?? ''), Date.parse(suggestedWindow?.end ?? '')]
  return end >= start ? { start, end } : undefined
}

function trusting(file: string): SecureContext {
  try {
    return createSecureContext({ ca: [...rootCertificates, readFileSync(file, 'utf8')] })
  } catch (cause) {
    throw new Error(`SVCD_ACME_CA_FILE ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

type IdOf = (chain: string) => Promise<string | undefined>

function accountOf(client: Client, crypto: Library['crypto'], idOf: IdOf): AcmeAccount {
  return {
    async newOrder(names, replaced) {
      const order = { identifiers: names.map(value => ({ type: 'dns', value })) }
      const replaces = replaced ? await idOf(replaced).catch(() => undefined) : undefined
      const create = async (data: typeof order) => (await asRefusal(client.createOrder(data))).url
      if (replaces === undefined) return await create(order)
      try {
        return await create({ ...order, ...{ replaces } })
      } catch (error) {
        // Such as a certificate that another order has replaced already, or one of another authority.
        if (!(error instanceof AcmeRefusal) || error instanceof AcmeAway || error.retryAfter) throw error
        return await create(order)
      }
    },
    async challenges(url, type) {
      const order = await orderAt(client, url)
      if (order === undefined || order.status === 'invalid') return undefined
      if (order.status !== 'pending') return []
      const authorizations = await asRefusal(client.getAuthorizations(order))
      const pending = authorizations.filter(({ status }) => status !== 'valid')
      return await Promise.all(
        pending.map(async ({ identifier, challenges, url: authorization }): Promise<Challenge> => {
          const challenge = challenges.find(candidate => candidate.type === type)
          if (!challenge)
            throw new AcmeRefusal(`the authority offers no ${type} challenge for ${identifier.value}`)
          const answer = await client.getChallengeKeyAuthorization(challenge)
          const { token, url } = challenge
          return { type, name: identifier.value, token, answer, url, authorization }
        }),
      )
    },
    async prove({ url, type, token }) {
      const challenge = { url, type, token, status: 'pending' } as Parameters<Client['completeChallenge']>[0]
      await asRefusal(client.completeChallenge(challenge))
      await asRefusal(client.waitForValidStatus(challenge))
    },
    async finish(url, key) {
      let order = await asRefusal(
        client.waitForValidStatus({ url } as Awaited<ReturnType<Client['getOrder']>>),
      )
      if (order.status === 'ready') {
        const altNames = order.identifiers.map(({ value }) => value)
        const [, csr] = await crypto.createCsr({ altNames }, key.reveal())
        order = await asRefusal(client.finalizeOrder({ ...order, url }, csr))
      }
      return await asRefusal(client.getCertificate({ ...order, url }))
    },
  }
}

async function orderAt(client: Client, url: string) {
  try {
    return await asRefusal(client.getOrder({ url } as Awaited<ReturnType<Client['getOrder']>>))
  } catch (error) {
    if (error instanceof NotThere) return undefined
    throw error
  }
}

class NotThere extends AcmeRefusal {}

/** Turns the library's plain errors, whose messages come from the authority, into AcmeRefusal. */
async function asRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof AcmeRefusal) throw cause
    throw new AcmeRefusal((cause as Error).message, undefined, { cause })
  }
}

// ---- requests

/** The agent for each host. The library has one request function for all its clients, so the host selects the agent. */
const agents = new Map<string, Agent>()
const plainAgent = new PlainAgent({ keepAlive: true })

let loaded: Promise<Library> | undefined

function library(): Promise<Library> {
  loaded ??= import('acme-client').then(({ default: acme }) => {
    acme.axios.defaults.adapter = send as unknown as NonNullable<typeof acme.axios.defaults.adapter>
    return acme as unknown as Library
  })
  return loaded
}

interface Asked {
  url: string
  method: string
  headers: { toJSON(): Record<string, string> }
  data?: string
}

interface Answered {
  data: string
  status: number
  statusText: string
  headers: IncomingHttpHeaders
  config: Asked
  request: unknown
}

function send(config: Asked): Promise<Answered> {
  const url = new URL(config.url)
  const isPlain = url.protocol === 'http:'
  const agent = isPlain ? plainAgent : agents.get(url.host)
  const options = { method: config.method.toUpperCase(), headers: config.headers.toJSON(), agent }
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(
        new AcmeAway(`the authority at ${url.host} cannot be reached: ${cause.message}`, undefined, {
          cause,
        }),
      )
    const req = (isPlain ? plainRequest : request)(url, options, res => {
      const chunks: Buffer[] = []
      res.on('data', chunk => chunks.push(chunk)).on('error', fail)
      res.on('end', () => {
        const data = Buffer.concat(chunks).toString()
        const status = res.statusCode ?? 0
        if (status === 404) reject(new NotThere(detailOf(data) ?? `the authority knows no ${url.pathname}`))
        else if (status === 429 || status >= 500)
          reject(refusalOf(status, detailOf(data), waitOf(res.headers['retry-after'])))
        else resolve({ data, status, statusText: '', headers: res.headers, config, request: req })
      })
    })
    const limit = setTimeout(() => req.destroy(new Error('it does not answer in time')), timeLimitMs)
    req.on('error', fail).on('close', () => clearTimeout(limit))
    req.end(config.data)
  })
}

const refusalOf = (status: number, detail: string | undefined, retryAfter: number | undefined) =>
  status === 429
    ? new AcmeRefusal(detail ?? 'it is asked too often (HTTP 429)', retryAfter)
    : new AcmeAway(detail ?? `it is in trouble (HTTP ${status})`, retryAfter)

function detailOf(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { detail?: string }).detail
  } catch {
    return undefined // Not a problem document, so the error shows the status alone.
  }
}

/** The Retry-After header, which is in seconds or a date, as milliseconds from now. */
function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}
