#!/usr/bin/env node
// deSEC. DESEC_TOKEN: a token, best with a policy for the TXT records of _acme-challenge alone.
import { call, quoted, runHook, within } from './hook.mjs'

/** The least that deSEC allows. */
const ttl = 3600

/** deSEC sets all values of a name together, so the others are read first. svcd sets one value after the other. */
async function change({ name, value, settings }, changed) {
  const api = settings.DNS_API ?? 'https://desec.io/api/v1'
  const headers = { authorization: `Token ${settings.DESEC_TOKEN}` }
  const ask = (method, path, more) => call(method, `${api}${path}`, { headers, ...more })
  const [domain] = (await ask('GET', `/domains/?owns_qname=${name}`)).body
  if (!domain) throw new Error(`these credentials reach no zone of ${name}`)
  const subname = within(name, domain.name)
  const sets = `/domains/${domain.name}/rrsets/`
  const { body } = await ask('GET', `${sets}${subname}/TXT/`, { allow: [404] })
  const before = body?.records ?? []
  const records = changed(before, quoted(value))
  // An empty list removes the name.
  if (records.length !== before.length)
    await ask('PATCH', sets, {
      json: [{ subname: subname === '@' ? '' : subname, type: 'TXT', ttl, records }],
    })
}

await runHook(['DESEC_TOKEN'], {
  present: record => change(record, (before, value) => [...new Set([...before, value])]),
  cleanup: record => change(record, (before, value) => before.filter(other => other !== value)),
})
