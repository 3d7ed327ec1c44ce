#!/usr/bin/env node
// Hetzner, with zones in the Cloud Console. HETZNER_TOKEN: a token of the project, with read and write.
import { setTimeout as sleep } from 'node:timers/promises'
import { call, findZone, quoted, runHook, within } from './hook.mjs'

const looksAtMost = 60

async function open({ name, value, settings }) {
  const api = settings.DNS_API ?? 'https://api.hetzner.cloud/v1'
  const headers = { authorization: `Bearer ${settings.HETZNER_TOKEN}` }
  const ask = (method, path, more) => call(method, `${api}${path}`, { headers, ...more })
  const { zone, found: id } = await findZone(
    name,
    async zone => (await ask('GET', `/zones/${zone}`, { allow: [404] })).body?.zone?.id,
  )
  const set = `/zones/${id}/rrsets/${encodeURIComponent(within(name, zone))}/TXT`
  const { body } = await ask('GET', set, { allow: [404] })
  const isThere = body?.rrset?.records.some(record => record.value === quoted(value)) ?? false
  return { ask, set, isThere }
}

/** The API answers before it has done it. */
async function done(ask, { body: { action } }) {
  let { status } = action
  for (let looks = 0; status === 'running' && looks < looksAtMost; looks++) {
    await sleep(1_000)
    status = (await ask('GET', `/actions/${action.id}`)).body.action.status
  }
  if (status !== 'success') throw new Error(`Hetzner has not changed the record: ${status}`)
}

const records = ({ value }) => [{ value: quoted(value) }]

await runHook(['HETZNER_TOKEN'], {
  async present(record) {
    const { ask, set, isThere } = await open(record)
    const json = { ttl: 60, records: records(record) }
    if (!isThere) await done(ask, await ask('POST', `${set}/actions/add_records`, { json }))
  },
  async cleanup(record) {
    const { ask, set, isThere } = await open(record)
    const json = { records: records(record) }
    if (isThere) await done(ask, await ask('POST', `${set}/actions/remove_records`, { json }))
  },
})
