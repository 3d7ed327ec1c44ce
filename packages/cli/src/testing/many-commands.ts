// Runs many commands of the tool in one process, one after the other. A process for each takes most of its time to load the tool.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { Result } from './svc.ts'

export interface Order {
  args: string[]
  cwd: string
  env: Record<string, string>
}

const program = fileURLToPath(new URL('./command-process.js', import.meta.url))

/** To be called once in a test file. What it returns runs a command, as `svc` does. */
export function useOneProcess(): (order: Order) => Promise<Result> {
  const child = fork(program, {
    env: { PATH: process.env.PATH, BROWSER: 'false' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  afterAll(() => void child.kill())
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The process of the commands ended with code ${code}.`)
  })
  ended.catch(() => undefined)
  return async order => {
    child.send(order)
    const [result] = await Promise.race([once(child, 'message'), ended])
    return result as Result
  }
}
