// The names of the user's projects, for completion. They are kept for a minute, because the user may press Tab often.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ApiError } from '@svc/contract/client'
import { requireToken } from '../credentials.ts'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { apiUrl } from '../platform-url.ts'
import { readPrivateJson, writePrivateJson } from '../private-file.ts'
import { open, sessionSettings } from '../session.ts'

const keptMs = 60_000
const patienceMs = 1_500
/** What a name looks like. Other text must not reach the shell. */
const namePattern = /^[a-z0-9-]{1,63}$/

/** Empty if nobody is logged in, or if the platform does not answer quickly. */
export async function projectNames(): Promise<string[]> {
  try {
    const token = requireToken()
    // The names belong to one account of one platform.
    const owner = createHash('sha256').update(`${apiUrl()} ${token}`).digest('hex')
    const kept = readKept(owner)
    if (kept && Date.now() - kept.at < keptMs) return kept.names
    const names = (await fetchNames(token)) ?? kept?.names ?? []
    writePrivateJson(keptFile(), { owner, at: Date.now(), names })
    return names
  } catch (error) {
    // Completion has nowhere to show an error.
    if (error instanceof Failure) return []
    throw error
  }
}

const keptFile = () => join(environment.configDir(), 'completion.json')

interface Kept {
  at: number
  names: string[]
}

function readKept(owner: string): Kept | undefined {
  const { owner: keptFor, at, names } = readPrivateJson(keptFile()) ?? {}
  if (keptFor !== owner || typeof at !== 'number' || !Array.isArray(names)) return undefined
  return { at, names: names.filter(isName) }
}

const isName = (value: unknown): value is string => typeof value === 'string' && namePattern.test(value)

async function fetchNames(token: string): Promise<string[] | undefined> {
  try {
    const call = open({ ...sessionSettings(token), silenceMs: patienceMs })
    const { projects } = await call('GET /projects', { query: { limit: '100' } })
    return projects?.map(({ name }) => name).filter(isName)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
