#!/usr/bin/env node
// A DNS server of your own that takes dynamic updates (RFC 2136), such as BIND, Knot or PowerDNS, by the program nsupdate (Debian:
// bind9-dnsutils). DNS_KEY_FILE: the file of the TSIG key, as tsig-keygen writes it. DNS_SERVER and DNS_PORT: the primary server;
// without them it is the one that the zone names.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { runHook } from './hook.mjs'

async function update({ DNS_KEY_FILE: key, DNS_SERVER: server, DNS_PORT: port = '53' }, change) {
  if (server !== undefined && !/^[\w.:-]+ \d{1,5}$/.test(`${server} ${port}`))
    throw new Error('DNS_SERVER is a name or an address, and DNS_PORT a number')
  const lines = [...(server === undefined ? [] : [`server ${server} ${port}`]), change, 'send', '']
  const child = spawn('nsupdate', ['-k', key, '-t', '30'], { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', part => {
    said = `${said}${part}`.slice(-1000)
  })
  child.stdin.on('error', () => undefined).end(lines.join('\n'))
  const [code] = await once(child, 'close').catch(error => {
    throw error.code === 'ENOENT'
      ? new Error('nsupdate is not installed (apt-get install bind9-dnsutils)')
      : error
  })
  if (code !== 0) throw new Error(`nsupdate: ${said.trim().replaceAll('\n', '; ')}`)
}

await runHook(['DNS_KEY_FILE'], {
  present: ({ name, value, settings }) => update(settings, `update add ${name}. 60 TXT "${value}"`),
  cleanup: ({ name, value, settings }) => update(settings, `update delete ${name}. TXT "${value}"`),
})
