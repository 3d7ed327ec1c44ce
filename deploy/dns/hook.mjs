// What the hooks of this folder share. svcd calls a hook as `<hook> present|cleanup <name> <value>`, without its environment; so a
// hook reads its credentials from /etc/svcd-dns.env (lines of NAME=value), and variables of the environment win over it.
import { readFileSync, statSync } from 'node:fs'

const timeoutMs = 30_000
const answerAtMost = 4 * 1024 * 1024
const namePattern = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?$/
const valuePattern = /^[\w-]{1,255}$/

/** `needs`: the settings that must be there. `verbs` has the functions `present` and `cleanup` of `{ name, value, settings }`. */
export async function runHook(needs, verbs) {
  try {
    const [verb, name = '', value = '', extra] = process.argv.slice(2)
    const isUnderstood =
      Object.hasOwn(verbs, verb) && namePattern.test(name) && valuePattern.test(value) && extra === undefined
    if (!isUnderstood) throw new Error('usage: <hook> present|cleanup <name> <value>')
    const settings = readSettings()
    const missing = needs.filter(need => !settings[need])
    if (missing.length > 0) throw new Error(`set ${missing.join(' and ')} in ${settingsFile()}`)
    await verbs[verb]({ name, value, settings })
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

const settingsFile = () => process.env.DNS_SETTINGS ?? '/etc/svcd-dns.env'

function readSettings() {
  const file = settingsFile()
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return { ...process.env }
  if (found.mode & 0o007)
    throw new Error(`${file} is open to other users; run: chown svcd ${file} && chmod 600 ${file}`)
  const lines = readFileSync(file, 'utf8').split('\n')
  const pairs = lines
    .filter(line => line.includes('=') && !line.trimStart().startsWith('#'))
    .map(line => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()])
  return { ...Object.fromEntries(pairs), ...process.env }
}

/** The names that may be the zone of a record, the longest first. */
export function zonesOf(name) {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** The first zone of the name for which `find` returns something. */
export async function findZone(name, find) {
  for (const zone of zonesOf(name)) {
    const found = await find(zone)
    if (found !== undefined) return { zone, found }
  }
  throw new Error(`these credentials reach no zone of ${name}`)
}

/** The name within its zone. */
export const within = (name, zone) => (name === zone ? '@' : name.slice(0, -zone.length - 1))

export const quoted = value => `"${value}"`

/** Asks an API. `allow`: statuses that are no error. The answer's JSON is in `body`, its text in `text`. */
export async function call(method, url, { headers, json, text, allow = [] }) {
  const body = json === undefined ? text : JSON.stringify(json)
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(timeoutMs)
  const where = `${method} ${url.split('?')[0]}`
  const answer = await fetch(url, {
    ...{ method, body, signal },
    headers: { ...type, ...headers },
    redirect: 'error',
  }).catch(error => {
    throw new Error(`${where}: ${error.cause?.message ?? error.message}`)
  })
  const said = await textOf(answer)
  if (!answer.ok && !allow.includes(answer.status))
    throw new Error(
      `${where} is answered with ${answer.status}: ${said.slice(0, 300).replaceAll(/\s+/g, ' ')}`,
    )
  return { status: answer.status, text: said, body: parsed(said) }
}

async function textOf(answer) {
  const parts = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > answerAtMost) throw new Error('the answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Some answers are empty or XML.
  }
}
