#!/usr/bin/env node
// DigitalOcean. DIGITALOCEAN_TOKEN: a token with the scopes domain:read, domain:create, domain:update and domain:delete.
import { call, findZone, runHook, within } from './hook.mjs'

async function open({ name, value, settings }) {
  const api = settings.DNS_API ?? 'https://api.digitalocean.com/v2'
  const headers = { authorization: `Bearer ${settings.DIGITALOCEAN_TOKEN}` }
  const ask = (method, path, more) => call(method, `${api}${path}`, { headers, ...more })
  const { zone } = await findZone(name, async zone => {
    const { status } = await ask('GET', `/domains/${zone}`, { allow: [404] })
    return status === 404 ? undefined : zone
  })
  const records = `/domains/${zone}/records`
  const { body } = await ask('GET', `${records}?type=TXT&name=${name}&per_page=200`)
  return { ask, records, zone, same: body.domain_records.filter(({ data }) => data === value) }
}

await runHook(['DIGITALOCEAN_TOKEN'], {
  async present(record) {
    const { ask, records, zone, same } = await open(record)
    const added = { type: 'TXT', name: within(record.name, zone), data: record.value, ttl: 30 }
    if (same.length === 0) await ask('POST', records, { json: added })
  },
  async cleanup(record) {
    const { ask, records, same } = await open(record)
    for (const { id } of same) await ask('DELETE', `${records}/${id}`)
  },
})
