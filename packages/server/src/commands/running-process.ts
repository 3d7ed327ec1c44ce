// The note of a running svcd in its data directory: which process it is and where its API answers, for `svcd upgrade`.
import { readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import type { Settings } from '../config.ts'
import { readForeignFile } from '../lib/read-foreign-file.ts'
import { replaceFile } from '../lib/replace-file.ts'

export interface ApiAddress {
  host: string
  port: number
}

interface RunningProcess {
  pid: number
  /** When it started, in the units of /proc: another process may get the same number later. */
  startedAt: string
  api: ApiAddress
}

const noteIn = ({ dataDir }: Pick<Settings, 'dataDir'>): string => path.join(dataDir, 'process')

/** The address at which programs on this machine reach a listener. */
export const apiAddress = (host: string, port: number): ApiAddress => ({
  host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host,
  port,
})

/** Notes this process. The returned function removes the note, unless a successor has replaced it. */
export function noteProcess(settings: Settings, api: ApiAddress): () => void {
  const note: RunningProcess = { pid: process.pid, startedAt: startOf(process.pid), api }
  replaceFile(noteIn(settings), `${JSON.stringify(note)}\n`)
  return () => {
    if (readNote(settings)?.pid === process.pid) rmSync(noteIn(settings), { force: true })
  }
}

/** The svcd that runs on the data directory and can be replaced. */
export function runningProcess(settings: Settings): RunningProcess | undefined {
  const note = readNote(settings)
  if (!note || note.startedAt === '' || startOf(note.pid) !== note.startedAt) return undefined
  // The user of svcd can write the note, and root sends a signal to the process.
  const isOwners = statSync(`/proc/${note.pid}`).uid === statSync(settings.dataDir).uid
  return isOwners ? note : undefined
}

function readNote(settings: Settings): RunningProcess | undefined {
  const note = parsed(readForeignFile(noteIn(settings), 4096) ?? '') as Partial<RunningProcess> | undefined
  const isNote =
    Number.isSafeInteger(note?.pid) && typeof note?.api?.host === 'string' && Number.isInteger(note.api.port)
  return isNote ? (note as RunningProcess) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not written by svcd.
  }
}

/** Empty if there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name, in parentheses, may contain any character. The start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

interface Health {
  isHealthy: boolean
  version?: string
}

const healthAtMost = 64 * 1024

/** What `GET /health` says. `undefined` if nothing answers. Every svcd answers this host as its API. */
export const healthAt = (api: ApiAddress): Promise<Health | undefined> =>
  new Promise(resolve => {
    const address = { ...api, path: '/health', agent: false, timeout: 5_000, headers: { host: '127.0.0.1' } }
    const asking = request(address, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => {
        text += part
        if (text.length > healthAtMost) asking.destroy()
      })
      answer.on('error', () => resolve(undefined)).on('aborted', () => resolve(undefined))
      answer.on('end', () => {
        const isHealthy = answer.statusCode === 200
        if (!isHealthy) return resolve({ isHealthy })
        const said = parsed(text) as Pick<Health, 'version'> | undefined
        // Another program may answer there.
        resolve(typeof said?.version === 'string' ? { isHealthy, version: said.version } : undefined)
      })
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined)).end()
  })

/** `undefined` if none runs on the data directory, or it does not answer as a healthy one. */
export async function runningVersion(settings: Settings): Promise<string | undefined> {
  const running = runningProcess(settings)
  return running && (await healthAt(running.api))?.version
}
