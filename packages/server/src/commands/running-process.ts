// The note of a running svcd in its data directory: which process it is and where its API answers, for `svcd upgrade`.
import { readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import type { Settings } from '../config.ts'
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
  try {
    return JSON.parse(readFileSync(noteIn(settings), 'utf8')) as RunningProcess
  } catch {
    return undefined // There is none.
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

/** What `GET /health` says. `undefined` if nothing answers. Every svcd answers this host as its API. */
export const healthAt = (api: ApiAddress): Promise<Health | undefined> =>
  new Promise(resolve => {
    const address = { ...api, path: '/health', agent: false, timeout: 5_000, headers: { host: '127.0.0.1' } }
    const asking = request(address, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => (text += part))
      answer.on('error', () => resolve(undefined))
      answer.on('end', () => {
        const isHealthy = answer.statusCode === 200
        resolve(isHealthy ? { isHealthy, version: JSON.parse(text).version } : { isHealthy })
      })
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined)).end()
  })
