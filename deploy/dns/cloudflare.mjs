#!/usr/bin/env node
// Cloudflare. CLOUDFLARE_API_TOKEN: a token with the permissions Zone → Zone → Read and Zone → DNS → Edit.
import { call, findZone, quoted, runHook } from './hook.mjs'

async function open({ name, value, settings }) {
  const api = settings.DNS_API ?? 'https://api.cloudflare.com/client/v4'
  const headers = { authorization: `Bearer ${settings.CLOUDFLARE_API_TOKEN}` }
  const ask = (method, path, json) => call(method, `${api}${path}`, { headers, json })
  const { found: id } = await findZone(
    name,
    async zone => (await ask('GET', `/zones?name=${zone}`)).body.result[0]?.id,
  )
  const records = `/zones/${id}/dns_records`
  const { result } = (await ask('GET', `${records}?type=TXT&name=${name}&per_page=100`)).body
  const same = result.filter(({ content }) => content.replaceAll('"', '') === value)
  return { ask, records, same }
}

await runHook(['CLOUDFLARE_API_TOKEN'], {
  async present(record) {
    const { ask, records, same } = await open(record)
    const added = { type: 'TXT', name: record.name, content: quoted(record.value), ttl: 60 }
    if (same.length === 0) await ask('POST', records, added)
  },
  async cleanup(record) {
    const { ask, records, same } = await open(record)
    for (const { id } of same) await ask('DELETE', `${records}/${id}`)
  },
})
