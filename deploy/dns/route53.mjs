#!/usr/bin/env node
// Amazon Route 53. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if there is one) of a user who may
// route53:ListHostedZonesByName, route53:ListResourceRecordSets and route53:ChangeResourceRecordSets.
import { createHash, createHmac } from 'node:crypto'
import { call, findZone, quoted, runHook } from './hook.mjs'

const ttl = 60

/** Route 53 sets all values of a name together, so the others are read first. svcd sets one value after the other. */
async function change({ name, value, settings }, changed) {
  const ask = (method, path, query, text) => signedCall(settings, { method, path, query, text })
  const { found: zone } = await findZone(name, async zone => {
    const { text } = await ask('GET', '/2013-04-01/hostedzonesbyname', {
      dnsname: `${zone}.`,
      maxitems: '10',
    })
    const found = all(text, 'HostedZone').find(
      each => all(each, 'Name')[0] === `${zone}.` && all(each, 'PrivateZone')[0] !== 'true',
    )
    return found && all(found, 'Id')[0].split('/').at(-1)
  })
  const sets = `/2013-04-01/hostedzone/${zone}/rrset`
  const { text } = await ask('GET', sets, { name: `${name}.`, type: 'TXT', maxitems: '1' })
  const set = all(text, 'ResourceRecordSet').find(
    each => all(each, 'Name')[0] === `${name}.` && all(each, 'Type')[0] === 'TXT',
  )
  const before = set ? all(set, 'Value').map(decoded) : []
  const after = changed(before, quoted(value))
  if (after.length === before.length) return
  // A deletion names what is there.
  const isLast = after.length === 0
  const usedTtl = (set && all(set, 'TTL')[0]) ?? ttl
  await ask(
    'POST',
    `${sets}/`,
    {},
    batch(isLast ? 'DELETE' : 'UPSERT', name, usedTtl, isLast ? before : after),
  )
}

const batch = (action, name, ttl, values) =>
  `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes><Change><Action>${action}</Action><ResourceRecordSet><Name>${name}.</Name><Type>TXT</Type><TTL>${ttl}</TTL><ResourceRecords>${values
    .map(value => `<ResourceRecord><Value>${encoded(value)}</Value></ResourceRecord>`)
    .join(
      '',
    )}</ResourceRecords></ResourceRecordSet></Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`

/** The contents of all elements of a name. */
const all = (xml, element) =>
  xml
    .split(`<${element}>`)
    .slice(1)
    .map(part => part.split(`</${element}>`)[0])

const encoded = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const decoded = text =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** With AWS Signature Version 4. Route 53 is one service for all regions. */
async function signedCall(settings, { method, path, query, text }) {
  const api = settings.DNS_API ?? 'https://route53.amazonaws.com'
  const sorted = Object.entries(query)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const session = settings.AWS_SESSION_TOKEN
  const signed = {
    host: new URL(api).host,
    'x-amz-date': time,
    ...(session && { 'x-amz-security-token': session }),
  }
  const names = Object.keys(signed)
  const lines = names.map(name => `${name}:${signed[name]}`)
  const canonical = [method, path, sorted, ...lines, '', names.join(';'), sha256(text ?? '')].join('\n')
  const scope = [time.slice(0, 8), 'us-east-1', 'route53', 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce(hmac, `AWS4${settings.AWS_SECRET_ACCESS_KEY}`)
  const credential = `${settings.AWS_ACCESS_KEY_ID}/${scope.join('/')}`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${hmac(key, toSign).toString('hex')}`
  const { host: _, ...sent } = signed
  const type = text === undefined ? {} : { 'content-type': 'application/xml' }
  const url = `${api}${path}${sorted && `?${sorted}`}`
  return await call(method, url, { text, headers: { ...sent, ...type, authorization } })
}

const sha256 = text => createHash('sha256').update(text).digest('hex')
const hmac = (key, text) => createHmac('sha256', key).update(text).digest()

await runHook(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'], {
  present: record => change(record, (before, value) => [...new Set([...before, value])]),
  cleanup: record => change(record, (before, value) => before.filter(other => other !== value)),
})
