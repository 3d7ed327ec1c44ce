// Sets TXT records with a program of the operator, called as `<program> present|cleanup <name> <value>`.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Dns01 } from './port.ts'

const run = promisify(execFile)
const timeLimitMs = 120_000
/** The program gets no variables of svcd. If it needs credentials, it reads them from a file of its own. */
const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

export function hookDns01(program: string): Dns01 {
  const call = async (verb: 'present' | 'cleanup', name: string, value: string): Promise<void> => {
    try {
      await run(program, [verb, name, value], { env: environment, timeout: timeLimitMs })
    } catch (cause) {
      const { stderr = '', message } = cause as Error & { stderr?: string }
      const words = stderr.trim().split('\n').at(-1) || message
      throw new Error(`the DNS hook could not ${verb} ${name}: ${words}`, { cause })
    }
  }
  return {
    present: (name, value) => call('present', name, value),
    cleanUp: (name, value) => call('cleanup', name, value),
  }
}
