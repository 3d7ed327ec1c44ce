// svcd join: takes the settings and the key of a platform with a code of `svcd nodes invite`, and writes them into a file.
import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { secondMs } from '@svc/contract/durations'
import { readNodeCode } from '../core/platform/node-invites.ts'
import { Fault } from '../lib/fault.ts'
import { complain } from './output.ts'

const answerMs = 30 * secondMs
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

export async function join(args: string[]): Promise<number> {
  const options = { config: { type: 'string', default: 'svcd.env' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [address, code, ...rest] = positionals
  if (address === undefined || code === undefined || rest.length > 0)
    return complain('Usage: svcd join <url> <code> [--config <file>]')
  const file = path.resolve(values.config)
  const url = joinUrl(address)
  const { id, open } = readNodeCode(code)
  // The code is not used up in vain.
  if (existsSync(file)) return complain(`${file} exists. Name another file with --config, or remove it.`)
  accessSync(path.dirname(file), constants.W_OK)
  writeFileSync(file, open(await ask(url, id)), { mode: 0o600, flag: 'wx' })
  process.stderr.write(
    `Wrote the settings and the key to ${file}. Add those of this machine (SVCD_HOST, SVCD_PORT, SVCD_DATA_DIR), then start it:\n`,
  )
  process.stdout.write(`SVCD_CONFIG=${file} svcd start\n`)
  return 0
}

function joinUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Fault('invalid_request', `'${address}' is no URL of an API, such as https://api.example.com.`)
  if (url.protocol === 'http:' && !loopback.has(url.hostname) && !url.hostname.endsWith('.localhost'))
    throw new Fault('invalid_request', 'The settings are only fetched over https, or from this machine.')
  url.pathname = `${url.pathname.replace(/\/$/, '')}/nodes/join`
  return url
}

async function ask(url: URL, invite: string): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ invite }),
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  }).catch((cause: unknown) => {
    throw new Fault('unavailable', `${url.origin} does not answer.`, { cause })
  })
  const body = (await answer.json().catch(() => ({}))) as { sealed?: unknown; error?: { message?: unknown } }
  if (typeof body.sealed === 'string') return body.sealed
  throw new Fault(
    'invalid_request',
    String(body.error?.message ?? `${url.origin} answered ${answer.status}.`),
  )
}
