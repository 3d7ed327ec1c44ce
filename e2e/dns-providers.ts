// Strict stand-ins for the APIs of DNS providers: each takes only the requests of its documentation, with the right credentials, and
// keeps the records of the zone example.com.
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const zone = 'example.com'

/** Their values, by the name within the zone. TXT values are quoted where the provider has them so. */
export type Records = Map<string, string[]>

interface Asked {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: string
  raw: string
}

interface Answer {
  status: number
  json?: unknown
  xml?: string
}

type Provider = (asked: Asked, records: Records) => Answer | undefined

const ok = (json: unknown, status = 200): Answer => ({ status, json })
const bearer = 'Bearer right-token'
const fields = (body: string): Record<string, unknown> => JSON.parse(body)

/** A number for each record, for providers that number them. */
const idOf = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 8)
const numberOf = (value: string): number => Number.parseInt(idOf(value), 16)

function add(records: Records, name: string, value: string): void {
  records.set(name, [...(records.get(name) ?? []), value])
}

function remove(records: Records, isIt: (value: string) => boolean): void {
  for (const [name, values] of records) {
    const left = values.filter(value => !isIt(value))
    if (left.length > 0) records.set(name, left)
    else records.delete(name)
  }
}

const full = (name: string): string => (name === '@' || name === '' ? zone : `${name}.${zone}`)
const inZone = (name: string): string => (name === zone ? '@' : name.slice(0, -zone.length - 1))
const isJson = (body: string, expected: Record<string, unknown>): boolean =>
  JSON.stringify(sorted(fields(body))) === JSON.stringify(sorted(expected))
const sorted = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => a.localeCompare(b)))

const cloudflare: Provider = ({ method, path, query, headers, body }, records) => {
  if (headers.authorization !== bearer) return ok({ success: false, errors: [{ code: 9109 }] }, 403)
  const done = (result: unknown) => ok({ success: true, errors: [], result })
  if (method === 'GET' && path === '/zones')
    return done(query.name === zone ? [{ id: 'zone-1', name: zone }] : [])
  const under = '/zones/zone-1/dns_records'
  if (method === 'GET' && path === under && query.type === 'TXT')
    return done((records.get(inZone(query.name!)) ?? []).map(content => ({ id: idOf(content), content })))
  if (method === 'POST' && path === under) {
    const { name, content } = fields(body) as { name: string; content: string }
    if (!isJson(body, { type: 'TXT', name, content: `"${content.slice(1, -1)}"`, ttl: 60 })) return undefined
    add(records, inZone(name), content)
    return done({ id: idOf(content) })
  }
  if (method !== 'DELETE' || !path.startsWith(`${under}/`)) return undefined
  remove(records, value => path === `${under}/${idOf(value)}`)
  return done({})
}

const digitalocean: Provider = ({ method, path, query, headers, body }, records) => {
  if (headers.authorization !== bearer) return ok({ id: 'unauthorized' }, 401)
  const [, domain] = /^\/domains\/([^/]+)$/.exec(path) ?? []
  if (method === 'GET' && domain)
    return domain === zone ? ok({ domain: { name: zone } }) : ok({ id: 'not_found' }, 404)
  const under = `/domains/${zone}/records`
  if (method === 'GET' && path === under && query.type === 'TXT')
    return ok({
      domain_records: (records.get(inZone(query.name!)) ?? []).map(data => ({ id: numberOf(data), data })),
    })
  if (method === 'POST' && path === under) {
    const { name, data } = fields(body) as { name: string; data: string }
    // The name is that within the domain.
    if (!isJson(body, { type: 'TXT', name, data, ttl: 30 }) || name.endsWith(zone)) return undefined
    add(records, name, data)
    return ok({ domain_record: {} }, 201)
  }
  if (method !== 'DELETE' || !path.startsWith(`${under}/`)) return undefined
  remove(records, value => path === `${under}/${numberOf(value)}`)
  return { status: 204 }
}

const hetzner: Provider = ({ method, path, headers, body }, records) => {
  if (headers.authorization !== bearer) return ok({ error: { code: 'unauthorized' } }, 401)
  const [, named] = /^\/zones\/([^/]+)$/.exec(path) ?? []
  if (method === 'GET' && named)
    return named === zone ? ok({ zone: { id: 42, name: zone } }) : ok({ error: { code: 'not_found' } }, 404)
  if (method === 'GET' && path === '/actions/7') return ok({ action: { id: 7, status: 'success' } })
  const [, name, action] =
    /^\/zones\/42\/rrsets\/([^/]+)\/TXT(?:\/actions\/(add|remove)_records)?$/.exec(path) ?? []
  if (name === undefined) return undefined
  if (method === 'GET' && action === undefined) {
    const values = records.get(name)
    return values
      ? ok({ rrset: { name, type: 'TXT', records: values.map(value => ({ value })) } })
      : ok({ error: { code: 'not_found' } }, 404)
  }
  const given = fields(body) as { ttl?: number; records: { value: string }[] }
  const [{ value } = { value: '' }] = given.records
  if (method !== 'POST' || given.records.length !== 1 || !/^"[\w-]+"$/.test(value)) return undefined
  if (action === 'add' && given.ttl === 60) add(records, name, value)
  else if (action === 'remove' && given.ttl === undefined) remove(records, it => it === value)
  else return undefined
  return ok({ action: { id: 7, status: 'running' } }, 201)
}

const desec: Provider = ({ method, path, query, headers, body }, records) => {
  if (headers.authorization !== 'Token right-token') return ok({ detail: 'Invalid token.' }, 401)
  if (method === 'GET' && path === '/domains/')
    return ok(`.${query.owns_qname}`.endsWith(`.${zone}`) ? [{ name: zone, minimum_ttl: 3600 }] : [])
  const sets = `/domains/${zone}/rrsets/`
  const [, subname] = new RegExp(`^${sets}([^/]+)/TXT/$`).exec(path) ?? []
  if (method === 'GET' && subname) {
    const values = records.get(subname)
    return values
      ? ok({ subname, type: 'TXT', ttl: 3600, records: values })
      : ok({ detail: 'Not found.' }, 404)
  }
  if (method !== 'PATCH' || path !== sets) return undefined
  const [set] = JSON.parse(body) as { subname: string; type: string; ttl: number; records: string[] }[]
  if (set?.type !== 'TXT' || set.ttl < 3600 || set.records.some(value => !/^"[\w-]+"$/.test(value)))
    return undefined
  if (set.records.length > 0) records.set(set.subname, set.records)
  else records.delete(set.subname)
  return ok([set])
}

const route53: Provider = (asked, records) => {
  const { method, path, query, body } = asked
  if (!isSigned(asked))
    return { status: 403, xml: '<ErrorResponse><Code>SignatureDoesNotMatch</Code></ErrorResponse>' }
  const under = '/2013-04-01/hostedzone/Z1/rrset'
  if (method === 'GET' && path === '/2013-04-01/hostedzonesbyname') {
    // It answers with the zones from that name on, in its own order.
    const zones = [
      ['Z0', 'example.com.', 'true'],
      ['Z1', 'example.com.', 'false'],
      ['Z2', 'example.org.', 'false'],
    ].map(
      ([id, name, isPrivate]) =>
        `<HostedZone><Id>/hostedzone/${id}</Id><Name>${name}</Name><Config><PrivateZone>${isPrivate}</PrivateZone></Config></HostedZone>`,
    )
    return { status: 200, xml: `<R><HostedZones>${zones.join('')}</HostedZones></R>` }
  }
  if (method === 'GET' && path === under && query.type === 'TXT') {
    const name = inZone(query.name!.slice(0, -1))
    const values = records.get(name)
    // Without that name, the next one.
    const [shown, of] = values ? [values, full(name)] : [['"other"'], `zzz.${zone}`]
    return {
      status: 200,
      xml: `<R><ResourceRecordSets><ResourceRecordSet><Name>${of}.</Name><Type>TXT</Type><TTL>60</TTL><ResourceRecords>${shown.map(value => `<ResourceRecord><Value>${value.replaceAll('"', '&quot;')}</Value></ResourceRecord>`).join('')}</ResourceRecords></ResourceRecordSet></ResourceRecordSets></R>`,
    }
  }
  if (method !== 'POST' || path !== `${under}/`) return undefined
  const [, action, of, given = ''] =
    /^<\?xml version="1\.0" encoding="UTF-8"\?><ChangeResourceRecordSetsRequest xmlns="https:\/\/route53\.amazonaws\.com\/doc\/2013-04-01\/"><ChangeBatch><Changes><Change><Action>(UPSERT|DELETE)<\/Action><ResourceRecordSet><Name>([^<]+)\.<\/Name><Type>TXT<\/Type><TTL>60<\/TTL><ResourceRecords>(.*)<\/ResourceRecords><\/ResourceRecordSet><\/Change><\/Changes><\/ChangeBatch><\/ChangeResourceRecordSetsRequest>$/.exec(
      body,
    ) ?? []
  if (!action || !of) return undefined
  const values = [...given.matchAll(/<ResourceRecord><Value>([^<]+)<\/Value><\/ResourceRecord>/g)].map(
    ([, it]) => it!,
  )
  const name = inZone(of)
  if (action === 'UPSERT') records.set(name, values)
  // Only exactly what is there is deleted.
  else if (JSON.stringify(records.get(name)) !== JSON.stringify(values)) return undefined
  else records.delete(name)
  return { status: 200, xml: '<ChangeInfo><Status>PENDING</Status></ChangeInfo>' }
}

function isSigned({ method, path, raw, headers, body }: Asked): boolean {
  const [, key, day, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/us-east-1\/route53\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const stamp = String(headers['x-amz-date'])
  if (key !== 'AKIDRIGHT' || !stamp.startsWith(`${day}T`) || names !== 'host;x-amz-date') return false
  const hash = (content: string) => createHash('sha256').update(content).digest('hex')
  const lines = names.split(';').map(name => `${name}:${headers[name]}`)
  const query = (raw.split('?')[1] ?? '').split('&').toSorted().join('&')
  const canonical = [method, path, query, ...lines, '', names, hash(body)].join('\n')
  const scope = `${day}/us-east-1/route53/aws4_request`
  let signing = Buffer.from('AWS4right/secret')
  for (const part of scope.split('/')) signing = createHmac('sha256', signing).update(part).digest()
  const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hash(canonical)}`
  return createHmac('sha256', signing).update(toSign).digest('hex') === signature
}

const providers = { cloudflare, digitalocean, hetzner, desec, route53 }

export async function startProvider(name: keyof typeof providers) {
  const records: Records = new Map([['www', ['"other"']]])
  const refused: string[] = []
  const server = createServer(async (req, res) => {
    const url = new URL(req.url!, 'http://provider')
    const asked = { method: req.method!, path: url.pathname, query: Object.fromEntries(url.searchParams) }
    const body = await text(req)
    const answer = providers[name]({ ...asked, headers: req.headers, body, raw: req.url! }, records)
    if (!answer) refused.push(`${req.method} ${req.url} ${body}`)
    const { status, json, xml } = answer ?? { status: 400, json: { message: 'not understood' } }
    res.writeHead(status, json ? { 'content-type': 'application/json' } : {})
    res.end(status === 204 ? undefined : (xml ?? JSON.stringify(json)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, records, refused, stop: () => server.close() }
}
